// The binary floating-point formats of PTX and correct rounding into them: PTX ISA, "Fundamental
// Types", "Alternate Floating-Point Data Formats" and "Rounding Modifiers". Nothing here reads or
// changes the host's rounding mode.
#pragma once

#include <bit>
#include <cstdint>

#include "harness/kernel/ptx/opcode.h"

namespace lab::model::semantics {

/// Layout of a format: sign, kExponentBits, kFractionBits. kNan is the NaN that the hardware's
/// instructions give as a result.
struct F16 {
  using Bits = std::uint16_t;
  static constexpr int kFractionBits = 10;
  static constexpr int kBias = 15;
  static constexpr Bits kInfinity = 0x7c00;
  static constexpr Bits kNan = 0x7fff;
  static constexpr Bits kSign = 0x8000;
};
struct BF16 {
  using Bits = std::uint16_t;
  static constexpr int kFractionBits = 7;
  static constexpr int kBias = 127;
  static constexpr Bits kInfinity = 0x7f80;
  static constexpr Bits kNan = 0x7fff;
  static constexpr Bits kSign = 0x8000;
};
struct F32 {
  using Bits = std::uint32_t;
  using Host = float;
  static constexpr int kFractionBits = 23;
  static constexpr int kBias = 127;
  static constexpr Bits kInfinity = 0x7f800000U;
  static constexpr Bits kNan = 0x7fffffffU;
  static constexpr Bits kSign = 0x80000000U;
};
struct F64 {
  using Bits = std::uint64_t;
  using Host = double;
  static constexpr int kFractionBits = 52;
  static constexpr int kBias = 1023;
  static constexpr Bits kInfinity = 0x7ff0000000000000U;
  static constexpr Bits kNan = 0xfff8000000000000U;
  static constexpr Bits kSign = 0x8000000000000000U;
};

/// 8 bits: PTX ISA, "Alternate Floating-Point Data Formats". E4M3 has no infinity: kInfinity is
/// where its finite numbers end, and NaN is that same code.
struct E4M3 {
  using Bits = std::uint8_t;
  static constexpr int kFractionBits = 3;
  static constexpr int kBias = 7;
  static constexpr Bits kInfinity = 0x7f;
  static constexpr Bits kNan = 0x7f;
  static constexpr Bits kSign = 0x80;
};
struct E5M2 {
  using Bits = std::uint8_t;
  static constexpr int kFractionBits = 2;
  static constexpr int kBias = 15;
  static constexpr Bits kInfinity = 0x7c;
  static constexpr Bits kNan = 0x7f;
  static constexpr Bits kSign = 0x80;
};

template <typename Host>
struct FormatOfHost;
template <>
struct FormatOfHost<float> {
  using Type = F32;
};
template <>
struct FormatOfHost<double> {
  using Type = F64;
};
template <typename Host>
using FormatOf = typename FormatOfHost<Host>::Type;

/// 1 where a magnitude cut off at a unit is to be increased by that unit, else 0. `kept` is what
/// stays, `cut` what was cut off, and `half` half a unit on the scale of `cut`.
template <ptx::Round kRound, typename U>
constexpr U rounds_up(bool negative, U kept, U cut, U half) noexcept {
  using ptx::Round;
  if constexpr (kRound == Round::kRz) {
    return 0;
  } else if constexpr (kRound == Round::kRm) {
    return negative && cut != 0 ? 1 : 0;
  } else if constexpr (kRound == Round::kRp) {
    return !negative && cut != 0 ? 1 : 0;
  } else if constexpr (kRound == Round::kRna) {
    return cut >= half ? 1 : 0;
  } else {  // kRn, and instructions that name no rounding: a tie goes to even
    return cut + (kept & 1) > half ? 1 : 0;
  }
}

/// The result for a finite value that is too large for the format.
template <typename Format, ptx::Round kRound>
constexpr typename Format::Bits overflow(bool negative) noexcept {
  using ptx::Round;
  using Bits = typename Format::Bits;
  const bool to_infinity = kRound == Round::kRm   ? negative
                           : kRound == Round::kRp ? !negative
                                                  : kRound != Round::kRz;
  const auto magnitude = static_cast<Bits>(Format::kInfinity - (to_infinity ? 0 : 1));
  return static_cast<Bits>(magnitude | (negative ? Format::kSign : 0));
}

/// `value` rounded once to a format narrower than f64. NaN gives the format's kNan. It has
/// no branches, so that loops over lanes vectorise.
template <typename Format, ptx::Round kRound>
constexpr typename Format::Bits narrow(double value) noexcept {
  using Bits = typename Format::Bits;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = (bits & F64::kSign) != 0;
  const std::uint64_t magnitude = bits & ~F64::kSign;
  const std::uint64_t sign = negative ? Format::kSign : 0;

  constexpr std::uint64_t kHidden = std::uint64_t{1} << F64::kFractionBits;
  constexpr std::int64_t kRebias = F64::kBias - Format::kBias;
  const auto biased = static_cast<std::int64_t>(magnitude >> F64::kFractionBits);
  // Subnormal doubles are far below every narrower format: any shift that leaves a tail will do.
  const std::uint64_t significand = (magnitude & (kHidden - 1)) | (biased != 0 ? kHidden : 0);
  const std::int64_t exponent = biased - kRebias;
  const std::int64_t below = exponent < 1 ? 1 - exponent : 0;
  constexpr std::int64_t kCut = F64::kFractionBits - Format::kFractionBits;
  const std::int64_t shift = kCut + below > 62 ? 62 : kCut + below;
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t cut = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t up = rounds_up<kRound>(negative, kept, cut, half);
  // `kept` has the hidden bit, which adds the one that `exponent - 1` lacks; a carry out of the
  // fraction moves into the exponent as it should.
  const std::int64_t base = exponent < 1 ? 0 : (exponent - 1) << Format::kFractionBits;
  const std::uint64_t packed = static_cast<std::uint64_t>(base) + kept + up;
  const std::uint64_t finite =
      packed >= Format::kInfinity ? overflow<Format, kRound>(negative) : packed | sign;
  const std::uint64_t special =
      magnitude > F64::kInfinity ? Format::kNan : (Format::kInfinity | sign);
  return static_cast<Bits>(magnitude >= F64::kInfinity ? special : finite);
}

/// The value of an f16, exact.
constexpr float widen_f16(std::uint16_t half) noexcept {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t magnitude = half & 0x7fffU;
  if (magnitude >= F16::kInfinity) {
    const bool nan = magnitude > F16::kInfinity;
    return std::bit_cast<float>(nan ? F32::kNan : F32::kInfinity | sign);
  }
  // Moved into f32's fields the exponent is too small by the difference of the biases, 112, for
  // subnormals as well.
  const auto scaled = std::bit_cast<float>(magnitude << 13U) * 0x1p112F;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
}
/// The value of a bf16, exact: it is the upper half of an f32.
constexpr float widen_bf16(std::uint16_t half) noexcept {
  if ((half & 0x7fffU) > BF16::kInfinity) return std::bit_cast<float>(F32::kNan);
  return std::bit_cast<float>(std::uint32_t{half} << 16U);
}
/// The value of an e5m2, exact: it is the upper half of an f16.
constexpr float widen_e5m2(std::uint8_t bits) noexcept {
  return widen_f16(static_cast<std::uint16_t>(bits << 8U));
}
/// The value of an e4m3, exact.
constexpr float widen_e4m3(std::uint8_t bits) noexcept {
  const std::uint32_t magnitude = bits & 0x7fU;
  if (magnitude == E4M3::kNan) return std::bit_cast<float>(F32::kNan);
  // As in widen_f16: the biases differ by 120.
  const auto scaled = std::bit_cast<float>(magnitude << 20U) * 0x1p120F;
  const std::uint32_t sign = (bits & 0x80U) << 24U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
}
template <typename Format>
constexpr float widen(std::uint16_t half) noexcept {
  if constexpr (Format::kFractionBits == F16::kFractionBits) {
    return widen_f16(half);
  } else {
    return widen_bf16(half);
  }
}

/// a + b in double rounded to odd: where the sum is inexact, the last bit is one. Rounding that
/// once more to a format with at least two bits fewer gives the correctly rounded sum (Boldo and
/// Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
/// odd", IEEE Transactions on Computers 57(4), 2008). |a|, |b| below 2^1000.
constexpr double add_to_odd(double a, double b) noexcept {
  const double sum = a + b;
  // Knuth's TwoSum: `error` is exactly a + b - sum.
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  const bool even = (bits & 1U) == 0;
  // Towards zero where the error's sign differs from the sum's, else away from it.
  const bool inward = (error < 0) != (sum < 0);
  const std::uint64_t odd = inward ? bits - 1 : bits + 1;
  return std::bit_cast<double>(error != 0 && even ? odd : bits);
}

/// An integer as a double, rounded to odd: see add_to_odd.
constexpr double integer_to_odd(std::uint64_t magnitude, bool negative) noexcept {
  const bool wide = (magnitude >> 53U) != 0;
  const std::uint64_t tail = magnitude & 0x7ffU;
  const std::uint64_t kept = (magnitude & ~std::uint64_t{0x7ff}) | (tail != 0 ? 0x800U : 0U);
  const auto value = static_cast<double>(wide ? kept : magnitude);
  return negative ? -value : value;
}

}  // namespace lab::model::semantics
