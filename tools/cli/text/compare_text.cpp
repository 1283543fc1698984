#include "tools/cli/text/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/core/text.h"
#include "harness/reading/difference.h"
#include "harness/reading/metric_view.h"
#include "harness/reading/run_reading.h"
#include "metrics/catalogue.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/closing_text.h"
#include "tools/cli/text/finding_text.h"
#include "tools/cli/text/table.h"
#include "tools/cli/text/unlike_text.h"

namespace lab::cli {

namespace {

bool shown(const reading::MetricView& view, const CompareFilter& filter) {
  const std::string verdict(view.verdict == nullptr ? "" : name_of(view.verdict->kind));
  if (!filter.zeros && !view.may_be_something() && filter.metrics.count(view.key) == 0)
    return false;
  return (!filter.zeros || filter.metrics.empty() || filter.metrics.count(view.key) > 0) &&
         (filter.verdicts.empty() || filter.verdicts.count(verdict) > 0);
}

Cell source_cell(const reading::MetricView& view, SourceOf source) {
  if (source == SourceOf::kModel) return interval_cell(view.model());
  return number_cell(view.value(source));
}

Tone tone_of(const reading::MetricView& view) {
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

std::string unit_of(const std::string& key) {
  const metrics::Metric* row = metrics::find(key);
  return row == nullptr ? std::string() : std::string(row->unit);
}

// The verdict's reason, else why the sources have no value.
std::string reason_of(const reading::MetricView& view) {
  if (view.verdict != nullptr && !view.verdict->reason.empty()) {
    return safe_line(view.verdict->reason);
  }
  for (const Observation* observation : view.by_source) {
    if (observation == nullptr || observation->has_value()) continue;
    const auto& missing = std::get<Missing>(observation->value);
    return safe_line(missing.text());
  }
  return {};
}

/// Whose values a run's tables have.
struct Columns {
  std::vector<SourceOf> sources = {};  ///< beside theory
  bool theory = false;
  bool judged = false;
};

Columns columns_of(const RunRecord& run) {
  Columns columns;
  columns.theory = run.lab != 0;
  columns.judged = columns.theory || reading::read(run).verdicts.compared() > 0;
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

std::string case_title(const CaseRecord& record) {
  const std::string params = safe_line(record.params.text());
  const std::string variant = safe_line(record.variant.empty() ? record.kernel : record.variant);
  return params.empty() ? variant : variant + "  " + params;
}

std::string run_title(const RunRecord& run) {
  const std::string lab = run.lab == 0 ? "probe" : "lab " + run.called();
  const std::string id = run.id > 0 ? fmt::format("run {}", run.id) : std::string("not stored");
  return fmt::format("{} ({}, {}, {}, {})", id, lab, safe_line(run.backend),
                     safe_line(run.gpu.empty() ? run.arch : run.gpu), safe_line(run.started_at));
}

std::string ratio_text(const reading::Difference& one) {
  if (one.before.value == one.after.value) return "=";
  if (one.before.value == 0) return "-";
  constexpr double kFourDigits = 1000;  // more would be written with an exponent
  const double ratio = one.after.value / one.before.value;
  return std::fabs(ratio) < kFourDigits ? fmt::format("{:.4g}", ratio) : brief_text(ratio);
}

Cell verdict_cell(const reading::MetricView& view) {
  return {std::string(view.verdict == nullptr ? "-" : name_of(view.verdict->kind)), tone_of(view)};
}

// Everything known about a case's metrics, one row each.
Table wide_case(const std::vector<reading::MetricView>& views, const Columns& columns) {
  Table table{{{"metric"}}};
  if (columns.theory) table.columns.push_back({"theory", Align::kRight});
  for (const SourceOf source : columns.sources) {
    table.columns.push_back({std::string(name_of(source)), Align::kRight});
  }
  if (columns.judged) table.columns.push_back({"verdict"});
  table.columns.push_back({columns.judged ? "reason" : "unit or reason", Align::kLeft, true});
  for (const reading::MetricView& view : views) {
    std::vector<Cell> row = {{safe_line(view.key)}};
    if (columns.theory) row.push_back(interval_cell(view.theory()));
    for (const SourceOf source : columns.sources) row.push_back(source_cell(view, source));
    if (columns.judged) row.push_back(verdict_cell(view));
    const std::string reason = reason_of(view);
    row.push_back({reason.empty() ? unit_of(view.key) : reason, Tone::kDim});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// For narrow terminals: a row for each source that has a value.
Table narrow_case(const std::vector<reading::MetricView>& views, const Columns& columns) {
  Table table{{{"metric"}, {"source"}, {"value", Align::kRight}, {"verdict"}}};
  for (const reading::MetricView& view : views) {
    std::string key = safe_line(view.key);
    Cell verdict = verdict_cell(view);
    const auto add = [&](std::string_view source, const Cell& value) {
      table.rows.push_back(
          {{std::exchange(key, "")}, {std::string(source)}, value, std::exchange(verdict, {})});
    };
    if (columns.theory && view.theory()) add("theory", interval_cell(view.theory()));
    for (const SourceOf source : columns.sources) {
      if (view.value(source)) add(name_of(source), source_cell(view, source));
    }
    if (!key.empty()) table.rows.push_back({{key}, {"none"}, {"-", Tone::kDim}, verdict});
  }
  return table;
}

// Below a table that has no room for them: which verdicts are not plain agreement, and why.
std::string reasons_text(const std::vector<reading::MetricView>& views, int width) {
  std::string out;
  for (const reading::MetricView& view : views) {
    const bool agrees = view.verdict != nullptr && view.verdict->kind == VerdictKind::kAgrees;
    const std::string reason = reason_of(view);
    if (agrees || reason.empty()) continue;
    out += paragraph(safe_line(view.key) + ": " + reason, width, 2, 4);
  }
  return out;
}

// Findings stand above the numbers; else why the case came to nothing.
std::string reason_of_case(const CaseRecord& record, const Terminal& terminal) {
  const std::string found = findings_text(record, terminal);
  if (!found.empty()) return found + "\n";
  std::string out;
  for (const std::string_view line : split(record.reason, '\n')) {
    if (!trim(line).empty()) out += paragraph(safe_line(line), terminal.width, 2);
  }
  return out;
}

std::string case_text(const CaseRecord& record, const std::vector<reading::MetricView>& views,
                      const Columns& columns, const std::string& lead, const Terminal& terminal) {
  std::string out = fmt::format("\n{}  {}\n", toned(case_title(record), Tone::kStrong, terminal),
                                name_of(record.status));
  out += lead.empty() ? reason_of_case(record, terminal) : lead;
  if (views.empty()) return out;
  const Table wide = wide_case(views, columns);
  if (least_width(wide) + kTableIndent <= terminal.width) {
    return out + table_text(wide, terminal, kTableIndent);
  }
  return out + table_text(narrow_case(views, columns), terminal, kTableIndent) +
         reasons_text(views, terminal.width);
}

// `shared_bank_conflicts: 12 of 40 explained`, and below it the first of them.
std::string difference_text(const reading::MetricSummary& one, const Terminal& terminal) {
  const bool bad = one.counts.disagrees > 0;
  const std::size_t count = bad ? one.counts.disagrees : one.counts.explained;
  std::string out = fmt::format(
      "  {}\n", toned(fmt::format("{}: {} of {} {}", safe_line(one.key), count,
                                  one.counts.compared(), bad ? "disagree" : "explained"),
                      bad ? Tone::kBad : Tone::kNote, terminal));
  const std::string text = case_title(*one.first) + ": " + safe_line(one.verdict->reason);
  return out + paragraph(text, terminal.width, 6);
}

std::string overview(const RunRecord& run, const Terminal& terminal) {
  std::string differences;
  Table same{{{"metric"}, {"what it is", Align::kLeft, true}, {"agree", Align::kRight}}};
  for (const reading::MetricSummary& one : reading::summaries_of(run)) {
    if (one.verdict != nullptr) differences += difference_text(one, terminal);
    if (one.counts.agrees == 0) continue;
    same.rows.push_back({{safe_line(one.key)},
                         {title_of(one.key)},
                         {fmt::format("{} of {}", one.counts.agrees, one.counts.compared())}});
  }
  std::string out;
  if (!differences.empty()) out += "\nWhat differs, with the first case of each\n" + differences;
  if (!same.rows.empty()) out += "\nWhat agrees\n" + table_text(same, terminal, kTableIndent);
  return out;
}

// Cases that did not run as they should.
std::string failures_text(const RunRecord& run, const Terminal& terminal) {
  std::string out;
  for (const CaseRecord& record : run.cases) {
    if (record.status == CaseStatus::kOk) continue;
    const std::string text = case_title(record) + ": " + safe_line(reading::trouble_of(record));
    out += paragraph(text, terminal.width, 2, 4);
  }
  return out.empty() ? out : "\nCases that are not ok\n" + out;
}

}  // namespace

std::string compare_text(const RunRecord& run, const CompareFilter& filter,
                         const Terminal& terminal) {
  const Columns columns = columns_of(run);
  std::string out = toned(run_title(run), Tone::kStrong, terminal) + "\n";
  out += unlike_ncu_text(run);
  if (filter.overview) {
    out += failures_text(run, terminal) + overview(run, terminal);
  } else {
    for (const CaseRecord& record : run.cases) {
      std::vector<reading::MetricView> views = reading::metric_views(record);
      views.erase(
          std::remove_if(views.begin(), views.end(),
                         [&](const reading::MetricView& view) { return !shown(view, filter); }),
          views.end());
      const bool failed = record.status != CaseStatus::kOk && filter.verdicts.empty();
      if (views.empty() && !failed) continue;
      out += case_text(record, views, columns, filter.lead, terminal);
    }
  }
  const reading::VerdictCounts counts = reading::read(run).verdicts;
  if (columns.judged) {
    out += fmt::format("\n{} cases, {} comparisons: {} agree, {} explained, {} disagree.\n",
                       run.cases.size(), counts.compared(), counts.agrees, counts.explained,
                       counts.disagrees);
  }
  if (filter.overview) {
    out += "Every number: --all, or of some cases --variant, --metrics, --verdict.\n";
  }
  return out + interrupted_text(run, terminal);
}

std::string two_runs_text(const RunRecord& first, const RunRecord& second,
                          const CompareFilter& filter, const Terminal& terminal) {
  std::string out = fmt::format("A: {}\nB: {}\n", run_title(first), run_title(second));
  out += unlike_runs_text(first, second);
  std::size_t both = 0;
  for (const CaseRecord& record : first.cases) {
    const CaseRecord* other = reading::counterpart(second, record);
    if (other == nullptr) continue;
    ++both;
    Table table{{{"metric"},
                 {"A", Align::kRight},
                 {"B", Align::kRight},
                 {"B/A", Align::kRight},
                 {"source"}}};
    for (const reading::MetricView& view : reading::metric_views(record)) {
      const auto one = reading::difference_in({&record, other}, view.key);
      if (!one || !shown(view, filter)) continue;
      const bool same = one->before.value == one->after.value;
      table.rows.push_back({{safe_line(view.key)},
                            {grouped_text(one->before.value)},
                            {grouped_text(one->after.value)},
                            {ratio_text(*one), same ? Tone::kDim : Tone::kStrong},
                            {one->before.measured ? "measured" : "model", Tone::kDim}});
    }
    if (table.rows.empty()) continue;
    out += fmt::format("\n{}\n{}", toned(case_title(record), Tone::kStrong, terminal),
                       table_text(table, terminal, 2));
  }
  if (both == 0) return out + "\nThe two runs have no case in common.\n";
  return out + fmt::format("\n{} cases in both; {} in A alone, {} in B alone.\n", both,
                           first.cases.size() - both, second.cases.size() - both);
}

}  // namespace lab::cli
