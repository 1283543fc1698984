#include "tools/cli/text/page_table.h"

#include <algorithm>
#include <utility>

#include "harness/page/numbers.h"
#include "tools/cli/text/source_line.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr int kBelow = 6;  // characters before a line below a row

Cell cell_of(const page::Cell& cell) {
  const bool none = std::holds_alternative<std::monostate>(cell.is);
  return {safe_line(page::text_of(cell)), none ? Tone::kDim : cell.tone};
}

std::string below_row(const page::Row& row, const Terminal& terminal) {
  std::string out;
  for (const page::Words& words : row.below) {
    out += toned_paragraph(source_line(words.text), words.tone, terminal, kBelow);
  }
  return out;
}

Table all_columns(const page::Table& from, const Terminal& terminal) {
  Table table;
  for (const page::Column& column : from.columns) {
    table.columns.push_back({safe_line(column.title), column.right ? Align::kRight : Align::kLeft,
                             column.wraps, safe_line(column.group)});
  }
  for (const page::Row& row : from.rows) {
    table.rows.emplace_back();
    for (const page::Cell& cell : row.cells) table.rows.back().push_back(cell_of(cell));
    table.below.push_back(below_row(row, terminal));
  }
  return table;
}

bool has_room_for(const Table& table, const Terminal& terminal) {
  return least_width(table) + kTableIndent <= terminal.width;
}

// The column that goes first; the number of columns: none may go.
std::size_t least_wanted(const page::Table& table) {
  std::size_t least = table.columns.size();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].rank == page::Rank::kAlways) continue;
    if (least == table.columns.size() || table.columns[i].rank >= table.columns[least].rank) {
      least = i;
    }
  }
  return least;
}

void leave_out(page::Table& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (page::Row& row : table.rows) {
    if (column < row.cells.size()) row.cells.erase(row.cells.begin() + at);
  }
}

// Which columns a row of one number has, and which stand beside it in the first of them.
bool is_number(const page::Column& column) { return column.right; }
bool is_beside(const page::Column& column) { return !column.right && !column.wraps; }

std::string column_title(const page::Column& column) {
  return safe_line(column.group.empty() ? column.title : column.group + ", " + column.title);
}

// What a row says of `column` in a line of its own: its first cell names the row.
std::string wrapped_cell(const page::Table& from, const page::Row& row, std::size_t column,
                         const Terminal& terminal) {
  const page::Cell& cell = row.cells[column];
  const auto* text = std::get_if<std::string>(&cell.is);
  if (row.rank >= page::Rank::kMore || !from.columns[column].wraps) return {};
  if (text == nullptr || text->empty()) return {};
  return paragraph(safe_line(page::text_of(row.cells.front())) + ": " + safe_line(*text),
                   terminal.width, kTableIndent, 2);
}

// A row for each number: where there is no room for them side by side.
std::string row_per_number(const page::Table& from, const Terminal& terminal) {
  Table table{{{safe_line(from.columns.front().title)}, {"of"}, {"value", Align::kRight}}};
  std::string below;
  for (std::size_t i = 1; i < from.columns.size(); ++i) {
    if (is_beside(from.columns[i])) table.columns.push_back({safe_line(from.columns[i].title)});
  }
  for (const page::Row& row : from.rows) {
    std::vector<Cell> beside;
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      if (is_beside(from.columns[i])) beside.push_back(cell_of(row.cells[i]));
      below += wrapped_cell(from, row, i, terminal);
    }
    Cell name = cell_of(row.cells.front());
    const auto add = [&](std::string what, Cell value) {
      table.rows.push_back({std::exchange(name, {}), {std::move(what)}, std::move(value)});
      for (Cell& cell : beside) table.rows.back().push_back(std::exchange(cell, {}));
      table.below.emplace_back();
    };
    bool any = false;
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      const bool none = std::holds_alternative<std::monostate>(row.cells[i].is);
      if (!is_number(from.columns[i]) || none) continue;
      add(column_title(from.columns[i]), cell_of(row.cells[i]));
      any = true;
    }
    if (!any) add("none", {"-", Tone::kDim});
    table.below.back() = below_row(row, terminal);
  }
  return table_text(table, terminal, kTableIndent) + below;
}

}  // namespace

std::string page_table(const page::Table& table, const Terminal& terminal) {
  Table whole = all_columns(table, terminal);
  if (has_room_for(whole, terminal)) return table_text(whole, terminal, kTableIndent);
  page::Table less = table;
  for (std::size_t out = least_wanted(less); out < less.columns.size(); out = least_wanted(less)) {
    leave_out(less, out);
    whole = all_columns(less, terminal);
    if (has_room_for(whole, terminal)) return table_text(whole, terminal, kTableIndent);
  }
  const bool numbers = std::any_of(less.columns.begin(), less.columns.end(),
                                   [](const page::Column& column) { return is_number(column); });
  return numbers && !less.columns.empty() ? row_per_number(less, terminal)
                                          : table_text(whole, terminal, kTableIndent);
}

}  // namespace lab::cli
