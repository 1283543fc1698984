#include "harness/reading/difference_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "harness/core/numbers.h"
#include "harness/page/make.h"
#include "harness/page/numbers.h"
#include "harness/reading/case_name.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/difference.h"
#include "harness/reading/figures.h"

namespace lab::reading {

namespace {

using metrics::Change;

constexpr std::size_t kMetricsShown = 8;
constexpr std::size_t kLinesShown = 4;
constexpr std::size_t kCasesShown = 8;

page::Tone tone_of(Change change) {
  switch (change) {
    case Change::kBetter:
      return page::Tone::kGood;
    case Change::kWorse:
      return page::Tone::kBad;
    case Change::kUnclear:
      return page::Tone::kNote;
    case Change::kSame:
    case Change::kDiffers:
      break;
  }
  return page::Tone::kPlain;
}

page::Cell factor_cell(const Difference& one) {
  if (one.before.value == 0) return page::number_cell({});
  return page::number_cell(one.after.value / one.before.value, page::Digits::kBrief);
}

page::Table metric_table(const std::vector<Difference>& shown) {
  const auto measured = [](const Difference& one) { return one.before.measured; };
  const bool mixed = std::any_of(shown.begin(), shown.end(), measured) &&
                     !std::all_of(shown.begin(), shown.end(), measured);
  page::Table table{{{"", false, true}, {"A", true}, {"B", true}, {"B/A", true}, {""}}};
  if (mixed) table.columns.push_back({"by", false, false, "", page::Rank::kMore});
  for (const Difference& one : shown) {
    page::Row row{{{one.metric == Difference::kTime ? "time, ns" : title_of(one.metric)},
                   page::number_cell(one.before.value),
                   page::number_cell(one.after.value),
                   factor_cell(one),
                   {std::string(metrics::name_of(one.change)), tone_of(one.change)}}};
    if (mixed) row.cells.push_back({one.before.measured ? "measured" : "model", page::Tone::kDim});
    table.rows.push_back(std::move(row));
  }
  return table;
}

page::Remark line_remark(const LineDifference& one, const RunRecord& first,
                         const RunRecord& second) {
  const bool there = one.second > 0;
  const RunRecord& run = there ? second : first;
  const int line = there ? one.second : one.first;
  page::Remark remark;
  remark.kind = page::RemarkKind::kCost;
  remark.key = one.metric;
  // Both files are named above; here their last part will do.
  const std::size_t slash = run.source_name.rfind('/') + 1;  // npos + 1 is the first character
  remark.at = {run.source_name.substr(slash), line, source_line(run, line)};
  if (!there) remark.of = "A alone";
  if (one.first == 0) remark.of = "B alone";
  remark.says = fmt::format("{}: {} -> {}  {}", title_of(one.metric), grouped_text(one.before),
                            grouped_text(one.after), metrics::name_of(one.change));
  return remark;
}

void add_lines(page::Page& page, const RunRecord& first, const RunRecord& second,
               const CasePair& pair, bool all) {
  const std::vector<LineDifference> lines = line_differences(first, second, pair);
  const std::size_t count = all ? lines.size() : std::min(lines.size(), kLinesShown);
  for (std::size_t i = 0; i < count; ++i) {
    page.blocks.push_back({line_remark(lines[i], first, second)});
  }
}

// ---- a pair of cases ----

page::Heading pair_heading(const CasePair& pair) {
  const std::string first = name_of(*pair.first);
  const std::string second = name_of(*pair.second);
  return page::heading(2, first == second ? first : first + " and " + second,
                       {pair.first->params.text()});
}

std::vector<page::Block> outcomes_of(const CasePair& pair) {
  const std::array<std::pair<const char*, const CaseRecord*>, 2> sides = {
      {{"A", pair.first}, {"B", pair.second}}};
  std::vector<page::Block> blocks;
  for (const auto& [side, record] : sides) {
    if (record->status == CaseStatus::kOk) continue;
    blocks.push_back(page::sentence(fmt::format("{}: {}", side, trouble_of(*record)),
                                    page::Role::kItem, page::Tone::kBad));
  }
  return blocks;
}

/// Counts over all pairs.
struct Tally {
  std::map<Change, std::size_t> metrics = {};
  std::size_t differing = 0;  ///< pairs
  std::size_t different = 0;  ///< values
};

page::Page page_of(const RunRecord& first, const RunRecord& second, const CasePair& pair,
                   const DifferenceOptions& options, Tally& tally) {
  PairReading read = reading::read(pair, options.metrics);
  for (const auto& [change, count] : read.counts) tally.metrics[change] += count;
  std::vector<Difference>& different = read.different;
  tally.different += different.size();
  std::vector<page::Block> outcomes = outcomes_of(pair);
  if (different.empty() && outcomes.empty()) return {};
  ++tally.differing;
  const std::size_t left =
      options.all || different.size() <= kMetricsShown ? 0 : different.size() - kMetricsShown;
  different.resize(different.size() - left);
  page::Page page{{{pair_heading(pair), page::Rank::kAlways, true}}};
  page::append(page, {std::move(outcomes)});
  if (!different.empty()) page.blocks.push_back({metric_table(different)});
  if (left > 0) {
    page.blocks.push_back(
        page::sentence(fmt::format("{} smaller differences: --all", left), page::Role::kNote));
  }
  if (options.metrics.empty()) add_lines(page, first, second, pair, options.all);
  return page;
}

// ---- all of them ----

page::Block side(char letter, const std::string& name, const RunRecord& run) {
  const std::string lab = run.lab == 0 ? "probe" : "lab " + run.called();
  return page::sentence(fmt::format("{}: {}  ({}, {}, {})", letter, name, lab, run.backend,
                                    run.gpu.empty() ? run.arch : run.gpu));
}

std::string counts_text(const std::map<Change, std::size_t>& counts) {
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

std::string tally_text(const Tally& tally, std::size_t pairs) {
  const auto found = tally.metrics.find(Change::kSame);
  const std::size_t same = found == tally.metrics.end() ? 0 : found->second;
  const std::string counts = counts_text(tally.metrics);
  const std::string cases = page::counted(pairs, "case") + " in both";
  return counts.empty()
             ? fmt::format("{}: no difference in {} values.", cases, same)
             : fmt::format("{}: B is {} of {} values.", cases, counts, same + tally.different);
}

// A kernel that leaves work undone looks better than one that does it.
void add_wrong(page::Page& page, const std::vector<CasePair>& pairs) {
  const auto wrong = [&](const CaseRecord* CasePair::*side) {
    return std::count_if(pairs.begin(), pairs.end(),
                         [&](const CasePair& pair) { return (pair.*side)->correct == false; });
  };
  for (const auto& [side, count] :
       {std::pair{"A", wrong(&CasePair::first)}, std::pair{"B", wrong(&CasePair::second)}}) {
    if (count == 0) continue;
    page.blocks.push_back(page::sentence(
        fmt::format("{} is wrong in {} of {} cases: what it leaves undone costs nothing.", side,
                    count, pairs.size()),
        page::Role::kResult, page::Tone::kBad));
  }
}

// Across variants a case may have several counterparts.
std::size_t alone(const RunRecord& first, const RunRecord& second,
                  const std::vector<CasePair>& pairs) {
  std::set<const CaseRecord*> told;
  for (const auto& [one, other] : pairs) {
    told.insert(one);
    told.insert(other);
  }
  return first.cases.size() + second.cases.size() - told.size();
}

}  // namespace

bool are_of_one_text(const RunRecord& first, const RunRecord& second) {
  return first.source_text == second.source_text && single_variant(first) == single_variant(second);
}

page::Page difference_page(const RunRecord& first, const RunRecord& second,
                           const std::pair<std::string, std::string>& names,
                           const DifferenceOptions& options) {
  page::Page page{{side('A', names.first, first), side('B', names.second, second)}};
  page::append(page, {options.unlike});
  const std::vector<CasePair> pairs = pairs_of(first, second);
  if (pairs.empty()) {
    page.blocks.push_back(page::paragraph("The two have no case in common."));
    return page;
  }
  Tally tally;
  std::size_t hidden = 0;
  for (const CasePair& pair : pairs) {
    page::Page one = page_of(first, second, pair, options, tally);
    const bool fits = options.all || tally.differing <= kCasesShown;
    if (!fits && !one.blocks.empty()) ++hidden;
    if (fits) page::append(page, std::move(one));
  }
  if (hidden > 0) {
    page.blocks.push_back(page::paragraph(fmt::format("{} more cases differ: --all", hidden)));
  }
  page.blocks.push_back(page::paragraph(tally_text(tally, pairs.size())));
  add_wrong(page, pairs);
  const std::size_t others = alone(first, second, pairs);
  if (others > 0) {
    page.blocks.push_back(page::sentence(fmt::format("{} in one of them alone.", others)));
  }
  return page;
}

}  // namespace lab::reading
