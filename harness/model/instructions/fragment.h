// Which element of a matrix each lane's registers hold: PTX ISA, "Matrix Fragments for
// mma.m16n8k16" and the other shapes, which one rule covers. Lane = 4 * group + member. Elements of
// a register are neighbours along k (A, B) or along a row (C, D).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/model/code/decoded.h"
#include "harness/model/execute/warp.h"

namespace lab::model {

/// An element's place in its matrix.
struct Place {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
};

/// How a matrix lies in the lanes' registers.
struct Fragment {
  char part = 'd';  ///< a: m x k, b: k x n, c and d: m x n
  ptx::MatrixShape shape;
  std::uint32_t element_bits = 16;
  std::uint32_t register_bits = 32;

  [[nodiscard]] std::uint32_t rows() const { return part == 'b' ? shape.k : shape.m; }
  [[nodiscard]] std::uint32_t columns() const { return part == 'a' ? shape.k : shape.n; }
  /// Elements that a lane has.
  [[nodiscard]] std::uint32_t elements() const { return rows() * columns() / kLanes; }
  [[nodiscard]] std::uint32_t per_register() const { return register_bits / element_bits; }

  /// Element `index` of `lane`, in the order of its registers.
  [[nodiscard]] Place place(unsigned lane, std::uint32_t index) const {
    const std::uint32_t group = lane / 4;
    const std::uint32_t member = lane % 4;
    const std::uint32_t halves = shape.m >= 16 ? 2 : 1;  // tiles of 16 rows, or of 8
    if (part == 'a') {
      const std::uint32_t in_tile = 8 * halves * shape.k / kLanes;
      const std::uint32_t tile = index / in_tile;
      const std::uint32_t reg = index % in_tile / per_register();
      return {tile * 16 + group + 8 * (reg % halves),
              (member + 4 * (reg / halves)) * per_register() + index % per_register()};
    }
    if (part == 'b') {
      const std::uint32_t in_tile = 8U * shape.k / kLanes;
      const std::uint32_t reg = index % in_tile / per_register();
      return {(member + 4 * reg) * per_register() + index % per_register(),
              index / in_tile * 8 + group};
    }
    const std::uint32_t in_tile = 2 * halves;
    const std::uint32_t tile = index / in_tile;
    const std::uint32_t tiles = shape.n / 8U;
    return {tile / tiles * 16 + group + 8 * (index % in_tile / 2),
            tile % tiles * 8 + member * 2 + index % 2};
  }
};

/// The bits of element `index` of `lane` in `registers`, and their replacement.
inline std::uint64_t element(const Warp& w, const std::vector<Slot>& registers, const Fragment& f,
                             unsigned lane, std::uint32_t index) {
  const std::uint32_t reg = index / f.per_register();
  const std::uint64_t bits = f.register_bits == 64
                                 ? std::uint64_t{w.in<std::uint64_t>(registers[reg])[lane]}
                                 : std::uint64_t{w.in<std::uint32_t>(registers[reg])[lane]};
  if (f.element_bits == f.register_bits) return bits;
  const std::uint32_t shift = index % f.per_register() * f.element_bits;
  return (bits >> shift) & ((std::uint64_t{1} << f.element_bits) - 1);
}
inline void set_element(const Warp& w, const std::vector<Slot>& registers, const Fragment& f,
                        unsigned lane, std::uint32_t index, std::uint64_t value) {
  const Slot slot = registers[index / f.per_register()];
  if (f.register_bits == 64) {
    w.out<std::uint64_t>(slot)[lane] = value;
    return;
  }
  Lane<std::uint32_t>& whole = w.out<std::uint32_t>(slot)[lane];
  if (f.element_bits == 32) {
    whole = static_cast<std::uint32_t>(value);
    return;
  }
  const std::uint32_t shift = index % f.per_register() * f.element_bits;
  const std::uint32_t mask = ((1U << f.element_bits) - 1U) << shift;
  whole = (whole & ~mask) | (static_cast<std::uint32_t>(value) << shift);
}

}  // namespace lab::model
