#include "tools/cli/text/rows_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "metrics/values.h"
#include "tools/cli/text/cells.h"

namespace lab::cli {

namespace {

Cases cases_of(const std::vector<Section>& sections) {
  Cases all;
  for (const Section& section : sections) {
    all.insert(all.end(), section.cases.begin(), section.cases.end());
  }
  return all;
}

// The columns before the numbers.
Table labels_of_points(const Section& section) {
  Table table;
  for (const std::string& name : section.varying) table.columns.push_back({name, Align::kRight});
  for (const CaseRecord* record : section.cases) {
    table.rows.emplace_back();
    for (const std::string& name : section.varying) {
      const auto found = record->params.all().find(name);
      const bool has = found != record->params.all().end();
      table.rows.back().push_back(has ? Cell{param_text(found->second)} : Cell{"-", Tone::kDim});
    }
  }
  return table;
}

// What tells the case from the first one of the ladder, and from others of its variant.
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

// By the time of each variant's first case, where they were timed: a ladder is climbed from one
// end.
std::vector<Section> fastest_first(std::vector<Section> sections) {
  const auto time_of = [](const Section& section) {
    const auto& timing = section.cases.front()->timing;
    return timing ? timing->median_ns : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(sections.begin(), sections.end(),
                   [&](const Section& a, const Section& b) { return time_of(a) < time_of(b); });
  return sections;
}

void add_column(Table& table, const Column& column, const std::vector<Cell>& cells) {
  table.columns.push_back(column);
  for (std::size_t i = 0; i < cells.size(); ++i) table.rows[i].push_back(cells[i]);
}

void add_metric(Table& table, const MetricFigures& figures) {
  for (const Figures& line : figures.lines) {
    const Heading heading = heading_of(figures.title);
    const bool alone = line.source.empty();
    add_column(table,
               {alone ? heading.own : line.source, Align::kRight, false,
                alone ? heading.above : figures.title},
               line.cells);
  }
}

// What does not fit is left out: bandwidth follows from the time, and the bound is theory's.
enum class Times : std::uint8_t { kAll, kNoPeak, kNoBandwidth, kMeasured };

void add_times(Table& table, const Cases& cases, const Shown& shown, Times which) {
  std::vector<Figures> figures = time_figures(cases);
  if (figures.empty()) return;
  if (which == Times::kMeasured) figures.erase(figures.begin(), figures.end() - 1);
  for (const Figures& one : figures) {
    add_column(table, {one.source, Align::kRight, false, "time, us"}, one.cells);
  }
  if (which > Times::kNoPeak) return;
  std::vector<Figures> rates = rate_figures(cases, shown);
  if (which == Times::kNoPeak && rates.size() > 1) rates.pop_back();
  for (const Figures& one : rates) add_column(table, {one.source, Align::kRight}, one.cells);
}

void add_verdicts(Table& table, const Cases& cases, const Shown& shown) {
  // Why a case was skipped, or what explains a difference, is said below the table.
  const auto plain = [&](const CaseRecord* record) {
    return is_plain(*record, shown) || record->status == CaseStatus::kSkipped;
  };
  if (!shown.side_by_side && std::all_of(cases.begin(), cases.end(), plain)) return;
  std::vector<Cell> cells;
  for (const CaseRecord* record : cases) cells.push_back(outcome_cell(*record));
  add_column(table, {"verdict"}, cells);
}

// A metric's own verdict; for a failed case its status.
Cell metric_cell(const CaseRecord& record, const std::string& metric) {
  if (record.status != CaseStatus::kOk) return outcome_cell(record);
  const std::vector<MetricView> views = metric_views(record);
  const MetricView* view = find_view(views, metric);
  if (view == nullptr || view->verdict == nullptr) return {"-", Tone::kDim};
  const VerdictKind kind = view->verdict->kind;
  const bool bad = kind == VerdictKind::kDisagrees;
  return {std::string(name_of(kind)), bad ? Tone::kBad : Tone::kPlain};
}

std::vector<std::string> sources_of(const std::vector<MetricFigures>& all) {
  std::vector<std::string> sources;
  for (const MetricFigures& figures : all) {
    for (const Figures& line : figures.lines) {
      const bool known = std::find(sources.begin(), sources.end(), line.source) != sources.end();
      if (!known) sources.push_back(line.source);
    }
  }
  return sources;
}

Cell cell_of(const MetricFigures& figures, const std::string& source, std::size_t index) {
  for (const Figures& line : figures.lines) {
    if (line.source == source) return line.cells[index];
  }
  return {"-", Tone::kDim};
}

// A row for each case and metric: for terminals too narrow for the other table.
Table long_table(const Table& labels, const Cases& cases, const Shown& shown) {
  Shown both = shown;
  both.side_by_side = true;
  const std::vector<MetricFigures> all = all_figures(cases, both);
  const std::vector<std::string> sources = sources_of(all);
  Table table{labels.columns};
  table.columns.push_back({"metric"});
  for (const std::string& source : sources) table.columns.push_back({source, Align::kRight});
  table.columns.push_back({"verdict"});
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::vector<Cell> row = labels.rows[i];
    for (const MetricFigures& figures : all) {
      row.push_back({figures.title});
      for (const std::string& source : sources) row.push_back(cell_of(figures, source, i));
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

bool all_plain(const Cases& cases, const Shown& shown) {
  return std::all_of(cases.begin(), cases.end(),
                     [&](const CaseRecord* record) { return is_plain(*record, shown); });
}

// In brief, what everybody agrees on is the first to go where the terminal is too narrow: the last
// such metric, never the first of all. Then what was measured speaks for a prediction that it fits.
bool leave_one_out(std::vector<MetricFigures>& metrics, const Cases& cases, const Shown& shown) {
  if (shown.asked || shown.side_by_side) return false;
  for (std::size_t i = metrics.size(); i-- > 1;) {
    if (metrics[i].lines.size() > 1) continue;
    metrics.erase(metrics.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  if (!all_plain(cases, shown)) return false;
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
  const std::vector<Section> ordered = fastest_first(sections);
  const Cases cases = cases_of(ordered);
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
  std::vector<MetricFigures> metrics = all_figures(cases, shown);
  if (ordered.size() == 1 && all_plain(cases, shown))
    metrics = worth_showing(std::move(metrics), shown);
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

std::string slowest_text(const std::vector<Section>& sections, int lab) {
  constexpr double kShortestNs = 5000;  // below it the launch is what is timed
  constexpr double kApart = 1.5;
  const Section* slowest = nullptr;
  double least = 0;
  double most = 0;
  for (const Section& section : sections) {
    const CaseRecord& record = *section.cases.front();
    const auto rate = metrics::measured(record, "effective_bandwidth");
    if (!rate || !record.timing || record.timing->median_ns < kShortestNs) continue;
    if (slowest == nullptr || rate->value < least) {
      slowest = &section;
      least = rate->value;
    }
    most = std::max(most, rate->value);
  }
  if (slowest == nullptr || most < kApart * least) return {};
  return fmt::format(
      "\nSlowest for what it moves: {}, {} of {} GB/s.\n  lab explain {} --variant {}\n",
      safe_line(slowest->variant), brief_text(least), brief_text(most), lab,
      safe_line(slowest->variant));
}

}  // namespace lab::cli
