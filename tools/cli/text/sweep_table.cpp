#include "tools/cli/text/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/reading/times.h"
#include "tools/cli/text/cells.h"

namespace lab::cli {

namespace {

constexpr std::size_t kFewest = 2;

/// A label and a cell for each case.
struct Row {
  std::string label;
  std::vector<Cell> cells = {};
};

std::vector<Row> param_rows(const Section& section) {
  std::vector<Row> rows;
  for (const std::string& name : section.varying) {
    Row row{name};
    for (const CaseRecord* record : section.cases) row.cells.push_back(param_cell(*record, name));
    rows.push_back(std::move(row));
  }
  return rows;
}

// `ways, load` where all agree; else the sources, with the title once where there are several.
std::vector<Row> metric_rows(const reading::MetricFigures& figures) {
  std::vector<Row> rows;
  for (const reading::FigureLine& line : figures.lines) {
    const std::string title = title_of(figures.metric);
    rows.push_back({figures.folded ? title : fmt::format("{}, {}", title, line.of.front()),
                    cells_of(figures, line)});
  }
  return rows;
}

std::vector<Row> number_rows(const std::string& before,
                             const std::vector<reading::NumberLine>& lines) {
  std::vector<Row> rows;
  for (const reading::NumberLine& line : lines) {
    Row row{before + line.name};
    for (const auto& value : line.values) row.cells.push_back(brief_cell(value, line.unit));
    rows.push_back(std::move(row));
  }
  return rows;
}

Table table_of(const std::vector<Row>& rows) {
  Table table{{{""}}};
  table.columns.resize(1 + rows.front().cells.size(), {"", Align::kRight});
  for (const Row& row : rows) {
    table.rows.push_back({{row.label}});
    table.rows.back().insert(table.rows.back().end(), row.cells.begin(), row.cells.end());
  }
  return table;
}

bool fits(const Table& table, const Terminal& terminal) {
  return kTableIndent + natural_width(table) <= terminal.width;
}

// Columns of one width where there is room: powers and gaps are seen at once.
std::string text_of(const std::vector<Row>& rows, const Terminal& terminal) {
  const Table table = table_of(rows);
  Table even = table;
  int widest = 0;
  for (const Row& row : rows) {
    for (const Cell& cell : row.cells) widest = std::max(widest, display_width(cell.text));
  }
  for (std::size_t i = 1; i < even.columns.size(); ++i) even.columns[i].least = widest;
  return table_text(fits(even, terminal) ? even : table, terminal, kTableIndent);
}

bool same_cells(const Row& a, const Row& b) {
  return std::equal(a.cells.begin(), a.cells.end(), b.cells.begin(), b.cells.end(),
                    [](const Cell& x, const Cell& y) { return x.text == y.text; });
}

}  // namespace

bool is_sweep(const Section& section, const reading::Shown& shown) {
  return section.cases.size() >= kFewest && !section.varying.empty() &&
         reading::all_plain(section.cases, shown);
}

SweepText sweep_text(const Section& section, const reading::Shown& shown,
                     const Terminal& terminal) {
  std::vector<Row> rows = param_rows(section);
  SweepText made;
  for (const reading::MetricFigures& figures :
       reading::worth_showing(reading::all_figures(section.cases, shown), shown)) {
    std::vector<Row> more = metric_rows(figures);
    // Loads and stores that cost the same: one line says so.
    if (!made.metrics.empty() && more.size() == 1 && same_cells(more.front(), rows.back())) {
      rows.back().label += " and " + heading_of(title_of(figures.metric)).own;
      continue;
    }
    std::vector<Row> longer = rows;
    for (Row& row : more) longer.push_back(std::move(row));
    if (!fits(table_of(longer), terminal)) {
      if (made.metrics.empty() || shown.side_by_side()) return {};
      continue;
    }
    rows = std::move(longer);
    made.metrics.push_back(figures.metric);
  }
  if (made.metrics.empty()) return made;
  const reading::Times times = reading::times_of(section.cases);
  std::vector<Row> timed = number_rows(times.title + ", ", times.lines);
  if (!timed.empty()) {
    for (Row& row : number_rows("", reading::rate_lines(section.cases, shown))) {
      timed.push_back(std::move(row));
    }
  }
  for (Row& row : timed) {
    std::vector<Row> longer = rows;
    longer.push_back(std::move(row));
    if (fits(table_of(longer), terminal)) rows = std::move(longer);
  }
  made.text = text_of(rows, terminal);
  return made;
}

}  // namespace lab::cli
