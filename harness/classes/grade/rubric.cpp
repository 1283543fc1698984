#include "harness/classes/grade/rubric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>

#include "harness/core/params.h"
#include "harness/core/text.h"
#include "harness/run/plan.h"

namespace lab::grade {

namespace {

std::vector<std::string> variants_of(const Lab& lab) {
  std::vector<std::string> names;
  for (const Variant& variant : lab.variants) names.push_back(variant.name);
  return names;
}

void expect_variant(const TomlTable& table, const char* key, const std::string& name,
                    const Lab& lab) {
  const std::vector<std::string> names = variants_of(lab);
  if (std::count(names.begin(), names.end(), name) > 0) return;
  throw table.wrong(key, fmt::format("lab {} has no variant '{}'", lab.called(), name),
                    suggestion(name, names));
}

/// The cases of a rubric, each once.
class Requests {
 public:
  explicit Requests(Rubric& rubric) : rubric_(rubric) {}

  void add(std::vector<CaseRequest> cases, bool hidden) {
    for (CaseRequest& request : cases) {
      const auto same = [&](const CaseRequest& one) {
        return one.variant == request.variant && one.params == request.params;
      };
      auto& all = rubric_.requests;
      if (std::any_of(all.begin(), all.end(), same)) continue;
      request.index = static_cast<int>(all.size());
      if (hidden) rubric_.hidden.insert(request.index);
      all.push_back(std::move(request));
    }
  }

  [[nodiscard]] bool has(const std::string& variant) const {
    return std::any_of(rubric_.requests.begin(), rubric_.requests.end(),
                       [&](const CaseRequest& one) { return one.variant == variant; });
  }

 private:
  Rubric& rubric_;
};

using Sweeps = std::vector<std::pair<std::string, std::string>>;

// By the table's own words: other tables of the rubric change nothing in what it draws. The
// generator is one that is the same on every machine, and so is the remainder.
std::mt19937_64 chance_of(const Rubric& rubric, const std::string& variant, const Sweeps& sweeps) {
  std::string words = fmt::format("{} {}", rubric.drawn_by, variant);
  for (const auto& [name, text] : sweeps) words += fmt::format(" {}={}", name, text);
  constexpr std::size_t kDigits = 16;
  return std::mt19937_64(std::strtoull(sha256_hex(words).substr(0, kDigits).c_str(), nullptr, 16));
}

/// Cases of one value of each sweep, drawn: sizes that are in no text.
std::vector<CaseRequest> draw(const Rubric& rubric, const run::Selection& asked,
                              std::int64_t times) {
  std::mt19937_64 chance = chance_of(rubric, asked.variants[0], asked.sweeps);
  std::vector<CaseRequest> all;
  for (std::int64_t i = 0; i < times; ++i) {
    run::Selection one = asked;
    for (auto& [name, text] : one.sweeps) {
      const auto values = parse_sweep(find_param(*rubric.lab, name), text);
      text = to_text(values[chance() % values.size()]);
    }
    const std::vector<CaseRequest> cases = run::plan_cases(*rubric.lab, one);
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

std::int64_t draws_of(const TomlTable& table) {
  constexpr std::int64_t kMost = 100;
  const std::int64_t times = table.whole("draw", 1, kMost).value_or(0);
  if (times > 0 && !table.has("params")) {
    throw table.wrong("draw", "what is drawn?", "params = { n = \"1..20000\" }");
  }
  if (times > 0 && table.has("hidden") && !*table.flag("hidden")) {
    throw table.wrong("hidden", "sizes that are drawn are hidden");
  }
  return times;
}

void read_points(const TomlTable& root, Rubric& rubric, Requests& requests) {
  const Lab& lab = *rubric.lab;
  for (const TomlTable& table : root.tables("points")) {
    table.expect_only({"variant", "params", "hidden", "all", "draw"});
    run::Selection selection;
    selection.variants = {table.required("variant", "of the lab")};
    expect_variant(table, "variant", selection.variants[0], lab);
    selection.all = table.flag("all").value_or(false);
    selection.sweeps = read_sweeps(table);
    const std::int64_t times = draws_of(table);
    rubric.draws = rubric.draws || times > 0;
    requests.add(table.placed("params",
                              [&] {
                                return times > 0 ? draw(rubric, selection, times)
                                                 : run::plan_cases(lab, selection);
                              }),
                 times > 0 || table.flag("hidden").value_or(false));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> read_sweeps(const TomlTable& table) {
  std::vector<std::pair<std::string, std::string>> sweeps;
  const auto params = table.table("params");
  if (!params) return sweeps;
  for (const std::string& name : params->keys()) {
    sweeps.emplace_back(name, params->list(name).value_or(""));
  }
  return sweeps;
}

bool Rubric::is_hidden(const CaseRecord& record) const {
  return of_program() ? is_hidden_run(record.variant) : hidden.count(record.index) > 0;
}

bool Rubric::is_hidden_run(const std::string& run) const {
  return std::any_of(runs.begin(), runs.end(),
                     [&](const ProgramRun& one) { return one.hidden && one.name == run; });
}

void expect_before(const TomlTable& table, const Rubric& rubric) {
  std::vector<std::string> names;
  for (const Criterion& one : rubric.criteria) names.push_back(one.name);
  names.pop_back();
  for (const std::string& name : rubric.criteria.back().needs) {
    if (std::count(names.begin(), names.end(), name) > 0) continue;
    throw table.wrong("needs", fmt::format("there is no criterion '{}' before this one", name),
                      suggestion(name, names));
  }
}

void expect_criteria(const TomlTable& root, Rubric& rubric) {
  if (rubric.criteria.empty()) {
    throw input_error(fmt::format("{} has no criterion", rubric.name),
                      "begin each with [[criterion]]");
  }
  rubric.pass = root.number("pass").value_or(0);
  if (rubric.pass > rubric.of) {
    throw root.wrong("pass", fmt::format("'pass' is above the {} points that there are",
                                         number_text(rubric.of)));
  }
}

Rubric at_seed(const Rubric& rubric, std::uint64_t seed) {
  if (!rubric.draws || rubric.drawn_by == seed) return rubric;
  return read_rubric(rubric.name, rubric.text, *rubric.lab, seed);
}

Rubric read_rubric(const std::string& name, const std::string& text, const Lab& lab,
                   std::uint64_t seed) {
  const TomlTable root = read_toml(name, text);
  root.expect_only({"lab", "pass", "arch", "seed", "points", "criterion"});
  Rubric rubric;
  rubric.name = name;
  rubric.text = text;
  rubric.sha256 = sha256_hex(text);
  rubric.lab = &lab;
  if (root.whole("lab", 1, 9999).value_or(lab.number) != lab.number) {
    throw root.wrong("lab", fmt::format("this rubric is not lab {}'s", lab.called()));
  }
  rubric.arch = root.text("arch").value_or(rubric.arch);
  if (const auto own = root.whole("seed", 0, std::numeric_limits<std::int64_t>::max())) {
    rubric.seed = static_cast<std::uint64_t>(*own);
  }
  rubric.drawn_by = rubric.seed.value_or(seed);
  Requests requests(rubric);
  read_points(root, rubric, requests);
  for (const TomlTable& table : root.tables("criterion")) {
    rubric.criteria.push_back(read_criterion(table, About::kVariant));
    const Criterion& criterion = rubric.criteria.back();
    rubric.of += criterion.points;
    expect_before(table, rubric);
    for (const auto& [key, variant] :
         {std::pair("variant", criterion.variant), std::pair("ratio_to", criterion.ratio_to)}) {
      if (variant.empty()) continue;
      expect_variant(table, key, variant, lab);
      if (!requests.has(variant)) requests.add(run::plan_cases(lab, {{variant}}), false);
    }
  }
  expect_criteria(root, rubric);
  return rubric;
}

std::set<std::string> kernels_of(const Rubric& rubric) {
  std::set<std::string> names;
  for (const CaseRequest& request : rubric.requests) {
    const Variant& variant = find_variant(*rubric.lab, request.variant);
    if (!variant.library.empty()) continue;
    const std::string kernel = variant.kernel(request.params);
    names.insert(kernel.substr(0, kernel.find('<')));
  }
  return names;
}

}  // namespace lab::grade
