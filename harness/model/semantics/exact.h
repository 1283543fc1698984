// Exact results of f32 and f64 arithmetic as sign, exponent and a 128-bit significand, rounded once
// in any direction. Used where the host's round-to-nearest does not serve: .rz, .rm, .rp.
#pragma once

#include <bit>
#include <cstdint>

#include "harness/model/semantics/format.h"
#include "harness/model/semantics/integer.h"

namespace lab::model::semantics {

/// (-1)^negative * significand * 2^exponent. The lowest bit stands for all that was cut off below
/// it ("jammed"), which is sound while at least two more bits than the result's are above it.
struct Exact {
  bool negative = false;
  int exponent = 0;
  Uint128 significand = 0;
};

constexpr int width_of(Uint128 value) noexcept {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(low));
}

constexpr Uint128 shift_right_jamming(Uint128 value, int by) noexcept {
  if (by <= 0) return value;
  if (by > 127) return value != 0 ? 1 : 0;
  const Uint128 cut = value & ((Uint128{1} << by) - 1);
  return (value >> by) | (cut != 0 ? 1 : 0);
}

/// A finite float or double.
template <typename Host>
constexpr Exact exact(Host value) noexcept {
  using Format = FormatOf<Host>;
  using Bits = typename Format::Bits;
  const auto bits = std::bit_cast<Bits>(value);
  const Bits magnitude = bits & static_cast<Bits>(~Format::kSign);
  const int biased = static_cast<int>(magnitude >> Format::kFractionBits);
  constexpr Bits kHidden = Bits{1} << Format::kFractionBits;
  const Bits significand = (magnitude & (kHidden - 1)) | (biased != 0 ? kHidden : 0);
  return {(bits & Format::kSign) != 0,
          (biased != 0 ? biased : 1) - Format::kBias - Format::kFractionBits, significand};
}
constexpr Exact exact_integer(std::uint64_t magnitude, bool negative) noexcept {
  return {negative, 0, magnitude};
}

/// Rounded to float or double.
template <typename Host, ptx::Round kRound>
constexpr Host round_to(const Exact& value) noexcept {
  using Format = FormatOf<Host>;
  using Bits = typename Format::Bits;
  const auto sign = static_cast<Bits>(value.negative ? Format::kSign : 0);
  if (value.significand == 0) return std::bit_cast<Host>(sign);
  constexpr int kSmallest = 1 - Format::kBias;  // exponent of the smallest normal number
  const int top = value.exponent + width_of(value.significand) - 1;
  const int unit = (top < kSmallest ? kSmallest : top) - Format::kFractionBits;
  const int shift = unit - value.exponent;
  Uint128 kept = 0;
  Uint128 cut = 0;
  Uint128 half = 1;
  if (shift <= 0) {
    kept = value.significand << -shift;
  } else if (shift > 127) {
    cut = 1;  // less than half a unit: the significand has at most 127 bits
    half = 2;
  } else {
    kept = value.significand >> shift;
    half = Uint128{1} << (shift - 1);
    cut = value.significand & ((half << 1) - 1);
  }
  const auto up = static_cast<Bits>(rounds_up<kRound>(value.negative, kept, cut, half));
  if (top > Format::kBias) return std::bit_cast<Host>(overflow<Format, kRound>(value.negative));
  const Bits base =
      top < kSmallest ? 0 : static_cast<Bits>(top + Format::kBias - 1) << Format::kFractionBits;
  const Bits packed = base + static_cast<Bits>(kept) + up;
  if (packed >= Format::kInfinity) {
    return std::bit_cast<Host>(overflow<Format, kRound>(value.negative));
  }
  return std::bit_cast<Host>(static_cast<Bits>(packed | sign));
}

/// Both significands are below 2^64, as those of floats and doubles are.
constexpr Exact multiply(const Exact& a, const Exact& b) noexcept {
  return {a.negative != b.negative, a.exponent + b.exponent, a.significand * b.significand};
}

/// The sum; an exact zero from opposite signs is negative only when rounding towards minus
/// infinity (IEEE 754, 6.3).
constexpr Exact sum(Exact a, Exact b, bool towards_minus) noexcept {
  if (a.significand == 0 && b.significand == 0) {
    return {a.negative == b.negative ? a.negative : towards_minus, 0, 0};
  }
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  // Left-aligned with one bit to spare for the carry; the smaller then moves right.
  const auto align = [](Exact& value) {
    const int by = 127 - width_of(value.significand);
    value.significand <<= by;
    value.exponent -= by;
  };
  align(a);
  align(b);
  if (a.exponent < b.exponent) {
    const Exact smaller = a;
    a = b;
    b = smaller;
  }
  b.significand = shift_right_jamming(b.significand, a.exponent - b.exponent);
  if (a.negative == b.negative) return {a.negative, a.exponent, a.significand + b.significand};
  if (a.significand == b.significand) return {towards_minus, 0, 0};
  if (a.significand > b.significand) {
    return {a.negative, a.exponent, a.significand - b.significand};
  }
  return {b.negative, a.exponent, b.significand - a.significand};
}

/// The quotient of numbers that are not zero, with at least 64 significant bits.
constexpr Exact divide(Exact a, const Exact& b) noexcept {
  const int by = 127 - width_of(a.significand);
  a.significand <<= by;
  const Uint128 quotient = a.significand / b.significand;
  const bool inexact = a.significand % b.significand != 0;
  return {a.negative != b.negative, a.exponent - by - b.exponent - 1,
          (quotient << 1) | (inexact ? 1 : 0)};
}

/// The square root of a positive number, with at least 60 significant bits.
constexpr Exact square_root(Exact a) noexcept {
  int by = 126 - width_of(a.significand);
  if (((a.exponent - by) & 1) != 0) --by;
  a.significand <<= by;
  a.exponent -= by;
  // Bit by bit: the largest root with root * root <= significand.
  Uint128 root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const Uint128 next = root | (Uint128{1} << bit);
    if (next * next <= a.significand) root = next;
  }
  const bool inexact = root * root != a.significand;
  return {false, a.exponent / 2 - 1, (root << 1) | (inexact ? 1 : 0)};
}

}  // namespace lab::model::semantics
