#include "tools/cli/text/page_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/page/make.h"
#include "harness/page/numbers.h"
#include "tools/cli/text/source_line.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr int kBelow = 6;  // characters before a line below a row
constexpr int kLongestBar = 16;
constexpr std::string_view kMark = " <--";

Cell cell_of(const page::Cell& cell) {
  const bool none = std::holds_alternative<std::monostate>(cell.is);
  return {source_line(page::text_of(cell)), none ? Tone::kDim : cell.tone};
}

std::string below_row(const page::Row& row, const Terminal& terminal) {
  std::string out;
  for (const page::Words& words : row.below) {
    out += toned_paragraph(source_line(words.text), words.tone, terminal, kBelow);
  }
  return out;
}

/// How many lines a group's heading takes at most; 0: as many as its numbers leave room for.
using HeadLines = int;

// The least width at which the words take so many lines.
int width_for(const std::string& words, HeadLines lines) {
  int width = 1;
  while (wrapped(words, width).size() > static_cast<std::size_t>(lines)) ++width;
  return width;
}

// Numbers stay below each other, before their units and where one of them is marked.
std::vector<Cell> cells_of_column(const page::Table& from, std::size_t column) {
  std::vector<Cell> cells;
  int digits = 0;
  bool any_marked = false;
  for (const page::Row& row : from.rows) {
    const page::Cell& cell = row.cells[column];
    cells.push_back(cell_of(cell));
    any_marked |= cell.marked;
    const auto* number = std::get_if<page::Number>(&cell.is);
    if (number != nullptr) digits = std::max(digits, display_width(page::digits_of(*number)));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const page::Cell& cell = from.rows[i].cells[column];
    const auto* number = std::get_if<page::Number>(&cell.is);
    if (number != nullptr && !from.columns[column].right) {
      const int blanks = digits - display_width(page::digits_of(*number));
      cells[i].text.insert(0, static_cast<std::size_t>(blanks), ' ');
    }
    if (any_marked && !std::holds_alternative<std::string>(cell.is)) {
      cells[i].text += cell.marked ? std::string(kMark) : std::string(kMark.size(), ' ');
    }
  }
  return cells;
}

std::vector<Cell> bars_of(const page::Table& from, std::size_t column) {
  const auto value = [&](const page::Row& row) {
    const auto* number = std::get_if<page::Number>(&row.cells[column].is);
    return number == nullptr ? 0 : number->low;
  };
  double most = 0;
  for (const page::Row& row : from.rows) most = std::max(most, value(row));
  std::vector<Cell> cells;
  for (const page::Row& row : from.rows) {
    const double share = most > 0 ? value(row) / most : 0;
    const auto length = static_cast<std::size_t>(std::lround(share * kLongestBar));
    cells.push_back({std::string(std::max(length, std::size_t{value(row) > 0}), '#')});
  }
  return cells;
}

void add_column(Table& table, const page::Column& column, std::vector<Cell> cells,
                HeadLines lines) {
  const std::string group = safe_line(column.group);
  table.columns.push_back({safe_line(column.title), column.right ? Align::kRight : Align::kLeft,
                           column.wraps, group, lines > 0 ? width_for(group, lines) : 0});
  for (std::size_t i = 0; i < cells.size(); ++i) table.rows[i].push_back(std::move(cells[i]));
}

Table all_columns(const page::Table& from, const Terminal& terminal, bool bars, HeadLines lines) {
  Table table;
  table.rows.resize(from.rows.size());
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    add_column(table, from.columns[i], cells_of_column(from, i), lines);
    if (bars && from.columns[i].bars) add_column(table, {}, bars_of(from, i), 0);
  }
  // Above several columns there is room.
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    if (table.columns[i].group != table.columns[i - 1].group) continue;
    table.columns[i].least = table.columns[i - 1].least = 0;
  }
  for (const page::Row& row : from.rows) table.below.push_back(below_row(row, terminal));
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

// With those of its group that are as dispensable: a part of them says less than none.
void leave_out_with_group(page::Table& table, std::size_t column) {
  const page::Column gone = table.columns[column];
  const auto same = [&](const page::Column& other) {
    return !gone.group.empty() && other.group == gone.group && other.rank == gone.rank;
  };
  page::leave_out(table, column);
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    if (same(table.columns[i])) page::leave_out(table, i);
  }
}

// Which columns a row of one number has, and which stand beside it in the first of them.
bool is_number(const page::Column& column) { return column.right; }
bool is_beside(const page::Column& column) { return !column.right && !column.wraps; }

std::string column_title(const page::Column& column) {
  return safe_line(column.group.empty() ? column.title : column.group + ", " + column.title);
}

// A row's text in `column` as a line of its own, which the row's first cell begins.
std::string wrapped_cell(const page::Table& from, const page::Row& row, std::size_t column,
                         const Terminal& terminal) {
  const page::Cell& cell = row.cells[column];
  const auto* text = std::get_if<std::string>(&cell.is);
  if (row.rank >= page::Rank::kMore || !from.columns[column].wraps) return {};
  if (text == nullptr || text->empty()) return {};
  return paragraph(safe_line(page::text_of(row.cells.front())) + ": " + safe_line(*text),
                   terminal.width, kTableIndent, 2);
}

bool is_untitled(const page::Table& table) {
  return std::all_of(table.columns.begin(), table.columns.end(),
                     [](const page::Column& column) { return column.title.empty(); });
}

// The cells of a row one behind the other, broken at blanks.
std::string row_per_sentence(const page::Table& from, const Terminal& terminal) {
  std::string out;
  for (const page::Row& row : from.rows) {
    std::string line;
    for (const page::Cell& cell : row.cells) {
      const std::string text = safe_line(page::text_of(cell));
      if (!text.empty()) line += (line.empty() ? "" : " ") + text;
    }
    out += paragraph(line, terminal.width, kTableIndent, 2) + below_row(row, terminal);
  }
  return out;
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

// The column that names rows is broken last: after other columns are, and after those went that
// may.
Table with_whole_names(Table table) {
  if (!table.columns.empty()) table.columns.front().wraps = false;
  return table;
}

// Where no column may go any more.
std::string narrowest(const page::Table& table, const Terminal& terminal) {
  const Table shown = all_columns(table, terminal, false, 0);
  if (!has_room_for(shown, terminal)) {
    const bool numbers = std::any_of(table.columns.begin(), table.columns.end(),
                                     [](const page::Column& column) { return is_number(column); });
    if (is_untitled(table)) return row_per_sentence(table, terminal);
    if (numbers) return row_per_number(table, terminal);
  }
  return table_text(shown, terminal, kTableIndent);
}

}  // namespace

std::string page_table(const page::Table& table, const Terminal& terminal) {
  page::Table less = page::whole(table);
  // Headings take as few lines as there is room for.
  for (const HeadLines lines : {1, 2, 0}) {
    const Table shown = with_whole_names(all_columns(less, terminal, true, lines));
    if (has_room_for(shown, terminal)) return table_text(shown, terminal, kTableIndent);
  }
  Table shown = with_whole_names(all_columns(less, terminal, false, 0));
  if (least_wanted(less) < less.columns.size()) less = table;
  while (!has_room_for(shown, terminal)) {
    const std::size_t out = least_wanted(less);
    if (out == less.columns.size()) return narrowest(less, terminal);
    leave_out_with_group(less, out);
    shown = with_whole_names(all_columns(less, terminal, false, 0));
  }
  return table_text(shown, terminal, kTableIndent);
}

}  // namespace lab::cli
