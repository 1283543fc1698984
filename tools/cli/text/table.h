// A table of text for people: columns that line up whatever they hold.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

constexpr int kTableIndent = 2;  ///< of a table below its heading

enum class Align : unsigned char { kLeft, kRight };

struct Cell {
  std::string text = {};
  Tone tone = Tone::kPlain;
};

/// Neighbouring columns of one `group` share a heading above their titles.
struct Column {
  std::string title;
  Align align = Align::kLeft;
  bool wraps = false;  ///< may be broken into lines where the table is too wide
  std::string group = {};
  int least = 0;  ///< characters that it takes at least
};

/// Without a title above any column it has no heading.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows = {};
  std::vector<std::string> below = {};  ///< whole lines below a row, by the row's index; or none
};

/// Columns that the table takes when nothing is wrapped.
[[nodiscard]] int natural_width(const Table& table);

/// The same when all that may wrap is.
[[nodiscard]] int least_width(const Table& table);

/// The table as text. Where it is wider than the terminal, the columns that may wrap share what is
/// left (each at least its longest word); numbers are never cut.
[[nodiscard]] std::string table_text(const Table& table, const Terminal& terminal, int indent = 0);

}  // namespace lab::cli
