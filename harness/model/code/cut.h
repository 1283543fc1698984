// Into which accesses the machine code cuts a wmma.load or wmma.store. The PTX ISA leaves open
// which lane holds which element; the instructions that multiply do not ("Matrix Fragments for
// mma.m16n8k16"): lane = 4 * group + member holds neighbours of row `group` from element `member`
// on. What these neighbours are in memory follows from the width of the machine code's accesses.
#pragma once

#include <cstdint>

namespace lab::model {

/// A row here is what lies together in memory: of a matrix by columns, a column.
struct Cut {
  enum class Kind : std::uint8_t {
    kSingles,  ///< not known: the elements one by one, and none of it is counted
    kTiles,    ///< 8 rows of 4 * run elements; each lane moves `run` neighbours. Of 2-byte elements
               ///< in the other order, too, which MOVM transposes
    kApart,  ///< a lane's neighbours lie in `step` rows: one element at a time, 8 of each of 4 rows
    kRows,   ///< LDSM: a row of `run` elements, 16 bytes, for each of 8 * matrices lanes
  };
  Kind kind = Kind::kSingles;
  std::uint8_t run = 1;       ///< neighbours that a lane moves at once
  std::uint8_t step = 1;      ///< of kApart
  std::uint8_t matrices = 0;  ///< of kRows
  std::uint8_t accesses = 0;

  struct At {
    std::uint32_t row = 0;
    std::uint32_t along = 0;
  };
  /// Where `lane` begins in access `t` of a matrix whose rows have `length` elements.
  [[nodiscard, gnu::always_inline]] constexpr At at(std::uint32_t t, std::uint32_t lane,
                                                    std::uint32_t length) const {
    const std::uint32_t group = lane / 4;
    const std::uint32_t member = lane % 4;
    if (kind == Kind::kTiles) {
      const std::uint32_t tiles = length / (4U * run);
      return {t / tiles * 8 + group, (t % tiles * 4 + member) * run};
    }
    if (kind == Kind::kApart) {
      const std::uint32_t tiles = length / 8;
      const std::uint32_t tile = t / step;
      return {(tile / tiles * 4 + member) * step + t % step, tile % tiles * 8 + group};
    }
    const std::uint32_t tiles = length / run;
    const std::uint32_t tile = t * matrices + lane / 8;
    return {tile / tiles * 8 + lane % 8, tile % tiles * run};
  }
};

}  // namespace lab::model
