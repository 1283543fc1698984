// Comparison and selection of one lane: PTX ISA, "Comparison and Selection Instructions".
// Operands of .ftz instructions are flushed by the caller (floating.h, flush).
#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/kernel/ptx/opcode.h"

namespace lab::model::semantics {

/// setp's and set's comparison. Ordered ones (eq .. ge) are false where an operand is NaN,
/// unordered ones (equ .. geu) are true. `ne` counts as ordered. lo, ls, hi,
/// hs are lt, le, gt, ge of unsigned T.
template <ptx::Compare kCompare, typename T>
constexpr bool compare(T a, T b) noexcept {
  using ptx::Compare;
  // The bitwise `|` keeps loops over lanes free of branches.
  const bool unordered = bool(int{a != a} | int{b != b});
  if constexpr (kCompare == Compare::kEq) return a == b;
  if constexpr (kCompare == Compare::kNe) return bool(int{a != b} & int{!unordered});
  if constexpr (kCompare == Compare::kLt || kCompare == Compare::kLo) return a < b;
  if constexpr (kCompare == Compare::kLe || kCompare == Compare::kLs) return a <= b;
  if constexpr (kCompare == Compare::kGt || kCompare == Compare::kHi) return a > b;
  if constexpr (kCompare == Compare::kGe || kCompare == Compare::kHs) return a >= b;
  if constexpr (kCompare == Compare::kEqu) return bool(int{a == b} | int{unordered});
  if constexpr (kCompare == Compare::kNeu) return a != b;
  if constexpr (kCompare == Compare::kLtu) return !(a >= b);
  if constexpr (kCompare == Compare::kLeu) return !(a > b);
  if constexpr (kCompare == Compare::kGtu) return !(a <= b);
  if constexpr (kCompare == Compare::kGeu) return !(a < b);
  if constexpr (kCompare == Compare::kNum) return !unordered;
  if constexpr (kCompare == Compare::kNan) return unordered;
}

/// Which outcomes make a comparison true: bit 0 less, 1 equal, 2 greater, 3 unordered.
constexpr std::uint32_t truth_of(ptx::Compare which) noexcept {
  using ptx::Compare;
  switch (which) {
    case Compare::kEq:
      return 0b0010;
    case Compare::kNe:
      return 0b0101;
    case Compare::kLt:
    case Compare::kLo:
      return 0b0001;
    case Compare::kLe:
    case Compare::kLs:
      return 0b0011;
    case Compare::kGt:
    case Compare::kHi:
      return 0b0100;
    case Compare::kGe:
    case Compare::kHs:
      return 0b0110;
    case Compare::kEqu:
      return 0b1010;
    case Compare::kNeu:
      return 0b1101;
    case Compare::kLtu:
      return 0b1001;
    case Compare::kLeu:
      return 0b1011;
    case Compare::kGtu:
      return 0b1100;
    case Compare::kGeu:
      return 0b1110;
    case Compare::kNum:
      return 0b0111;
    case Compare::kNan:
      return 0b1000;
    default:
      return 0;
  }
}
/// A comparison given by its truth_of.
template <typename T>
constexpr bool compare(std::uint32_t truth, T a, T b) noexcept {
  const std::uint32_t outcome = a < b ? 0b0001U : (a > b ? 0b0100U : (a == b ? 0b0010U : 0b1000U));
  return (truth & outcome) != 0;
}

/// setp.CmpOp.BoolOp: the comparison with predicate c, as masks of 32 lanes.
constexpr std::uint32_t combine(ptx::Combine how, std::uint32_t compared,
                                std::uint32_t c) noexcept {
  switch (how) {
    case ptx::Combine::kAnd:
      return compared & c;
    case ptx::Combine::kOr:
      return compared | c;
    case ptx::Combine::kXor:
      return compared ^ c;
    default:
      return compared;
  }
}

/// slct: a where c >= 0, else b. -0.0 counts as zero; NaN selects b.
template <typename T, typename C>
constexpr T slct(T a, T b, C c) noexcept {
  return c >= C{0} ? a : b;
}

}  // namespace lab::model::semantics
