#include "tools/report/grid_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/markup.h"
#include "harness/page/numbers.h"

namespace lab::report {

namespace {

constexpr int kSquare = 26;
constexpr int kMargin = 60;         // before the first square
constexpr int kTitle = kSquare;     // its line
constexpr int kColumnNumbers = 18;  // a line of them

bool has_columns(const page::Grid& grid) { return !grid.columns.empty(); }

int height_of(const page::Grid& grid) {
  return kSquare * (static_cast<int>(grid.rows.size()) + 1) + kTitle +
         (has_columns(grid) ? kColumnNumbers : 0);
}

int width_of(const page::Grid& grid) {
  constexpr int kCharacter = 8;  // of 13 pixels in a font of one width
  const std::size_t squares = grid.rows.empty() ? 0 : grid.rows.front().squares.size();
  return std::max(kMargin + static_cast<int>(squares) * kSquare + 10,
                  20 + kCharacter * static_cast<int>(grid.title.size()));
}

// A small word around x.
std::string label(int x, int y, std::string_view word) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{}</text>\n", x,
                     y, escaped(word));
}

std::string square_svg(const page::Square& square, int x, int y) {
  // Lanes go once round the colours, light enough for black words.
  constexpr int kLanes = 32;
  const bool nobody = square.who < 0;
  const std::string fill = nobody
                               ? std::string("none")
                               : fmt::format("hsl({},70%,75%)", square.who % kLanes * 360 / kLanes);
  std::string out = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#999\"/>\n", x, y,
      kSquare, kSquare, fill);
  if (nobody) return out;
  const std::string word = page::text_of(square);
  return out +
         fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"{}\">{}</text>\n",
                     x + kSquare / 2, y + kSquare / 2 + 4, word.size() > 3 ? 9 : 11, word);
}

// With its upper edge at y.
std::string drawn(const page::Grid& grid, int y) {
  y += kTitle;
  std::string out = fmt::format("<text x=\"10\" y=\"{}\" font-size=\"13\">{}</text>\n", y - 6,
                                escaped(grid.title));
  if (has_columns(grid)) {
    y += kColumnNumbers;
    out += label(kMargin / 2, y - 5, grid.down.empty() ? grid.across : grid.down);
    for (std::size_t i = 0; i < grid.columns.size(); ++i) {
      const int x = kMargin + static_cast<int>(i) * kSquare + kSquare / 2;
      out += label(x, y - 5, grid.columns[i]);
    }
  }
  for (const page::GridRow& row : grid.rows) {
    const bool is_first = &row == &grid.rows.front();
    out += label(kMargin / 2, y + kSquare / 2 + 4,
                 row.label.empty() && is_first ? grid.of : row.label);
    int x = kMargin;
    for (const page::Square& square : row.squares) {
      out += square_svg(square, x, y);
      x += kSquare;
    }
    y += kSquare;
  }
  return out;
}

}  // namespace

std::string grid_svg(const std::vector<page::Grid>& grids) {
  int width = 0;
  int height = 0;
  std::string body;
  for (const page::Grid& grid : grids) {
    body += drawn(grid, height);
    height += height_of(grid);
    width = std::max(width, width_of(grid));
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" font-family=\"monospace\" font-size=\"11\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{3}</svg>\n",
      width, height, escaped(grids.empty() ? "" : grids.front().title), body);
}

}  // namespace lab::report
