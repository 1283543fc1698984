#include "harness/classes/grade/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "harness/core/text.h"
#include "harness/labs/toml/table.h"
#include "metrics/catalogue.h"

namespace lab::grade {

namespace {

constexpr std::int64_t kFormat = 1;

template <typename T>
std::string optional_line(const char* key, const std::optional<T>& value) {
  return value ? fmt::format("{} = {}\n", key, *value) : std::string();
}

std::string table_of(const char* name, const std::map<std::string, std::string>& values) {
  if (values.empty()) return {};
  std::string out = fmt::format("[kernel.{}]\n", name);
  for (const auto& [key, value] : values) {
    out += fmt::format("{} = {}\n", toml_quote(key), toml_quote(value));
  }
  return out;
}

std::string text_of(const Snapshot& one) {
  std::string out = fmt::format("\n[[kernel]]\ncase = {}\narch = {}\nstatus = {}\ncompiler = {}\n",
                                toml_quote(one.name), toml_quote(one.arch), toml_quote(one.status),
                                toml_quote(one.compiler));
  out += optional_line("registers", one.code.registers);
  out += optional_line("local_bytes", one.code.local_bytes);
  out += fmt::format("shared_bytes = {}\n", one.code.shared_bytes);
  out += table_of("accesses", one.code.accesses);
  out += table_of("outputs", one.outputs);
  out += "[kernel.counters]\n";
  for (const auto& [key, value] : one.counters) {
    out += fmt::format("{} = {}\n", toml_quote(key), value);
  }
  return out;
}

std::optional<std::uint32_t> count_at(const TomlTable& table, const char* key) {
  const auto value = table.whole(key, 0, std::numeric_limits<std::uint32_t>::max());
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

std::map<std::string, std::string> texts_at(const TomlTable& table, const char* key) {
  std::map<std::string, std::string> texts;
  if (const auto inner = table.table(key)) {
    for (const std::string& name : inner->keys()) texts[name] = inner->required(name, "a text");
  }
  return texts;
}

std::string shown(const std::optional<std::uint32_t>& value) {
  return value ? std::to_string(*value) : std::string("unknown");
}

// Both maps' keys, in order, where the values differ.
template <typename Map, typename Tell>
void each_difference(const Map& before, const Map& now, Tell&& tell) {
  std::set<std::string> keys;
  for (const auto& [key, value] : before) keys.insert(key);
  for (const auto& [key, value] : now) keys.insert(key);
  for (const std::string& key : keys) {
    const auto old = before.find(key);
    const auto fresh = now.find(key);
    const auto* from = old == before.end() ? nullptr : &old->second;
    const auto* to = fresh == now.end() ? nullptr : &fresh->second;
    if (from != nullptr && to != nullptr && *from == *to) continue;
    tell(key, from, to);
  }
}

// How many there are of each kind, in all lines: `2 LDG.128 (merged), 1 STG` added up.
std::map<std::string, int> totals_of(const std::map<std::string, std::string>& accesses) {
  std::map<std::string, int> totals;
  for (const auto& [line, kinds] : accesses) {
    for (const std::string_view one : split(kinds, ',')) {
      const std::string_view text = trim(one);
      const std::size_t blank = std::min(text.find(' '), text.size());
      int count = 0;
      std::from_chars(text.data(), text.data() + blank, count);
      totals[std::string(text.substr(blank))] += count;
    }
  }
  return totals;
}

// Which line a statement's accesses stand at follows its line breaks: the code changed where the
// kernel has more or fewer of a kind. A line whose text alone changed did not: it became what
// another line no longer does.
std::vector<std::string> access_changes(const std::map<std::string, std::string>& before,
                                        const std::map<std::string, std::string>& now) {
  std::vector<std::string> found;
  if (totals_of(before) == totals_of(now)) return found;
  std::multiset<std::string> reworded;
  for (const auto& [line, kinds] : now) {
    if (before.count(line) == 0) reworded.insert(kinds);
  }
  std::multiset<std::string> gone;
  for (const auto& [line, kinds] : before) {
    if (now.count(line) > 0) continue;
    const auto same = reworded.find(kinds);
    if (same == reworded.end()) continue;
    gone.insert(kinds);
    reworded.erase(same);
  }
  std::multiset<std::string> come = gone;
  each_difference(
      before, now, [&](const std::string& line, const std::string* from, const std::string* to) {
        // A line of one side alone may be the other side's, moved.
        const std::string* only = from == nullptr ? to : to == nullptr ? from : nullptr;
        if (only != nullptr) {
          std::multiset<std::string>& pairs = from == nullptr ? come : gone;
          const auto pair = pairs.find(*only);
          if (pair != pairs.end()) {
            pairs.erase(pair);
            return;
          }
        }
        found.push_back(
            fmt::format("{}: {} -> {}", line, from ? *from : "nothing", to ? *to : "gone"));
      });
  return found;
}

}  // namespace

Snapshot snapshot_of(std::string name, const CaseRecord& record, CodeFacts code) {
  Snapshot one{std::move(name), record.arch, std::string(name_of(record.status))};
  one.code = std::move(code);
  for (const Observation& observation : record.observations) {
    if (observation.source != SourceOf::kModel || !observation.has_value()) continue;
    // The facts of the code, above, hold what the compiled kernel needs.
    const metrics::Metric* const row = metrics::find(observation.metric);
    if (row != nullptr && row->model == metrics::InModel::kCompiled) continue;
    one.counters[observation.metric] = observation.number();
  }
  return one;
}

std::string baseline_text(const std::vector<Snapshot>& snapshots) {
  std::string out = fmt::format(
      "# Written by `lab check --update`: what the kernels are and cost. Keep it with them;\n"
      "# `lab check` names what differs from it.\nformat = {}\n",
      kFormat);
  for (const Snapshot& one : snapshots) out += text_of(one);
  return out;
}

std::vector<Snapshot> read_baseline(const std::string& name, const std::string& text) {
  const TomlTable root = read_toml(name, text);
  root.expect_only({"format", "kernel"});
  if (root.whole("format", 1, 1000) != kFormat) {
    throw root.wrong("format", "this program reads baselines of format 1", "lab check --update");
  }
  std::vector<Snapshot> snapshots;
  for (const TomlTable& table : root.tables("kernel")) {
    table.expect_only({"case", "arch", "status", "compiler", "registers", "local_bytes",
                       "shared_bytes", "accesses", "outputs", "counters"});
    Snapshot one{table.required("case", "its name"), table.required("arch", "such as sm_90"),
                 table.required("status", "of the case")};
    one.compiler = table.text("compiler").value_or("");
    one.code.registers = count_at(table, "registers");
    one.code.local_bytes = count_at(table, "local_bytes");
    one.code.shared_bytes = count_at(table, "shared_bytes").value_or(0);
    one.code.accesses = texts_at(table, "accesses");
    one.outputs = texts_at(table, "outputs");
    if (const auto counters = table.table("counters")) {
      for (const std::string& key : counters->keys()) {
        one.counters[key] = counters->number(key).value_or(0);
      }
    }
    snapshots.push_back(std::move(one));
  }
  return snapshots;
}

std::vector<std::string> changes(const Snapshot& before, const Snapshot& now) {
  std::vector<std::string> found;
  if (before.status != now.status) {
    found.push_back(fmt::format("status: {} -> {}", before.status, now.status));
  }
  for (std::string& change : access_changes(before.code.accesses, now.code.accesses)) {
    found.push_back(std::move(change));
  }
  const auto compare = [&](const char* what, const auto& from, const auto& to) {
    if (from != to) found.push_back(fmt::format("{}: {} -> {}", what, shown(from), shown(to)));
  };
  compare("registers per thread", before.code.registers, now.code.registers);
  compare("local bytes per thread", before.code.local_bytes, now.code.local_bytes);
  if (before.code.shared_bytes != now.code.shared_bytes) {
    found.push_back(fmt::format("static shared bytes per block: {} -> {}", before.code.shared_bytes,
                                now.code.shared_bytes));
  }
  each_difference(before.outputs, now.outputs,
                  [&](const std::string& name, const std::string*, const std::string*) {
                    found.push_back(fmt::format("{} holds another result", name));
                  });
  each_difference(before.counters, now.counters,
                  [&](const std::string& key, const double* from, const double* to) {
                    found.push_back(fmt::format("{}: {} -> {}", key,
                                                from ? fmt::format("{}", *from) : "not counted",
                                                to ? fmt::format("{}", *to) : "not counted"));
                  });
  if (!found.empty() && before.compiler != now.compiler) {
    found.push_back(fmt::format("(the baseline was compiled by NVRTC {}, this by {})",
                                before.compiler, now.compiler));
  }
  return found;
}

}  // namespace lab::grade
