#include "tools/cli/text/page_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/page/numbers.h"

namespace lab::cli {

namespace {

/// Some of the columns, and how wide they and the labels of rows are.
struct Part {
  std::size_t first = 0;
  std::size_t last = 0;  ///< one past them
  std::size_t label = 0;
  std::size_t square = 0;
};

bool is_somebody(const page::Square& square) { return square.who >= 0; }

bool anybody_in(const page::Grid& grid, const Part& part) {
  return std::any_of(grid.rows.begin(), grid.rows.end(), [&](const page::GridRow& row) {
    return std::any_of(row.squares.begin() + static_cast<std::ptrdiff_t>(part.first),
                       row.squares.begin() + static_cast<std::ptrdiff_t>(part.last), is_somebody);
  });
}

std::size_t label_width(const page::Grid& grid) {
  std::size_t width = 0;
  for (const page::GridRow& row : grid.rows) width = std::max(width, row.label.size());
  return width > 0 ? width + 4 : std::max(grid.across.size(), grid.of.size());
}

// The mark of those who share stands in the gap between squares if rows are told as one.
std::size_t square_width(const page::Grid& grid) {
  std::size_t width = grid.columns.back().size();
  for (const page::GridRow& row : grid.rows) {
    for (const page::Square& square : row.squares) {
      const page::Square alone{square.who};
      width = std::max(width, page::text_of(grid.down.empty() ? alone : square).size());
    }
  }
  return width + 1;
}

// ECMA-48 colours of the foreground, by warp; nothing is told by colour alone.
std::string in_colour(const std::string& text, const page::Square& square,
                      const Terminal& terminal) {
  constexpr std::array kColours = {36, 33, 32, 35, 34, 31};
  constexpr int kTogether = 32;
  if (!terminal.colour || !is_somebody(square)) return text;
  const auto group = static_cast<std::size_t>(square.who / kTogether);
  return fmt::format("\x1b[{}m{}\x1b[0m", kColours[group % kColours.size()], text);
}

// The words before the squares of row `at`: its number, or who is in them.
std::string label_of(const page::Grid& grid, std::size_t at, const Part& part,
                     const Terminal& terminal) {
  if (grid.down.empty()) return fmt::format("{:<{}}", at == 0 ? grid.of : "", part.label);
  return toned(fmt::format("{:>{}} ", grid.rows[at].label, part.label - 1), Tone::kDim, terminal);
}

std::string squares_text(const page::Grid& grid, const page::GridRow& row, const Part& part,
                         const Terminal& terminal) {
  std::string out;
  for (std::size_t i = part.first; i < part.last; ++i) {
    const std::string square = fmt::format("{:>{}}", page::text_of(row.squares[i]), part.square);
    out += grid.down.empty() ? square : in_colour(square, row.squares[i], terminal);
  }
  return out;
}

// Squares without names are marks; who is there stands behind them.
std::string marks_text(const page::Grid& grid, const page::GridRow& row, const Terminal& terminal) {
  std::string marks;
  for (const page::Square& square : row.squares) marks += is_somebody(square) ? '#' : '.';
  return fmt::format("    {:>10}  {}  {}", row.label, toned(marks, row.tone, terminal),
                     page::everybody_in(row, grid));
}

std::string row_text(const page::Grid& grid, std::size_t at, const Part& part,
                     const Terminal& terminal) {
  const page::GridRow& row = grid.rows[at];
  if (grid.columns.empty()) return marks_text(grid, row, terminal);
  return toned(label_of(grid, at, part, terminal) + squares_text(grid, row, part, terminal),
               row.tone, terminal);
}

bool look_alike(const page::GridRow& one, const page::GridRow& other, const Part& part) {
  for (std::size_t i = part.first; i < part.last; ++i) {
    if (is_somebody(one.squares[i]) != is_somebody(other.squares[i])) return false;
  }
  return one.all.size() == other.all.size();
}

std::string gap_text(const Part& part, const Terminal& terminal) {
  return toned(fmt::format("{:>{}}", "...", part.label - 1), Tone::kDim, terminal) + "\n";
}

std::string rows_text(const page::Grid& grid, const Part& part, const Terminal& terminal) {
  constexpr std::size_t kMost = 4;
  std::string out;
  for (std::size_t i = 0; i < grid.rows.size();) {
    std::size_t end = i + 1;
    while (grid.down.empty() && end < grid.rows.size() &&
           look_alike(grid.rows[i], grid.rows[end], part)) {
      ++end;
    }
    const bool folds = end - i > kMost;
    for (std::size_t at = i; at < end; ++at) {
      if (grid.rows[at].gap) out += gap_text(part, terminal);
      if (!folds || at < i + 2 || at + 1 == end) {
        out += row_text(grid, at, part, terminal) + "\n";
      } else if (at == i + 2) {
        const std::string more = fmt::format("    ... {} more like these", end - i - 3);
        out += toned(more, Tone::kDim, terminal) + "\n";
      }
    }
    i = end;
  }
  return out;
}

std::string part_text(const page::Grid& grid, const Part& part, const Terminal& terminal) {
  if (!anybody_in(grid, part)) {
    return fmt::format("{}s {} to {}: none\n", grid.across, grid.columns[part.first],
                       grid.columns[part.last - 1]);
  }
  std::string head = fmt::format("{:<{}}", grid.down.empty() ? grid.across : grid.down, part.label);
  for (std::size_t i = part.first; i < part.last; ++i) {
    head += fmt::format("{:>{}}", grid.columns[i], part.square);
  }
  return toned(head, Tone::kDim, terminal) + "\n" + rows_text(grid, part, terminal);
}

page::Grid made_safe(page::Grid grid) {
  for (std::string* text : {&grid.of, &grid.across, &grid.down}) *text = safe_line(*text);
  for (std::string& column : grid.columns) column = safe_line(column);
  for (page::GridRow& row : grid.rows) row.label = safe_line(row.label);
  return grid;
}

}  // namespace

std::string page_grid(const page::Grid& raw, const Terminal& terminal) {
  const page::Grid grid = made_safe(raw);
  if (grid.rows.empty()) return {};
  const std::size_t count = grid.rows.front().squares.size();
  if (grid.columns.empty()) return rows_text(grid, {0, count, 0, 0}, terminal);
  Part part{0, 0, label_width(grid), square_width(grid)};
  const auto width = static_cast<std::size_t>(terminal.width);
  const std::size_t fit = width > part.label ? (width - part.label) / part.square : 0;
  const std::size_t step = std::max(fit / grid.together, std::size_t{1}) * grid.together;
  std::string out;
  for (; part.first < count; part.first = part.last) {
    part.last = std::min(part.first + step, count);
    out += part_text(grid, part, terminal);
  }
  return out;
}

}  // namespace lab::cli
