#include "tools/cli/text/sweep_table.h"

#include <algorithm>

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
    for (const CaseRecord* record : section.cases) {
      const auto found = record->params.all().find(name);
      const bool has = found != record->params.all().end();
      row.cells.push_back(has ? Cell{param_text(found->second)} : Cell{"-", Tone::kDim});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// `ways, load` where all agree; else the sources, with the title once where there are several.
std::vector<Row> metric_rows(const MetricFigures& figures) {
  if (figures.lines.size() == 1 && figures.lines.front().source.empty()) {
    return {{figures.title, figures.lines.front().cells}};
  }
  std::vector<Row> rows;
  for (const Figures& line : figures.lines) {
    rows.push_back({figures.title + ", " + line.source, line.cells});
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

bool is_sweep(const Section& section, const Shown& shown) {
  return section.cases.size() >= kFewest && !section.varying.empty() &&
         std::all_of(section.cases.begin(), section.cases.end(),
                     [&](const CaseRecord* record) { return is_plain(*record, shown); });
}

SweepText sweep_text(const Section& section, const Shown& shown, const Terminal& terminal) {
  std::vector<Row> rows = param_rows(section);
  SweepText made;
  for (const MetricFigures& figures : worth_showing(all_figures(section.cases, shown), shown)) {
    std::vector<Row> more = metric_rows(figures);
    // Loads and stores that cost the same: one line says so.
    if (!made.metrics.empty() && more.size() == 1 && same_cells(more.front(), rows.back())) {
      rows.back().label += " and " + heading_of(figures.title).own;
      continue;
    }
    std::vector<Row> longer = rows;
    for (Row& row : more) longer.push_back(std::move(row));
    if (width_of(longer) > terminal.width) {
      if (made.metrics.empty() || shown.asked || shown.side_by_side) return {};
      continue;
    }
    rows = std::move(longer);
    made.metrics.push_back(figures.metric);
  }
  if (made.metrics.empty()) return made;
  std::vector<Row> timed;
  for (Figures& times : time_figures(section.cases)) {
    timed.push_back({"time, us, " + times.source, std::move(times.cells)});
  }
  if (!timed.empty()) {
    for (Figures& rates : rate_figures(section.cases, shown)) {
      timed.push_back({std::move(rates.source), std::move(rates.cells)});
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
