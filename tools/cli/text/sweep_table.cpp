#include "tools/cli/text/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/reading/times.h"
#include "tools/cli/text/cells.h"

namespace lab::cli {

namespace {

constexpr std::size_t kFewest = 2;
constexpr int kBetween = 2;

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

int width_of(const std::vector<Row>& rows) {
  int label = 0;
  std::vector<int> columns(rows.front().cells.size());
  for (const Row& row : rows) {
    label = std::max(label, display_width(row.label));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i] = std::max(columns[i], display_width(row.cells[i].text));
    }
  }
  int width = kTableIndent + label;
  for (const int column : columns) width += kBetween + column;
  return width;
}

std::string gap(int count) { return std::string(static_cast<std::size_t>(count), ' '); }

std::string text_of(const std::vector<Row>& rows, const Terminal& terminal) {
  int label = 0;
  int column = 0;
  for (const Row& row : rows) {
    label = std::max(label, display_width(row.label));
    for (const Cell& cell : row.cells) column = std::max(column, display_width(cell.text));
  }
  // Columns of one width where there is room: powers and gaps are seen at once.
  const auto count = static_cast<int>(rows.front().cells.size());
  const bool even = kTableIndent + label + count * (kBetween + column) <= terminal.width;
  std::string out;
  for (const Row& row : rows) {
    out += gap(kTableIndent) + row.label + gap(label - display_width(row.label));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      int width = column;
      if (!even) {
        width = 0;
        for (const Row& other : rows) {
          width = std::max(width, display_width(other.cells[i].text));
        }
      }
      const Cell& cell = row.cells[i];
      out +=
          gap(kBetween + width - display_width(cell.text)) + toned(cell.text, cell.tone, terminal);
    }
    out += '\n';
  }
  return out;
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
    if (width_of(longer) > terminal.width) {
      if (made.metrics.empty() || shown.side_by_side()) return {};
      continue;
    }
    rows = std::move(longer);
    made.metrics.push_back(figures.metric);
  }
  if (made.metrics.empty()) return made;
  std::vector<Row> timed = number_rows("time, us, ", reading::time_lines(section.cases));
  if (!timed.empty()) {
    for (Row& row : number_rows("", reading::rate_lines(section.cases, shown))) {
      timed.push_back(std::move(row));
    }
  }
  for (Row& row : timed) {
    std::vector<Row> longer = rows;
    longer.push_back(std::move(row));
    if (width_of(longer) <= terminal.width) rows = std::move(longer);
  }
  made.text = text_of(rows, terminal);
  return made;
}

}  // namespace lab::cli
