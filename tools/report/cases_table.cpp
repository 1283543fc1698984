#include "tools/report/cases_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/numbers.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/times.h"
#include "tools/report/html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

/// A column: its heading, and above it that of its group, as HTML; a cell for each case.
struct Column {
  std::string group = {};
  std::string heading = {};
  std::vector<std::string> cells = {};
};
using Columns = std::vector<Column>;

const std::string& none() {
  static const std::string kNone = element("td", "&ndash;", "none");
  return kNone;
}

std::string value_html(const std::string& metric, const reading::Value& value) {
  if (!value) return none();
  if (value->low == value->high) {
    // A value that is not an exact count needs no six digits.
    return element("td", is_context(metric) ? brief_text(value->low) : shown(*value));
  }
  // Two long numbers may stand one below the other.
  const auto end = [](double at) { return shown({at, at}); };
  return element("td", end(value->low) + "..<wbr>" + end(value->high), "interval");
}

void add_labels(const RowLabels& labels, Columns& columns) {
  for (std::size_t i = 0; i < labels.headings.size(); ++i) {
    Column& column = columns.emplace_back(Column{{}, labels.headings[i]});
    for (const auto& row : labels.rows) column.cells.push_back(row[i]);
  }
}

void add_numbers(const reading::NumberLine& line, const std::string& heading, Columns& columns) {
  Column& column = columns.emplace_back(Column{{}, element("th", heading, "metric")});
  for (const auto& value : line.values) {
    column.cells.push_back(value ? element("td", brief_text(*value)) : none());
  }
}

// What was measured, else what is expected, stands first; the bound last.
void add_times(const reading::Cases& cases, Columns& columns) {
  const reading::Times times = reading::times_of(cases);
  for (auto line = times.lines.rbegin(); line != times.lines.rend(); ++line) {
    const std::string title = times.measured ? line->name : times.title;
    add_numbers(*line, escaped(title) + ", &micro;s", columns);
  }
}

void add_verdicts(const reading::Cases& cases, const reading::Shown& shown, Columns& columns) {
  if (shown.detail == reading::Detail::kBrief && reading::all_plain(cases, shown)) return;
  const bool target = reading::has_target(cases);
  Column& column = columns.emplace_back();
  column.heading = element("th", target ? "against target" : "verdict", "verdict");
  for (const CaseRecord* record : cases) column.cells.push_back(outcome_html(*record));
}

void add_metric(const reading::MetricFigures& figures, Columns& columns) {
  const std::string title = escaped(reading::title_of(figures.metric));
  for (const reading::FigureLine& line : figures.lines) {
    Column& column = columns.emplace_back();
    column.group = figures.folded ? "" : title;
    column.heading = figures.folded ? element("th", title, "metric")
                                    : element("th", std::string(line.of.front()));
    for (const reading::Value& value : line.values) {
      column.cells.push_back(value_html(figures.metric, value));
    }
  }
}

// How near to a ceiling of the machine the counts that were measured came.
void add_ceilings(const reading::Cases& cases, const metrics::Machine& machine, Columns& columns) {
  Column column{{}, element("th", "percent of ceiling", "metric")};
  bool any = false;
  for (const CaseRecord* record : cases) {
    const auto bound = reading::time_against(*record, machine);
    any = any || bound;
    if (!bound) {
      column.cells.push_back(none());
      continue;
    }
    const metrics::Use& use = bound->uses.front();
    column.cells.push_back(element(
        "td",
        fmt::format("{} of {}", percent_text(bound->fraction(use)), escaped(name_of(use.resource))),
        "reached"));
  }
  if (any) columns.push_back(std::move(column));
}

// Two rows where some columns have a title above them.
std::string head_html(const Columns& columns) {
  std::string above;
  for (std::size_t i = 0; i < columns.size();) {
    std::size_t end = i + 1;
    while (end < columns.size() && columns[end].group == columns[i].group) ++end;
    above += columns[i].group.empty() ? fmt::format("<td colspan=\"{}\"></td>", end - i)
                                      : fmt::format("<th colspan=\"{}\" class=\"metric\">{}</th>",
                                                    end - i, columns[i].group);
    i = end;
  }
  std::string own;
  for (const Column& column : columns) own += column.heading;
  const bool grouped = std::any_of(columns.begin(), columns.end(),
                                   [](const Column& column) { return !column.group.empty(); });
  return (grouped ? element("tr", above) : std::string()) + element("tr", own);
}

}  // namespace

std::string cases_table(const RowLabels& labels, const reading::Cases& cases,
                        const reading::Shown& shown, const metrics::Machine& machine) {
  Columns columns;
  add_verdicts(cases, shown, columns);
  add_labels(labels, columns);
  add_times(cases, columns);
  for (const reading::MetricFigures& figures : reading::all_figures(cases, shown)) {
    add_metric(figures, columns);
  }
  for (const reading::NumberLine& line : reading::rate_lines(cases, shown)) {
    add_numbers(line, escaped(line.name) + (line.unit == "%" ? ", %" : ""), columns);
  }
  add_ceilings(cases, machine, columns);
  std::string rows;
  for (std::size_t at = 0; at < cases.size(); ++at) {
    std::string cells;
    for (const Column& column : columns) cells += column.cells[at];
    rows += element("tr", cells) + "\n";
  }
  return wide_table(head_html(columns), rows);
}

}  // namespace lab::report
