// f16 and bf16 arithmetic of one lane, on bit patterns: PTX ISA, "Half Precision Floating Point
// Instructions". Format is F16 or BF16. The packed types (.f16x2, .bf16x2) apply these to each
// half: see each_half. Every result is rounded once, to nearest even; NaN results are 0x7fff.
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/model/semantics/floating.h"

namespace lab::model::semantics {

using HalfBits = std::uint16_t;

template <typename Format>
constexpr HalfBits from_double(double value) noexcept {
  return narrow<Format, ptx::Round::kRn>(value);
}

/// .ftz of f16: subnormal f16 numbers become zero of the same sign.
template <typename Format, bool kFtz>
constexpr HalfBits flush_half(HalfBits value) noexcept {
  const bool subnormal = (value & Format::kInfinity) == 0;
  return kFtz && subnormal ? static_cast<HalfBits>(value & Format::kSign) : value;
}
/// .sat: [0, 1], NaN becomes +0.0.
template <typename Format>
constexpr HalfBits saturate_half(HalfBits value) noexcept {
  return from_double<Format>(saturate(widen<Format>(value)));
}
/// .relu of a result in any format: numbers below zero become +0.0, and its NaN stays.
template <typename Format>
constexpr typename Format::Bits relu_bits(typename Format::Bits bits) noexcept {
  const auto magnitude = static_cast<typename Format::Bits>(bits & ~Format::kSign);
  if (magnitude == Format::kNan) return Format::kNan;
  return bits == magnitude ? bits : typename Format::Bits{0};
}

// Two f16 or bf16 numbers have their product exact in double and their sum rounded to odd.
template <typename Format>
constexpr HalfBits fma_half(HalfBits a, HalfBits b, HalfBits c) noexcept {
  const float fa = widen<Format>(a);
  const float fb = widen<Format>(b);
  const float fc = widen<Format>(c);
  const double product = static_cast<double>(fa) * static_cast<double>(fb);
  const double plain = product + static_cast<double>(fc);
  const double odd = add_to_odd(product, static_cast<double>(fc));
  return from_double<Format>(is_finite(plain) ? odd : plain);
}
// Rounding twice does no harm to a sum or a product of two numbers of p bits where double has
// 2p + 2 (Figueroa, "When is double rounding innocuous?", SIGNUM 30(3), 1995).
template <typename Format>
constexpr HalfBits add_half(HalfBits a, HalfBits b) noexcept {
  return from_double<Format>(static_cast<double>(widen<Format>(a)) +
                             static_cast<double>(widen<Format>(b)));
}
template <typename Format>
constexpr HalfBits mul_half(HalfBits a, HalfBits b) noexcept {
  return from_double<Format>(static_cast<double>(widen<Format>(a)) *
                             static_cast<double>(widen<Format>(b)));
}
template <typename Format>
constexpr HalfBits neg_half(HalfBits a) noexcept {
  return static_cast<HalfBits>(a ^ Format::kSign);
}
template <typename Format>
constexpr HalfBits abs_half(HalfBits a) noexcept {
  return static_cast<HalfBits>(a & ~Format::kSign);
}
template <typename Format>
constexpr HalfBits sub_half(HalfBits a, HalfBits b) noexcept {
  return add_half<Format>(a, neg_half<Format>(b));
}

/// min and max as in floating.h.
template <typename Format, bool kNan = false>
constexpr HalfBits min_half(HalfBits a, HalfBits b) noexcept {
  return from_double<Format>(static_cast<double>(min<kNan>(widen<Format>(a), widen<Format>(b))));
}
template <typename Format, bool kNan = false>
constexpr HalfBits max_half(HalfBits a, HalfBits b) noexcept {
  return from_double<Format>(static_cast<double>(max<kNan>(widen<Format>(a), widen<Format>(b))));
}
template <typename Format, bool kNan = false>
constexpr HalfBits min_half_xorsign_abs(HalfBits a, HalfBits b) noexcept {
  return from_double<Format>(
      static_cast<double>(min_xorsign_abs<kNan>(widen<Format>(a), widen<Format>(b))));
}
template <typename Format, bool kNan = false>
constexpr HalfBits max_half_xorsign_abs(HalfBits a, HalfBits b) noexcept {
  return from_double<Format>(
      static_cast<double>(max_xorsign_abs<kNan>(widen<Format>(a), widen<Format>(b))));
}

/// ex2.approx and tanh.approx of f16 and bf16. approximate.h has their precision.
template <typename Format>
inline HalfBits ex2_half(HalfBits a) noexcept {
  return from_double<Format>(std::exp2(static_cast<double>(widen<Format>(a))));
}
template <typename Format>
inline HalfBits tanh_half(HalfBits a) noexcept {
  return from_double<Format>(std::tanh(static_cast<double>(widen<Format>(a))));
}

/// Applies `op` to the lower and the upper halves of packed operands.
template <typename Op, typename... Packed>
constexpr std::uint32_t each_half(Op op, Packed... operands) noexcept {
  const HalfBits low = op(static_cast<HalfBits>(operands)...);
  const HalfBits high = op(static_cast<HalfBits>(operands >> 16U)...);
  return (std::uint32_t{high} << 16U) | low;
}

}  // namespace lab::model::semantics
