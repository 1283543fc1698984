#include "harness/model/layout/layout.h"

#include <fmt/format.h>

#include <array>

namespace lab::layout {

namespace {

constexpr std::uint64_t kTileRows = 32;

std::uint64_t tiles(const Layout& layout) { return (layout.rows + kTileRows - 1) / kTileRows; }

// `r`, `r / 2 % 4`, `r % 8 * 4`: the bits of the row that a permutation takes, where they go.
std::string bits_text(const Layout& layout, const std::string& row) {
  std::string text = row;
  if (layout.skip > 0) text += fmt::format(" / {}", 1U << layout.skip);
  if (layout.rows > std::uint64_t{1} << (layout.bits + layout.skip)) {
    text += fmt::format(" % {}", 1U << layout.bits);
  }
  if (layout.unit > 0) text += fmt::format(" * {}", 1U << layout.unit);
  return text;
}

std::string times(std::uint64_t factor, const std::string& text) {
  return factor == 1 ? text : fmt::format("{} * {}", factor, text);
}

}  // namespace

std::string_view name_of(Family family) {
  constexpr std::array<std::string_view, 7> kNames = {"as_is",      "padded", "permuted", "rotated",
                                                      "transposed", "tiled",  "shifted"};
  return kNames[static_cast<std::size_t>(family)];
}

std::uint64_t Layout::place(std::uint64_t index) const {
  const std::uint64_t row = index / columns;
  const std::uint64_t column = index % columns;
  switch (family) {
    case Family::kPadded:
      return row * (columns + pad) + column;
    case Family::kPermuted:
      return row * columns + (column ^ ((row >> skip & ((1U << bits) - 1U)) << unit));
    case Family::kRotated:
      return row * columns + (column + step * row) % columns;
    case Family::kTransposed:
      return column * (rows + pad) + row;
    case Family::kTiled:
      return (row / kTileRows * columns + column) * kTileRows + row % kTileRows;
    case Family::kShifted:
      return index + pad;
    default:
      return index;
  }
}

std::uint64_t Layout::elements() const {
  switch (family) {
    case Family::kPadded:
      return rows * (columns + pad);
    case Family::kTransposed:
      return columns * (rows + pad);
    case Family::kTiled:
      return tiles(*this) * kTileRows * columns;
    case Family::kShifted:
      return rows * columns + pad;
    default:
      return rows * columns;
  }
}

std::string written(const Layout& layout, std::string_view name) {
  switch (layout.family) {
    case Family::kPadded:
      return fmt::format("{}[{}][{}]", name, layout.rows, layout.columns + layout.pad);
    case Family::kPermuted:
      return fmt::format("{}[r][c ^ {}]", name, bits_text(layout, "r"));
    case Family::kRotated:
      return fmt::format("{}[r][(c + {}) % {}]", name, times(layout.step, "r"), layout.columns);
    case Family::kTransposed:
      return fmt::format("{}[c][r] of [{}][{}]", name, layout.columns, layout.rows + layout.pad);
    case Family::kTiled:
      return fmt::format("{}[r / 32][c][r % 32]", name);
    case Family::kShifted:
      return fmt::format("{}, begun {} element{} later", name, layout.pad,
                         layout.pad == 1 ? "" : "s");
    default:
      return fmt::format("{}[{}][{}]", name, layout.rows, layout.columns);
  }
}

std::string written_flat(const Layout& layout, std::string_view name) {
  const std::string row =
      layout.columns == 1 ? std::string("i") : fmt::format("i / {}", layout.columns);
  const std::string column = fmt::format("i % {}", layout.columns);
  switch (layout.family) {
    case Family::kPadded:
      return fmt::format("{}[i + {}]", name,
                         layout.pad == 1 ? row : row + fmt::format(" * {}", layout.pad));
    case Family::kPermuted:
      return fmt::format("{}[i ^ {}]", name, bits_text(layout, row));
    case Family::kRotated:
      return fmt::format("{}[{} * {} + ({} + {}) % {}]", name, row, layout.columns, column,
                         times(layout.step, layout.step == 1 ? row : "(" + row + ")"),
                         layout.columns);
    case Family::kTransposed:
      return fmt::format("{}[{} * {} + {}]", name, column, layout.rows + layout.pad, row);
    case Family::kTiled:
      return fmt::format("{}[(i / {} * {} + {}) * 32 + {} % 32]", name, 32 * layout.columns,
                         layout.columns, column, row);
    case Family::kShifted:
      return fmt::format("{}[i + {}]", name, layout.pad);
    default:
      return fmt::format("{}[i]", name);
  }
}

}  // namespace lab::layout
