// Where the elements of an array lie: as they are written, or moved so that a warp's lanes find
// them in other banks or fewer sectors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lab::layout {

/// How element `column` of row `row` moves.
enum class Family : std::uint8_t {
  kAsIs,
  kPadded,      ///< rows are `pad` elements further apart
  kPermuted,    ///< the column is xor-ed with bits of the row
  kRotated,     ///< the column goes round by `step` for each row
  kTransposed,  ///< columns become rows, `pad` elements apart
  kTiled,       ///< 32 rows at a time are transposed
  kShifted,     ///< the whole array begins `pad` elements later
};
[[nodiscard]] std::string_view name_of(Family family);

/// A one-to-one map of elements. Rows have `columns` elements; the last may be short.
struct Layout {
  Family family = Family::kAsIs;
  std::uint64_t columns = 1;
  std::uint64_t rows = 1;
  std::uint64_t pad = 0;
  std::uint64_t step = 0;
  // kPermuted: column ^ (row >> skip) % 2^bits << unit. 2^(bits + unit) divides `columns`.
  unsigned skip = 0;
  unsigned bits = 0;
  unsigned unit = 0;

  /// Where element `index` lies, in elements.
  [[nodiscard]] std::uint64_t place(std::uint64_t index) const;
  /// Elements from the first to the last, holes included.
  [[nodiscard]] std::uint64_t elements() const;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The index expression for element (r, c) of an array with rows, such as `tile[r][c ^ r % 32]`.
[[nodiscard]] std::string written(const Layout& layout, std::string_view name);
/// The same for element i of an array that is declared with one dimension: `s[i + i / 32]`.
[[nodiscard]] std::string written_flat(const Layout& layout, std::string_view name);

}  // namespace lab::layout
