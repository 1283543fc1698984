#include "tools/cli/text/difference_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "harness/core/text.h"
#include "harness/reading/metric_view.h"
#include "metrics/change.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/ncu_text.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

using metrics::Aim;
using metrics::Change;
using metrics::Sampled;

constexpr std::size_t kMetricsShown = 8;
constexpr std::size_t kLinesShown = 4;
constexpr std::size_t kCasesShown = 8;

// Values of both that one can compare: both measured, or both the model's.
struct Difference {
  std::string metric;
  std::string title;
  Sampled before;
  Sampled after;
  Change change = Change::kSame;
};

// How far apart: a factor of 2 is as far in either way; from or to nothing is farthest.
double distance(const Difference& one) {
  if (one.before.value == 0 || one.after.value == 0) return HUGE_VAL;
  return std::abs(std::log(std::abs(one.after.value / one.before.value)));
}

std::optional<Sampled> model_of(const CaseRecord& record, const std::string& key) {
  const auto value = metrics::value_of(record, key, SourceOf::kModel);
  if (!value) return {};
  return Sampled{*value, *value, *value, false};
}

std::vector<Difference> metric_differences(const CasePair& pair, const DifferenceOptions& options) {
  std::vector<Difference> all;
  const auto add = [&](const std::string& key, const std::string& title, Aim aim,
                       std::optional<Sampled> before, std::optional<Sampled> after) {
    if (!before || !after) return;
    all.push_back({key, title, *before, *after, metrics::change_of(aim, *before, *after)});
  };
  if (options.metrics.empty()) {
    add("time", "time, ns", Aim::kLess, metrics::sampled_time(*pair.first),
        metrics::sampled_time(*pair.second));
  }
  for (const reading::MetricView& view : reading::metric_views(*pair.first)) {
    if (!options.metrics.empty() && !options.metrics.contains(view.key)) continue;
    auto before = metrics::sampled_of(*pair.first, view.key);
    auto after = metrics::sampled_of(*pair.second, view.key);
    if (before && after && before->measured != after->measured) {
      before = model_of(*pair.first, view.key);
      after = model_of(*pair.second, view.key);
    }
    add(view.key, title_of(view.key), metrics::aim_of(view.key), before, after);
  }
  return all;
}

Tone tone_of_change(Change change) {
  switch (change) {
    case Change::kBetter:
      return Tone::kGood;
    case Change::kWorse:
      return Tone::kBad;
    case Change::kUnclear:
      return Tone::kNote;
    case Change::kSame:
    case Change::kDiffers:
      break;
  }
  return Tone::kPlain;
}

Cell change_cell(Change change) {
  return {std::string(metrics::name_of(change)), tone_of_change(change)};
}

std::string factor_text(const Sampled& before, const Sampled& after) {
  return before.value == 0 ? "-" : brief_text(after.value / before.value);
}

Table metric_table(const std::vector<const Difference*>& shown) {
  const bool mixed = std::any_of(shown.begin(), shown.end(),
                                 [](const auto* one) { return one->before.measured; }) &&
                     std::any_of(shown.begin(), shown.end(),
                                 [](const auto* one) { return !one->before.measured; });
  Table table{{{"", Align::kLeft, true},
               {"A", Align::kRight},
               {"B", Align::kRight},
               {"B/A", Align::kRight},
               {""}}};
  if (mixed) table.columns.push_back({"by"});
  for (const Difference* one : shown) {
    table.rows.push_back({{safe_line(one->title)},
                          {grouped_text(one->before.value)},
                          {grouped_text(one->after.value)},
                          {factor_text(one->before, one->after)},
                          change_cell(one->change)});
    if (mixed) {
      table.rows.back().push_back({one->before.measured ? "measured" : "model", Tone::kDim});
    }
  }
  return table;
}

// ---- line by line ----

/// Counts of a run's own source by line and metric.
using LineCounts = std::map<int, std::map<std::string, double>>;

LineCounts counts_by_line(const CaseRecord& record, const RunRecord& run) {
  LineCounts counts;
  for (const LineObservation& one : record.lines) {
    if (one.source == SourceOf::kModel && one.line > 0 && one.file == run.source_name) {
      counts[one.line][one.metric] += one.value;
    }
  }
  return counts;
}

struct LineDifference {
  int first = 0;  // 0: no such line
  int second = 0;
  std::string metric;
  double before = 0;
  double after = 0;
};

void add_line(std::vector<LineDifference>& out, int first, int second,
              const std::map<std::string, double>& before,
              const std::map<std::string, double>& after) {
  std::set<std::string> keys;
  for (const auto& [key, value] : before) keys.insert(key);
  for (const auto& [key, value] : after) keys.insert(key);
  const auto in = [](const std::map<std::string, double>& counts, const std::string& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0.0 : found->second;
  };
  LineDifference most{first, second, {}, 0, 0};
  for (const std::string& key : keys) {
    // Of a line's metrics the one that moves most; lines of instructions alone say little.
    const double a = in(before, key);
    const double b = in(after, key);
    if (key == "instructions" || metrics::aim_of(key) != Aim::kLess) continue;
    if (std::abs(a - b) > std::abs(most.before - most.after)) most = {first, second, key, a, b};
  }
  if (!most.metric.empty()) out.push_back(std::move(most));
}

std::vector<LineDifference> line_differences(const RunRecord& first, const RunRecord& second,
                                             const CasePair& pair) {
  const LineCounts before = counts_by_line(*pair.first, first);
  LineCounts after = counts_by_line(*pair.second, second);
  const std::vector<int> match = matched_lines(first.source_text, second.source_text);
  std::vector<LineDifference> all;
  for (const auto& [line, counts] : before) {
    const int other = line < std::ssize(match) ? match[static_cast<std::size_t>(line)] : 0;
    add_line(all, line, other, counts, other == 0 ? LineCounts::mapped_type{} : after[other]);
    after.erase(other);
  }
  for (const auto& [line, counts] : after) add_line(all, 0, line, {}, counts);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::abs(a.before - a.after) > std::abs(b.before - b.after);
  });
  return all;
}

std::string line_text(const LineDifference& one, const RunRecord& first, const RunRecord& second,
                      const Terminal& terminal) {
  const bool there = one.second > 0;
  const RunRecord& run = there ? second : first;
  const int line = there ? one.second : one.first;
  // Both are named above; here their last part will do.
  const std::size_t slash = run.source_name.rfind('/') + 1;  // npos + 1 is the first character
  std::string place = fmt::format("{}:{}", safe_line(run.source_name.substr(slash)), line);
  if (!there) place += " (A alone)";
  if (one.first == 0) place += " (B alone)";
  const std::string text = safe_line(trim(line_of(run.source_text, line)));
  const Change change =
      metrics::change_of(metrics::aim_of(one.metric), {one.before, one.before, one.before},
                         {one.after, one.after, one.after});
  return fmt::format("  {}   {}\n      {}: {} -> {}  {}\n", place,
                     cut(text, std::max(terminal.width - display_width(place) - 5, 20)),
                     title_of(one.metric), grouped_text(one.before), grouped_text(one.after),
                     toned(metrics::name_of(change), tone_of_change(change), terminal));
}

std::string lines_text(const RunRecord& first, const RunRecord& second, const CasePair& pair,
                       const DifferenceOptions& options, const Terminal& terminal) {
  const std::vector<LineDifference> all = line_differences(first, second, pair);
  const std::size_t count = options.all ? all.size() : std::min(all.size(), kLinesShown);
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += line_text(all[i], first, second, terminal);
  return out;
}

// ---- a pair of cases ----

std::string pair_title(const CasePair& pair) {
  const auto& [first, second] = pair;
  const auto name = [](const CaseRecord& record) {
    return safe_line(record.variant.empty() ? record.kernel : record.variant);
  };
  const std::string names = first->variant == second->variant
                                ? name(*first)
                                : fmt::format("{} and {}", name(*first), name(*second));
  return names + "  " + safe_line(first->params.text());
}

std::string outcome_text(const CasePair& pair, const Terminal& terminal) {
  std::string out;
  const std::array<std::pair<const char*, const CaseRecord*>, 2> sides = {
      {{"A", pair.first}, {"B", pair.second}}};
  for (const auto& [side, record] : sides) {
    if (record->status == CaseStatus::kOk) continue;
    const std::string why = record->reason.substr(0, record->reason.find('\n'));
    std::string text = fmt::format("{}: {}", side, name_of(record->status));
    if (!why.empty()) text += ": " + safe_line(why);
    for (const std::string& line : wrapped(text, terminal.width - 2)) {
      out += "  " + toned(line, Tone::kBad, terminal) + "\n";
    }
  }
  return out;
}

// A kernel that leaves work undone looks better than one that does it.
std::string wrong_text(const std::vector<CasePair>& pairs, const Terminal& terminal) {
  const auto wrong = [&](const CaseRecord* CasePair::*side) {
    return std::count_if(pairs.begin(), pairs.end(),
                         [&](const CasePair& pair) { return (pair.*side)->correct == false; });
  };
  std::string out;
  for (const auto& [side, count] :
       {std::pair{"A", wrong(&CasePair::first)}, std::pair{"B", wrong(&CasePair::second)}}) {
    if (count == 0) continue;
    const std::string text =
        fmt::format("{} is wrong in {} of {} cases: what it leaves undone costs nothing.", side,
                    count, pairs.size());
    for (const std::string& line : wrapped(text, terminal.width)) {
      out += toned(line, Tone::kBad, terminal) + "\n";
    }
  }
  return out;
}

struct Tally {
  std::map<Change, std::size_t> metrics = {};
  std::size_t differing = 0;  // pairs
  std::size_t different = 0;  // values
};

std::string count_text(const std::map<Change, std::size_t>& counts) {
  std::string text;
  for (const Change change :
       {Change::kBetter, Change::kWorse, Change::kUnclear, Change::kDiffers}) {
    const auto found = counts.find(change);
    if (found == counts.end()) continue;
    text += fmt::format(
        "{}{} in {}", text.empty() ? "" : ", ",
        change == Change::kDiffers ? std::string_view("different") : metrics::name_of(change),
        found->second);
  }
  return text;
}

std::string pair_text(const RunRecord& first, const RunRecord& second, const CasePair& pair,
                      const DifferenceOptions& options, const Terminal& terminal, Tally& tally) {
  std::vector<Difference> all = metric_differences(pair, options);
  for (const Difference& one : all) ++tally.metrics[one.change];
  std::vector<const Difference*> different;
  for (const Difference& one : all) {
    if (one.change != Change::kSame) different.push_back(&one);
  }
  tally.different += different.size();
  const std::string outcome = outcome_text(pair, terminal);
  if (different.empty() && outcome.empty()) return {};
  // Time first, what is unclear last, between them the largest.
  std::stable_sort(different.begin(), different.end(), [](const auto* a, const auto* b) {
    const auto rank = [](const Difference& one) {
      return one.metric == "time" ? 0 : one.change == Change::kUnclear ? 2 : 1;
    };
    if (rank(*a) != rank(*b)) return rank(*a) < rank(*b);
    return distance(*a) > distance(*b);
  });
  ++tally.differing;
  const std::size_t left =
      options.all || different.size() <= kMetricsShown ? 0 : different.size() - kMetricsShown;
  different.resize(different.size() - left);
  std::string out = fmt::format("\n{}\n", toned(pair_title(pair), Tone::kStrong, terminal));
  out += outcome;
  if (!different.empty()) out += table_text(metric_table(different), terminal, kTableIndent);
  if (left > 0) out += fmt::format("  {} smaller differences: --all\n", left);
  if (options.metrics.empty()) out += lines_text(first, second, pair, options, terminal);
  return out;
}

std::string side_text(char side, const std::string& name, const RunRecord& run) {
  const std::string lab = run.lab == 0 ? "probe" : fmt::format("lab {}", run.lab);
  return fmt::format("{}: {}  ({}, {}, {})\n", side, safe_line(name), lab, safe_line(run.backend),
                     safe_line(run.gpu.empty() ? run.arch : run.gpu));
}

std::string single_variant(const RunRecord& run) {
  std::set<std::string> names;
  for (const CaseRecord& record : run.cases) names.insert(record.variant);
  return names.size() == 1 ? *names.begin() : std::string();
}

// Where both have a parameter, they have the same value of it.
bool points_fit(const Params& a, const Params& b) {
  return std::all_of(a.all().begin(), a.all().end(), [&](const auto& param) {
    const auto found = b.all().find(param.first);
    return found == b.all().end() || found->second == param.second;
  });
}

}  // namespace

std::vector<CasePair> pairs_of(const RunRecord& first, const RunRecord& second) {
  const std::string one = single_variant(first);
  const std::string other = single_variant(second);
  const bool across = !one.empty() && !other.empty() && one != other;
  std::vector<CasePair> pairs;
  for (const CaseRecord& record : first.cases) {
    const auto found =
        std::find_if(second.cases.begin(), second.cases.end(), [&](const CaseRecord& candidate) {
          return across ? points_fit(record.params, candidate.params)
                        : candidate.variant == record.variant && candidate.params == record.params;
        });
    if (found != second.cases.end()) pairs.emplace_back(&record, &*found);
  }
  return pairs;
}

namespace {

// Two wordings of one line: they begin, or end, alike for half of the shorter one.
bool are_alike(std::string_view a, std::string_view b) {
  a = trim(a);
  b = trim(b);
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t begin = 0;
  while (begin < shorter && a[begin] == b[begin]) ++begin;
  std::size_t end = 0;
  while (end < shorter - begin && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  return shorter > 0 && 2 * (begin + end) >= shorter;
}

}  // namespace

std::vector<int> matched_lines(std::string_view first, std::string_view second) {
  constexpr std::size_t kMost = 4000;  // lines: the table has their product
  const std::vector<std::string_view> a = split(first, '\n');
  const std::vector<std::string_view> b = split(second, '\n');
  std::vector<int> match(a.size() + 1, 0);
  if (a.size() > kMost || b.size() > kMost) {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
      if (a[i] == b[i]) match[i + 1] = static_cast<int>(i + 1);
    }
    return match;
  }
  // common[i][j]: the longest common subsequence of what follows line i and line j.
  const std::size_t width = b.size() + 1;
  std::vector<int> common((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i * width + j] = trim(a[i]) == trim(b[j]) ? common[(i + 1) * width + j + 1] + 1
                                                       : std::max(common[(i + 1) * width + j],
                                                                  common[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  std::vector<std::size_t> gone;  // lines of a, and of b, since the last that stayed
  std::vector<std::size_t> come;
  const auto settle = [&] {
    std::size_t next = 0;
    const bool as_many = gone.size() == come.size();
    for (const std::size_t line : gone) {
      for (std::size_t k = next; k < come.size(); ++k) {
        if (!as_many && !are_alike(a[line], b[come[k]])) continue;
        match[line + 1] = static_cast<int>(come[k] + 1);
        next = k + 1;
        break;
      }
    }
    gone.clear();
    come.clear();
  };
  while (i < a.size() && j < b.size()) {
    if (trim(a[i]) == trim(b[j])) {
      settle();
      match[++i] = static_cast<int>(++j);
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      gone.push_back(i++);
    } else {
      come.push_back(j++);
    }
  }
  while (i < a.size()) gone.push_back(i++);
  while (j < b.size()) come.push_back(j++);
  settle();
  return match;
}

std::string differences_text(const RunRecord& first, const RunRecord& second,
                             const std::pair<std::string, std::string>& names,
                             const DifferenceOptions& options, const Terminal& terminal) {
  std::string out = side_text('A', names.first, first) + side_text('B', names.second, second);
  // Another text or another variant is other machine code: that needs no word.
  const bool same_kernels =
      first.source_text == second.source_text && single_variant(first) == single_variant(second);
  if (same_kernels || first.gpu != second.gpu || first.arch != second.arch) {
    out += unlike_runs_text(first, second);
  }
  const std::vector<CasePair> pairs = pairs_of(first, second);
  if (pairs.empty()) return out + "\nThe two have no case in common.\n";
  Tally tally;
  std::size_t hidden = 0;
  for (const CasePair& pair : pairs) {
    std::string text = pair_text(first, second, pair, options, terminal, tally);
    if (text.empty()) continue;
    if (!options.all && tally.differing > kCasesShown) {
      ++hidden;
      continue;
    }
    out += text;
  }
  if (hidden > 0) out += fmt::format("\n{} more cases differ: --all\n", hidden);
  const std::string counts = count_text(tally.metrics);
  const std::size_t same =
      tally.metrics.contains(Change::kSame) ? tally.metrics.at(Change::kSame) : 0;
  const std::string cases =
      fmt::format("{} case{} in both", pairs.size(), pairs.size() == 1 ? "" : "s");
  out += counts.empty()
             ? fmt::format("\n{}: no difference in {} values.\n", cases, same)
             : fmt::format("\n{}: B is {} of {} values.\n", cases, counts, same + tally.different);
  out += wrong_text(pairs, terminal);
  const std::size_t alone = first.cases.size() + second.cases.size() - 2 * pairs.size();
  if (alone > 0) out += fmt::format("{} in one of them alone.\n", alone);
  return out;
}

}  // namespace lab::cli
