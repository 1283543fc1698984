#include "tools/cli/text/difference_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "harness/core/text.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/difference.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/page_text.h"
#include "tools/cli/text/source_line.h"
#include "tools/cli/text/table.h"
#include "tools/cli/text/unlike_text.h"

namespace lab::cli {

namespace {

using metrics::Change;
using reading::CasePair;
using reading::Difference;
using reading::LineDifference;

constexpr std::size_t kMetricsShown = 8;
constexpr std::size_t kLinesShown = 4;
constexpr std::size_t kCasesShown = 8;

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

std::string factor_text(const Difference& one) {
  return one.before.value == 0 ? "-" : brief_text(one.after.value / one.before.value);
}

Table metric_table(const std::vector<Difference>& shown) {
  const bool mixed =
      std::any_of(shown.begin(), shown.end(),
                  [](const auto& one) { return one.before.measured; }) &&
      std::any_of(shown.begin(), shown.end(), [](const auto& one) { return !one.before.measured; });
  Table table{{{"", Align::kLeft, true},
               {"A", Align::kRight},
               {"B", Align::kRight},
               {"B/A", Align::kRight},
               {""}}};
  if (mixed) table.columns.push_back({"by"});
  for (const Difference& one : shown) {
    table.rows.push_back({{one.metric == Difference::kTime ? "time, ns" : title_of(one.metric)},
                          {grouped_text(one.before.value)},
                          {grouped_text(one.after.value)},
                          {factor_text(one)},
                          change_cell(one.change)});
    if (mixed) {
      table.rows.back().push_back({one.before.measured ? "measured" : "model", Tone::kDim});
    }
  }
  return table;
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
  const std::string text = source_line(run.source_text, line);
  return fmt::format("  {}   {}\n      {}: {} -> {}  {}\n", place,
                     cut(text, std::max(terminal.width - display_width(place) - 5, 20)),
                     title_of(one.metric), grouped_text(one.before), grouped_text(one.after),
                     toned(metrics::name_of(one.change), tone_of_change(one.change), terminal));
}

std::string lines_text(const RunRecord& first, const RunRecord& second, const CasePair& pair,
                       const DifferenceOptions& options, const Terminal& terminal) {
  const std::vector<LineDifference> all = reading::line_differences(first, second, pair);
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
  const std::string names = name(*first) == name(*second)
                                ? name(*first)
                                : fmt::format("{} and {}", name(*first), name(*second));
  const std::string params = safe_line(first->params.text());
  return params.empty() ? names : names + "  " + params;
}

std::string outcome_text(const CasePair& pair, const Terminal& terminal) {
  std::string out;
  const std::array<std::pair<const char*, const CaseRecord*>, 2> sides = {
      {{"A", pair.first}, {"B", pair.second}}};
  for (const auto& [side, record] : sides) {
    if (record->status == CaseStatus::kOk) continue;
    const std::string text = fmt::format("{}: {}", side, safe_line(reading::trouble_of(*record)));
    out += toned_paragraph(text, Tone::kBad, terminal, 2);
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
    out += toned_paragraph(text, Tone::kBad, terminal);
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
  reading::PairReading read = reading::read(pair, options.metrics);
  for (const auto& [change, count] : read.counts) tally.metrics[change] += count;
  std::vector<Difference>& different = read.different;
  tally.different += different.size();
  const std::string outcome = outcome_text(pair, terminal);
  if (different.empty() && outcome.empty()) return {};
  ++tally.differing;
  const std::size_t left =
      options.all || different.size() <= kMetricsShown ? 0 : different.size() - kMetricsShown;
  different.erase(different.end() - static_cast<std::ptrdiff_t>(left), different.end());
  std::string out = fmt::format("\n{}\n", toned(pair_title(pair), Tone::kStrong, terminal));
  out += outcome;
  if (!different.empty()) out += table_text(metric_table(different), terminal, kTableIndent);
  if (left > 0) out += fmt::format("  {} smaller differences: --all\n", left);
  if (options.metrics.empty()) out += lines_text(first, second, pair, options, terminal);
  return out;
}

std::string side_text(char side, const std::string& name, const RunRecord& run) {
  const std::string lab = run.lab == 0 ? "probe" : "lab " + run.called();
  return fmt::format("{}: {}  ({}, {}, {})\n", side, safe_line(name), lab, safe_line(run.backend),
                     safe_line(run.gpu.empty() ? run.arch : run.gpu));
}

}  // namespace

std::string differences_text(const RunRecord& first, const RunRecord& second,
                             const std::pair<std::string, std::string>& names,
                             const DifferenceOptions& options, const Terminal& terminal) {
  std::string out = side_text('A', names.first, first) + side_text('B', names.second, second);
  // Another text or another variant is other machine code: that needs no word.
  const bool same_kernels = first.source_text == second.source_text &&
                            reading::single_variant(first) == reading::single_variant(second);
  if (same_kernels || first.gpu != second.gpu || first.arch != second.arch) {
    out += page_text({unlike_runs(first, second)}, terminal);
  }
  const std::vector<CasePair> pairs = reading::pairs_of(first, second);
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
  // Across variants a case may have several counterparts.
  std::set<const CaseRecord*> told;
  for (const auto& [one, other] : pairs) {
    told.insert(one);
    told.insert(other);
  }
  const std::size_t alone = first.cases.size() + second.cases.size() - told.size();
  if (alone > 0) out += fmt::format("{} in one of them alone.\n", alone);
  return out;
}

}  // namespace lab::cli
