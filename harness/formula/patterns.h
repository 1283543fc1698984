// Formulas for the sectors and lines that regular patterns of global accesses touch: the functions
// of the field, each with its closed form.
#pragma once

#include <cstdint>

#include "harness/core/expression.h"

namespace lab::language {

/// The unit that is counted: 32 bytes or 128.
enum class Unit : std::uint8_t { kSector, kLine };

/// One line of `n` elements, `stride` elements apart from element `first`, a lane each.
///
/// With G elements in a sector and `first` at place o of its own, a full warp touches
///   floor((o + 31 stride) / G) + 1 = 32 stride / G + (o >= stride)    for stride < G
/// sectors, for no sector is skipped, and 32 from there on. Every full warp begins 32 strides
/// further, which are whole sectors: all begin alike.
[[nodiscard]] Expr strided_sectors(const Expr& n, const Expr& first, const Expr& stride,
                                   const Expr& bytes);
/// Lines of 128 bytes of the same. Warps of narrow elements begin at up to four places of a line.
[[nodiscard]] Expr strided_lines(const Expr& n, const Expr& first, const Expr& stride,
                                 const Expr& bytes);

/// Warps of 32 neighbours along the rows of a matrix of `rows` x `length` elements. A row begins
/// where the one before ends: in a sector's midst, where rows are not whole sectors.
[[nodiscard]] Expr along_rows(const Expr& rows, const Expr& length, const Expr& bytes, Unit unit);
/// Warps of 32 lanes down the columns of a matrix of `height` x `width`: lanes are a row apart.
[[nodiscard]] Expr down_columns(const Expr& height, const Expr& width, const Expr& bytes,
                                Unit unit);

/// Warps that read 32 neighbours each of `count` runs, `pitch` elements apart, from element
/// `first`.
[[nodiscard]] Expr in_runs_of_32(const Expr& count, const Expr& first, const Expr& bytes,
                                 Unit unit);

/// How a warp is laid over a matrix: a width of neighbours from each of some rows.
struct Group {
  Expr rows;
  Expr width;  ///< of 4 bytes or more: a whole number of sectors
  int phases;  ///< widths after which lines of 128 bytes are cut alike again
};

/// Warps that take groups of a matrix of `rows` x `length` words of 4 bytes. Where rows are short,
/// those of a group meet in a sector.
[[nodiscard]] Expr by_groups(const Expr& rows, const Expr& length, const Group& group, Unit unit);

/// The same for warps of two rows of 16 lanes each.
[[nodiscard]] Expr by_pairs(const Expr& rows, const Expr& length, Unit unit);

}  // namespace lab::language
