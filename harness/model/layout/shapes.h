// Named patterns of access to a tile, to compare layouts before a kernel is written.
#pragma once

#include <string_view>
#include <vector>

#include "harness/model/layout/cost.h"

namespace lab::layout {

/// A tile as it is declared: `f16[64][32]`.
struct Tile {
  std::uint32_t element = 4;  ///< bytes
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
};

/// `[store:]row[:BYTES]`, `[store:]column[:BYTES]`, `[store:]matrix`: warps that go through the
/// whole tile so. BYTES per lane, one element where none are given. A row: neighbouring lanes take
/// neighbouring parts. A column: lane l takes a part of row l. A matrix: ldmatrix.x4, with lanes 0
/// to 15 at rows 0 to 15 of 16 bytes and lanes 16 to 31 beside them. Throws an input error where
/// the text is none of these, or does not fit the tile. `site` numbers the uses.
[[nodiscard]] std::vector<Use> uses_of(std::string_view text, const Tile& tile, int site);

}  // namespace lab::layout
