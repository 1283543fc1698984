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

// Columns of its group that are as dispensable go with it: a part of them says less than none.
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

// Which columns a row of one number has.
bool is_number(const page::Table& table, std::size_t column) {
  return table.columns[column].right && !page::names_rows(table, column);
}
bool stays_beside(const page::Table& table, std::size_t column) {
  return !is_number(table, column) && !table.columns[column].wraps;
}

std::string column_title(const page::Column& column) { return safe_line(page::name_of(column)); }

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

/// Columns of a table whose numbers have rows of their own.
struct Narrow {
  std::vector<std::size_t> names = {};   // before the numbers
  std::vector<std::size_t> others = {};  // behind them
  std::vector<std::string> titles = {};  // that all groups of numbers share; else `value`
  bool shared = false;
};

Narrow narrow_columns(const page::Table& from) {
  constexpr std::size_t kMostTitles = 4;
  Narrow narrow;
  std::size_t numbers = 0;
  narrow.shared = true;
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    const page::Column& column = from.columns[i];
    if (page::names_rows(from, i)) {
      narrow.names.push_back(i);
    } else if (is_number(from, i)) {
      ++numbers;
      auto& titles = narrow.titles;
      const bool known = std::find(titles.begin(), titles.end(), column.title) != titles.end();
      if (!known) titles.push_back(column.title);
      narrow.shared = narrow.shared && !column.group.empty();
    } else if (stays_beside(from, i)) {
      narrow.others.push_back(i);
    }
  }
  narrow.shared = narrow.shared && narrow.titles.size() <= kMostTitles &&
                  narrow.titles.size() < numbers && narrow.titles.size() > 1;
  if (!narrow.shared) narrow.titles = {"value"};
  return narrow;
}

/// A line of numbers, by the titles, and what they are of.
struct NarrowLine {
  std::string of;
  std::vector<Cell> numbers;
};

std::vector<NarrowLine> lines_of_row(const page::Table& from, const page::Row& row,
                                     const Narrow& narrow) {
  std::vector<NarrowLine> lines;
  std::size_t last = 0;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const page::Column& column = from.columns[i];
    const bool none = std::holds_alternative<std::monostate>(row.cells[i].is);
    if (!is_number(from, i) || none) continue;
    if (!narrow.shared) {
      lines.push_back({column_title(column), {cell_of(row.cells[i])}});
      continue;
    }
    if (lines.empty() || from.columns[last].group != column.group) {
      lines.push_back({safe_line(column.group), {narrow.titles.size(), {"-", Tone::kDim}}});
    }
    last = i;
    const auto at = std::find(narrow.titles.begin(), narrow.titles.end(), column.title);
    lines.back().numbers[static_cast<std::size_t>(at - narrow.titles.begin())] =
        cell_of(row.cells[i]);
  }
  if (lines.empty()) lines.push_back({"none", {narrow.titles.size(), {"-", Tone::kDim}}});
  return lines;
}

// A row for each number, or for those of one group, behind what names the row: where there is no
// room for all side by side.
std::string row_per_number(const page::Table& from, const Terminal& terminal, Narrow narrow) {
  Table table;
  std::string below;
  const auto add_column = [&](std::size_t i) {
    const page::Column& column = from.columns[i];
    table.columns.push_back({safe_line(column.title), column.right ? Align::kRight : Align::kLeft});
  };
  for (const std::size_t i : narrow.names) add_column(i);
  table.columns.push_back({"of"});
  for (const std::string& title : narrow.titles) {
    table.columns.push_back({safe_line(title), Align::kRight});
  }
  for (const std::size_t i : narrow.others) add_column(i);
  for (const page::Row& row : from.rows) {
    bool first = true;
    const auto once = [&](std::size_t i) { return first ? cell_of(row.cells[i]) : Cell{}; };
    for (NarrowLine& line : lines_of_row(from, row, narrow)) {
      std::vector<Cell>& cells = table.rows.emplace_back();
      for (const std::size_t i : narrow.names) cells.push_back(once(i));
      cells.push_back({std::move(line.of)});
      for (Cell& number : line.numbers) cells.push_back(std::move(number));
      for (const std::size_t i : narrow.others) cells.push_back(once(i));
      table.below.emplace_back();
      first = false;
    }
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (!page::names_rows(from, i)) below += wrapped_cell(from, row, i, terminal);
    }
    table.below.back() = below_row(row, terminal);
  }
  if (narrow.shared && !has_room_for(table, terminal)) {
    narrow.shared = false;
    narrow.titles = {"value"};
    return row_per_number(from, terminal, std::move(narrow));
  }
  return table_text(table, terminal, kTableIndent) + below;
}

// A line for each column, where those that say the same share one.
Table side_by_side(const page::Table& from) {
  Table table{{{""}}};
  table.columns.resize(1 + from.rows.size(), {"", Align::kRight});
  std::size_t first = 0;  // row of the group's first column
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    const page::Column& column = from.columns[i];
    if (column.alike) {
      table.rows[first][0].text += " and " + safe_line(column.title);
      continue;
    }
    if (i == 0 || column.group != from.columns[i - 1].group) first = table.rows.size();
    std::vector<Cell>& row = table.rows.emplace_back();
    row.push_back({column_title(column)});
    for (const page::Row& one : from.rows) row.push_back(cell_of(one.cells[i]));
  }
  return table;
}

bool has_room_for_all(const Table& table, const Terminal& terminal) {
  return natural_width(table) + kTableIndent <= terminal.width;
}

// Rows side by side, in columns of one width where there is room: powers and gaps are seen at once.
// Empty: there is no room even for what always stands.
std::string turned(page::Table less, const Terminal& terminal) {
  Table table = side_by_side(less);
  while (!has_room_for_all(table, terminal)) {
    const std::size_t out = least_wanted(less);
    if (out == less.columns.size()) return {};
    leave_out_with_group(less, out);
    table = side_by_side(less);
  }
  Table even = table;
  int widest = 0;
  for (const auto& row : table.rows) {
    for (std::size_t i = 1; i < row.size(); ++i)
      widest = std::max(widest, display_width(row[i].text));
  }
  for (std::size_t i = 1; i < even.columns.size(); ++i) even.columns[i].least = widest;
  return table_text(has_room_for_all(even, terminal) ? even : table, terminal, kTableIndent);
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
  if (has_room_for(shown, terminal)) return table_text(shown, terminal, kTableIndent);
  if (is_untitled(table)) return row_per_sentence(table, terminal);
  const std::string lines = table.may_turn ? turned(table, terminal) : std::string();
  if (!lines.empty()) return lines;
  bool numbers = false;
  for (std::size_t i = 0; i < table.columns.size(); ++i) numbers |= is_number(table, i);
  return numbers ? row_per_number(table, terminal, narrow_columns(table))
                 : table_text(shown, terminal, kTableIndent);
}

}  // namespace

std::string page_table(const page::Table& table, const Terminal& terminal) {
  page::Table less = page::whole(table);
  if (table.may_turn && table.rows.size() > 1) {
    const std::string lines = turned(less, terminal);
    if (!lines.empty()) return lines;
  }
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
