#include "harness/reading/compare_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/appendix.h"
#include "harness/reading/came_to_text.h"
#include "harness/reading/case_name.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/difference.h"
#include "harness/reading/figures.h"
#include "harness/reading/metric_view.h"
#include "harness/reading/remarks.h"
#include "harness/reading/run_reading.h"

namespace lab::reading {

namespace {

using page::Rank;
using page::Role;
using page::Tone;

constexpr std::size_t kBoundsListed = 8;

bool passes(const MetricView& view, const CompareFilter& filter) {
  const std::string verdict(view.verdict == nullptr ? "" : lab::name_of(view.verdict->kind));
  if (!filter.zeros && !view.may_be_something() && filter.metrics.count(view.key) == 0)
    return false;
  return (!filter.zeros || filter.metrics.empty() || filter.metrics.count(view.key) > 0) &&
         (filter.verdicts.empty() || filter.verdicts.count(verdict) > 0);
}

page::Cell interval_cell(const std::optional<metrics::Interval>& interval) {
  return interval ? page::number_cell(interval->low, interval->high) : page::number_cell({});
}

page::Cell source_cell(const MetricView& view, SourceOf source) {
  return source == SourceOf::kModel ? interval_cell(view.model())
                                    : page::number_cell(view.value(source));
}

Tone tone_of(const MetricView& view) {
  if (view.verdict == nullptr) return Tone::kDim;
  switch (view.verdict->kind) {
    case VerdictKind::kAgrees:
      return Tone::kGood;
    case VerdictKind::kExplained:
      return Tone::kNote;
    case VerdictKind::kDisagrees:
      return Tone::kBad;
    case VerdictKind::kNone:
    case VerdictKind::kContext:
    case VerdictKind::kMissing:
    case VerdictKind::kTooSmall:
      break;
  }
  return Tone::kDim;
}

// The verdict's reason, else why the sources have no value.
std::string reason_of(const MetricView& view) {
  if (view.verdict != nullptr && !view.verdict->reason.empty()) return view.verdict->reason;
  for (const Observation* observation : view.by_source) {
    if (observation == nullptr || observation->has_value()) continue;
    return std::get<Missing>(observation->value).text();
  }
  return {};
}

/// Whose values a run's tables have.
struct Columns {
  std::vector<SourceOf> sources = {};  ///< beside theory
  bool theory = false;
  bool judged = false;
};

Columns compare_columns(const RunRecord& run) {
  Columns columns;
  columns.theory = run.lab != 0;
  columns.judged = columns.theory || read(run).verdicts.compared() > 0;
  for (const SourceOf source :
       {SourceOf::kModel, SourceOf::kCupti, SourceOf::kSass, SourceOf::kNcu}) {
    const bool any = std::any_of(run.cases.begin(), run.cases.end(), [&](const auto& record) {
      const auto& all = record.observations;
      return std::any_of(all.begin(), all.end(), [&](const Observation& observation) {
        return observation.source == source && observation.has_value();
      });
    });
    if (any) columns.sources.push_back(source);
  }
  return columns;
}

std::string run_title(const RunRecord& run) {
  const std::string lab = run.lab == 0 ? "probe" : "lab " + run.called();
  const std::string id = run.id > 0 ? fmt::format("run {}", run.id) : std::string("not stored");
  return fmt::format("{} ({}, {}, {}, {})", id, lab, run.backend,
                     run.gpu.empty() ? run.arch : run.gpu, run.started_at);
}

std::string ratio_text(const Difference& one) {
  if (one.before.value == one.after.value) return "=";
  if (one.before.value == 0) return "-";
  constexpr double kFourDigits = 1000;  // more would be written with an exponent
  const double ratio = one.after.value / one.before.value;
  return std::fabs(ratio) < kFourDigits ? fmt::format("{:.4g}", ratio) : brief_text(ratio);
}

// Everything known about a case's metrics, one row each.
page::Table compare_table(const std::vector<MetricView>& views, const Columns& columns) {
  page::Table table{{{"metric"}}};
  const auto add = [&](page::Column column) { table.columns.push_back(std::move(column)); };
  if (columns.theory) add({"theory", true});
  for (const SourceOf source : columns.sources) add({std::string(lab::name_of(source)), true});
  if (columns.judged) add({"verdict"});
  add({columns.judged ? "reason" : "unit or reason", false, true});
  for (const MetricView& view : views) {
    page::Row row{{{view.key}}};
    if (columns.theory) row.cells.push_back(interval_cell(view.theory()));
    for (const SourceOf source : columns.sources) row.cells.push_back(source_cell(view, source));
    if (columns.judged) {
      const auto* verdict = view.verdict;
      row.cells.push_back(
          {std::string(verdict == nullptr ? "-" : lab::name_of(verdict->kind)), tone_of(view)});
    }
    const std::string reason = reason_of(view);
    const bool agrees = view.verdict != nullptr && view.verdict->kind == VerdictKind::kAgrees;
    if (agrees || reason.empty()) row.rank = Rank::kMore;
    row.cells.push_back({reason.empty() ? unit_of(view.key) : reason, Tone::kDim});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Findings stand above the numbers; else why the case came to nothing.
std::vector<page::Block> reason_of_case(const CaseRecord& record) {
  std::vector<page::Block> blocks = remarks_of(record);
  if (!blocks.empty()) return blocks;
  for (const std::string_view line : split(record.reason, '\n')) {
    if (!trim(line).empty()) blocks.push_back(page::sentence(std::string(line), Role::kItem));
  }
  return blocks;
}

void add_all(page::Page& page, std::vector<page::Block> blocks) {
  page::append(page, {std::move(blocks)});
}

void add_case(page::Page& page, const CaseRecord& record, const std::vector<MetricView>& views,
              const Columns& columns, const CompareFilter& filter) {
  page.blocks.push_back(
      {case_heading(record, std::string(lab::name_of(record.status))), Rank::kAlways, true});
  const bool has_lead = !filter.lead.empty();
  std::vector<page::Block> above = has_lead ? filter.lead : reason_of_case(record);
  const bool apart = has_lead || !record.findings.empty() || !record.remarks.empty();
  add_all(page, std::move(above));
  if (!views.empty()) page.blocks.push_back({compare_table(views, columns), Rank::kMain, apart});
}

// `shared_bank_conflicts: 12 of 40 explained`, and below it the first of them.
void add_difference(page::Page& page, const MetricSummary& one) {
  const bool bad = one.counts.disagrees > 0;
  const std::size_t count = bad ? one.counts.disagrees : one.counts.explained;
  page.blocks.push_back(
      page::sentence(fmt::format("{}: {} of {} {}", one.key, count, one.counts.compared(),
                                 bad ? "disagree" : "explained"),
                     Role::kItem, bad ? Tone::kBad : Tone::kNote));
  page.blocks.push_back(
      page::sentence(title_of(*one.first) + ": " + one.verdict->reason, Role::kBeside));
}

void add_overview(page::Page& page, const RunRecord& run) {
  page::Page differences;
  page::Table same{{{"metric"}, {"what it is", false, true}, {"agree", true}}};
  for (const MetricSummary& one : summaries_of(run)) {
    if (one.verdict != nullptr) add_difference(differences, one);
    if (one.counts.agrees == 0) continue;
    same.rows.push_back({{{one.key},
                          {title_of(one.key)},
                          {fmt::format("{} of {}", one.counts.agrees, one.counts.compared())}}});
  }
  if (!differences.blocks.empty()) {
    page.blocks.push_back(page::title("What differs, with the first case of each"));
    page::append(page, std::move(differences));
  }
  if (same.rows.empty()) return;
  page.blocks.push_back(page::title("What agrees"));
  page.blocks.push_back({std::move(same), Rank::kMore});
}

// Cases that did not run as they should.
void add_failures(page::Page& page, const RunRecord& run) {
  bool is_first = true;
  for (const CaseRecord& record : run.cases) {
    if (record.status == CaseStatus::kOk) continue;
    if (std::exchange(is_first, false)) page.blocks.push_back(page::title("Cases that are not ok"));
    page.blocks.push_back(
        page::sentence(title_of(record) + ": " + trouble_of(record), Role::kItem));
  }
}

void add_cases(page::Page& page, const RunRecord& run, const Columns& columns,
               const CompareFilter& filter) {
  for (const CaseRecord& record : run.cases) {
    std::vector<MetricView> views = metric_views(record);
    std::erase_if(views, [&](const MetricView& view) { return !passes(view, filter); });
    // A wrong kernel's cost is no matter, unless the kernel was probed for its counts.
    if (has_mistake(record) && run.lab != 0) views.clear();
    const bool failed = record.status != CaseStatus::kOk && filter.verdicts.empty();
    if (!views.empty() || failed) add_case(page, record, views, columns, filter);
  }
}

page::Table differences_of(const CaseRecord& record, const CaseRecord& other,
                           const CompareFilter& filter) {
  page::Table table{{{"metric"}, {"A", true}, {"B", true}, {"B/A", true}, {"source"}}};
  for (const MetricView& view : metric_views(record)) {
    const auto one = difference_in({&record, &other}, view.key);
    if (!one || !passes(view, filter)) continue;
    const bool same = one->before.value == one->after.value;
    table.rows.push_back(
        {{{view.key},
          page::number_cell(one->before.value),
          page::number_cell(one->after.value),
          {ratio_text(*one), same ? Tone::kDim : Tone::kStrong},
          {std::string(one->before.measured ? "measured" : "model"), Tone::kDim}}});
  }
  return table;
}

}  // namespace

page::Page compare_page(const RunRecord& run, const CompareFilter& filter) {
  const Columns columns = compare_columns(run);
  page::Page page;
  page.blocks.push_back({page::Heading{1, run_title(run)}, Rank::kAlways});
  add_all(page, filter.unlike);
  if (filter.overview) {
    add_failures(page, run);
    add_overview(page, run);
  } else {
    add_cases(page, run, columns, filter);
  }
  const VerdictCounts counts = read(run).verdicts;
  if (columns.judged) {
    page.blocks.push_back(page::paragraph(fmt::format(
        "{} cases, {} comparisons: {} agree, {} explained, {} disagree.", run.cases.size(),
        counts.compared(), counts.agrees, counts.explained, counts.disagrees)));
  }
  if (filter.overview) {
    page.blocks.push_back(
        page::sentence("Every number: --all, or of some cases --variant, --metrics, --verdict."));
  }
  add_all(page, interrupted(run));
  add_all(page, stalls_blocks(run));
  if (filter.ceilings) {
    const std::size_t most = filter.overview ? kBoundsListed : run.cases.size();
    add_all(page, bounds_blocks(run, *filter.ceilings, most));
  }
  return page;
}

page::Page two_runs_page(const RunRecord& first, const RunRecord& second,
                         const CompareFilter& filter) {
  page::Page page;
  page.blocks.push_back(page::sentence("A: " + run_title(first)));
  page.blocks.push_back(page::sentence("B: " + run_title(second)));
  add_all(page, filter.unlike);
  std::size_t both = 0;
  for (const CaseRecord& record : first.cases) {
    const CaseRecord* other = counterpart(second, record);
    if (other == nullptr) continue;
    ++both;
    page::Table table = differences_of(record, *other, filter);
    if (table.rows.empty()) continue;
    page.blocks.push_back(page::paragraph(title_of(record), Tone::kStrong));
    page.blocks.push_back({std::move(table)});
  }
  page.blocks.push_back(page::paragraph(
      both == 0 ? "The two runs have no case in common."
                : fmt::format("{} cases in both; {} in A alone, {} in B alone.", both,
                              first.cases.size() - both, second.cases.size() - both)));
  return page;
}

}  // namespace lab::reading
