#include "tools/cli/text/rows_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "harness/reading/metric_view.h"
#include "harness/reading/times.h"
#include "tools/cli/text/cells.h"

namespace lab::cli {

namespace {

using reading::Cases;
using reading::Detail;
using reading::MetricFigures;
using reading::Shown;

// The columns before the numbers.
Table labels_of_points(const Section& section) {
  Table table;
  for (const std::string& name : section.varying) table.columns.push_back({name, Align::kRight});
  for (const CaseRecord* record : section.cases) {
    table.rows.emplace_back();
    for (const std::string& name : section.varying) {
      table.rows.back().push_back(param_cell(*record, name));
    }
  }
  return table;
}

// Parameters that tell the case from the first one of the ladder, and from others of its variant.
std::string differing(const CaseRecord& record, const Section& section, const CaseRecord& first) {
  std::vector<std::string> names;
  for (const auto& [name, value] : record.params.all()) {
    const auto& base = first.params.all();
    const auto found = base.find(name);
    const auto& varying = section.varying;
    const bool varies = std::find(varying.begin(), varying.end(), name) != varying.end();
    if (found == base.end() ? varies : !(found->second == value)) names.push_back(name);
  }
  return values_of(record, names);
}

Table labels_of_variants(const std::vector<Section>& sections, const CaseRecord& first) {
  Table table{{{"variant"}, {"with", Align::kLeft, true}}};
  bool any = false;
  for (const Section& section : sections) {
    std::string name = safe_line(section.variant);
    for (const CaseRecord* record : section.cases) {
      const std::string with = differing(*record, section, first);
      any = any || !with.empty();
      table.rows.push_back({{std::exchange(name, "")}, {with, Tone::kDim}});
    }
  }
  if (any) return table;
  table.columns.pop_back();
  for (auto& row : table.rows) row.pop_back();
  return table;
}

void add_column(Table& table, const Column& column, const std::vector<Cell>& cells) {
  table.columns.push_back(column);
  for (std::size_t i = 0; i < cells.size(); ++i) table.rows[i].push_back(cells[i]);
}

void add_metric(Table& table, const MetricFigures& figures) {
  const Heading heading = heading_of(title_of(figures.metric));
  for (const reading::FigureLine& line : figures.lines) {
    const std::vector<Cell> cells = cells_of(figures, line);
    if (figures.folded) {
      add_column(table, {heading.own, Align::kRight, false, heading.above}, cells);
    } else {
      add_column(table,
                 {std::string(line.of.front()), Align::kRight, false, title_of(figures.metric)},
                 cells);
    }
  }
}

void add_numbers(Table& table, const std::vector<reading::NumberLine>& lines,
                 const std::string& group) {
  for (const reading::NumberLine& line : lines) {
    std::vector<Cell> cells;
    for (const auto& value : line.values) cells.push_back(brief_cell(value, line.unit));
    add_column(table, {line.name, Align::kRight, false, group}, cells);
  }
}

// Columns that do not fit are left out: bandwidth follows from the time, and the bound is theory's.
enum class Times : std::uint8_t { kAll, kNoPeak, kNoBandwidth, kMeasured };

void add_times(Table& table, const Cases& cases, const Shown& shown, Times which) {
  reading::Times times = reading::times_of(cases);
  if (times.lines.empty()) return;
  if (which == Times::kMeasured) times.lines.erase(times.lines.begin(), times.lines.end() - 1);
  add_numbers(table, times.lines, times.title);
  if (which > Times::kNoPeak) return;
  std::vector<reading::NumberLine> rates = reading::rate_lines(cases, shown);
  if (which == Times::kNoPeak && rates.size() > 1) rates.pop_back();
  add_numbers(table, rates, "");
}

void add_verdicts(Table& table, const Cases& cases, const Shown& shown) {
  // Why a case was skipped, or what explains a difference, is said below the table.
  const auto plain = [&](const CaseRecord* record) {
    return reading::all_plain({record}, shown) || record->status == CaseStatus::kSkipped;
  };
  if (!shown.side_by_side() && std::all_of(cases.begin(), cases.end(), plain)) return;
  std::vector<Cell> cells;
  for (const CaseRecord* record : cases) cells.push_back(outcome_cell(*record));
  add_column(table, {"verdict"}, cells);
}

// A metric's own verdict; for a failed case its status.
Cell metric_cell(const CaseRecord& record, const std::string& metric) {
  if (record.status != CaseStatus::kOk) return outcome_cell(record);
  const reading::MetricView view = reading::view_of(record, metric);
  if (view.verdict == nullptr) return {"-", Tone::kDim};
  const VerdictKind kind = view.verdict->kind;
  const bool bad = kind == VerdictKind::kDisagrees;
  return {std::string(name_of(kind)), bad ? Tone::kBad : Tone::kPlain};
}

std::vector<std::string_view> sources_of(const std::vector<MetricFigures>& all) {
  std::vector<std::string_view> sources;
  for (const MetricFigures& figures : all) {
    for (const reading::FigureLine& line : figures.lines) {
      const std::string_view source = line.of.front();
      const bool known = std::find(sources.begin(), sources.end(), source) != sources.end();
      if (!known) sources.push_back(source);
    }
  }
  return sources;
}

Cell cell_of(const MetricFigures& figures, std::string_view source, std::size_t index) {
  for (const reading::FigureLine& line : figures.lines) {
    if (line.of.front() == source) return interval_cell(line.values[index]);
  }
  return number_cell({});
}

// A row for each case and metric: for terminals too narrow for the other table.
Table long_table(const Table& labels, const Cases& cases, const Shown& shown) {
  Shown both = shown;
  both.detail = std::max(shown.detail, Detail::kEverySource);
  const std::vector<MetricFigures> all = reading::all_figures(cases, both);
  const std::vector<std::string_view> sources = sources_of(all);
  Table table{labels.columns};
  table.columns.push_back({"metric"});
  for (const std::string_view source : sources) {
    table.columns.push_back({std::string(source), Align::kRight});
  }
  table.columns.push_back({"verdict"});
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::vector<Cell> row = labels.rows[i];
    for (const MetricFigures& figures : all) {
      row.push_back({title_of(figures.metric)});
      for (const std::string_view source : sources) row.push_back(cell_of(figures, source, i));
      row.push_back(metric_cell(*cases[i], figures.metric));
      table.rows.push_back(std::move(row));
      row.assign(labels.columns.size(), Cell{});
    }
  }
  return table;
}

std::vector<std::string> names_of(const std::vector<MetricFigures>& metrics) {
  std::vector<std::string> names;
  for (const MetricFigures& figures : metrics) names.push_back(figures.metric);
  return names;
}

// In brief, what everybody agrees on is the first to go where the terminal is too narrow: the last
// such metric, never the first of all. Then what was measured speaks for a prediction that it fits.
bool leave_one_out(std::vector<MetricFigures>& metrics, const Cases& cases, const Shown& shown) {
  if (shown.side_by_side()) return false;
  for (std::size_t i = metrics.size(); i-- > 1;) {
    if (metrics[i].lines.size() > 1) continue;
    metrics.erase(metrics.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  if (!reading::all_plain(cases, shown)) return false;
  for (MetricFigures& figures : metrics) {
    if (figures.lines.size() < 2) continue;
    figures.lines.erase(figures.lines.begin(), figures.lines.end() - 1);
    return true;
  }
  return false;
}

}  // namespace

std::string shared_params(const std::vector<Section>& sections) {
  const Section& first = sections.front();
  if (sections.size() == 1) return values_of(*first.cases.front(), first.fixed);
  std::vector<std::string> names;
  for (const auto& [name, value] : first.cases.front()->params.all()) names.push_back(name);
  return values_of(*first.cases.front(), names);
}

RowsText rows_text(const std::vector<Section>& sections, const Shown& shown,
                   const Terminal& terminal) {
  const std::vector<Section> ordered = reading::fastest_first(sections);
  const Cases cases = reading::cases_of(ordered);
  const Table labels = ordered.size() == 1
                           ? labels_of_points(ordered.front())
                           : labels_of_variants(ordered, *sections.front().cases.front());
  const auto table_with = [&](const std::vector<MetricFigures>& metrics, Times times) {
    Table table = labels;
    for (const MetricFigures& figures : metrics) add_metric(table, figures);
    add_times(table, cases, shown, times);
    add_verdicts(table, cases, shown);
    return table;
  };
  // Of one variant's points what changes with them; a ladder's variants are compared by all.
  std::vector<MetricFigures> metrics = reading::all_figures(cases, shown);
  if (ordered.size() == 1 && reading::all_plain(cases, shown)) {
    metrics = reading::worth_showing(std::move(metrics), shown);
  }
  do {
    for (const Times times : {Times::kAll, Times::kNoPeak, Times::kNoBandwidth, Times::kMeasured}) {
      const Table table = table_with(metrics, times);
      if (table.columns.empty()) return {};  // one case of which nothing is known but that it ran
      if (least_width(table) + kTableIndent > terminal.width) continue;
      return {table_text(table, terminal, kTableIndent), names_of(metrics)};
    }
  } while (leave_one_out(metrics, cases, shown));
  return {table_text(long_table(labels, cases, shown), terminal, kTableIndent), shown.metrics};
}

std::string slowest_text(const std::vector<Section>& sections, const std::string& lab) {
  const auto slowest = reading::slowest_of(sections);
  if (!slowest) return {};
  const std::string name = safe_line(slowest->section->variant);
  return fmt::format(
      "\nSlowest for what it moves: {}, {} of {} GB/s.\n  lab explain {} --variant {}\n", name,
      brief_text(slowest->rate), brief_text(slowest->most), lab, name);
}

}  // namespace lab::cli
