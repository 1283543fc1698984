#include "tools/cli/commands/map_layout.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

#include "harness/core/buffer.h"
#include "harness/core/error.h"
#include "harness/model/layout/shapes.h"
#include "harness/model/layout/swizzle.h"
#include "harness/page/make.h"
#include "tools/cli/commands/print_page.h"

namespace lab::cli {
namespace {

using layout::Swizzle;
using layout::Tile;

std::optional<std::uint64_t> side_of(std::string_view text) {
  constexpr std::uint64_t kMost = 65536;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number > 0 && number <= kMost ? std::optional(number) : std::nullopt;
}

// Of 64x64:f16.
Tile tile_of(const std::string& text) {
  const std::size_t by = text.find('x');
  const std::size_t colon = text.find(':');
  const auto fail = [&] {
    return input_error(fmt::format("'{}' is not a tile", text),
                       "a tile has rows, columns and a type: 64x64:f16");
  };
  if (by == text.npos || colon == text.npos || colon < by) throw fail();
  const auto rows = side_of(std::string_view(text).substr(0, by));
  const auto columns = side_of(std::string_view(text).substr(by + 1, colon - by - 1));
  if (!rows || !columns) throw fail();
  Tile tile;
  tile.rows = *rows;
  tile.columns = *columns;
  tile.element = static_cast<std::uint32_t>(size_of(element_type(text.substr(colon + 1))));
  if (tile.rows * tile.columns * tile.element > 227 * 1024) throw fail();
  return tile;
}

// Parts of 16 bytes: in each place the number of the part of its row that lies there.
page::Grid picture_of(const Tile& tile, const Swizzle& swizzle) {
  constexpr std::uint64_t kPart = 16;
  constexpr std::uint64_t kRows = 16;
  const std::uint64_t row_bytes = tile.columns * tile.element;
  const std::uint64_t parts = row_bytes / kPart;
  page::Grid grid{"parts of 16 bytes of the first rows, where they lie", "part", "place"};
  grid.down = "row";
  for (std::uint64_t i = 0; i < parts; ++i) grid.columns.push_back(std::to_string(i));
  for (std::uint64_t row = 0; row < std::min(tile.rows, kRows); ++row) {
    page::GridRow& drawn = grid.rows.emplace_back();
    drawn.label = std::to_string(row);
    drawn.squares.resize(parts);
    for (std::uint64_t i = 0; i < parts; ++i) {
      const std::uint64_t at = swizzle.place(row * row_bytes + i * kPart) / kPart;
      if (at / parts != row) continue;  // in another row
      drawn.squares[at % parts] = {static_cast<int>(i), false};
    }
  }
  return grid;
}

page::Cell cost_cell(std::optional<std::uint64_t> cost, page::Tone tone) {
  if (!cost) return {{}, page::Tone::kPlain, "taken apart"};
  page::Cell cell = page::number_cell(static_cast<double>(*cost));
  cell.tone = tone;
  return cell;
}

page::Table costs_of(const Tile& tile, const Swizzle& swizzle) {
  page::Table table{
      {{"a warp takes", false}, {"as it is", true}, {"swizzled", true}, {"at least", true}}};
  constexpr std::pair<const char*, const char*> kAccesses[] = {
      {"column", "a column, an element per lane"},
      {"row", "a row, an element per lane"},
      {"row:16", "a row, 16 bytes per lane"},
      {"matrix", "ldmatrix.x4"}};
  for (const auto& [shape, words] : kAccesses) {
    std::vector<layout::Use> uses;
    try {
      uses = layout::uses_of(shape, tile, 0);
    } catch (const Error&) {
      continue;  // the tile is too small for it
    }
    const auto plain = layout::cost(uses, Swizzle{});
    const auto swizzled = layout::cost(uses, swizzle);
    const std::uint64_t least = layout::least(uses);
    const bool good = swizzled && *swizzled == least;
    page::Row& row = table.rows.emplace_back();
    row.cells = {{std::string(words)},
                 cost_cell(plain, page::Tone::kPlain),
                 cost_cell(swizzled, good ? page::Tone::kGood : page::Tone::kNote),
                 cost_cell(least, page::Tone::kPlain)};
  }
  return table;
}

}  // namespace

int map_layout(const Arguments& arguments, const Console& console) {
  const auto text = arguments.value("tile");
  if (!text)
    throw input_error("--layout needs a tile",
                      "lab map --layout 'Swizzle<3,4,3>' --tile 64x64:f16");
  const std::string name = *arguments.value("layout");
  const Swizzle swizzle = layout::swizzle_named(name);
  const Tile tile = tile_of(*text);
  page::Page page;
  page.blocks.push_back(
      {page::Heading{2, fmt::format("{} under {}, by byte addresses", *text, name)},
       page::Rank::kAlways});
  if (tile.columns * tile.element % 16 == 0) {
    page.blocks.push_back({picture_of(tile, swizzle)});
  }
  page.blocks.push_back({costs_of(tile, swizzle), page::Rank::kAlways, true});
  page.blocks.push_back(page::sentence("Wavefronts of warps that go through the whole tile once."));
  print_page(page, arguments, console);
  return 0;
}

}  // namespace lab::cli
