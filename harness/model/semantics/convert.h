// cvt of one lane, as stages that compose: load (what a source register holds) -> round -> saturate
// -> store (what a destination register gets): PTX ISA, "Data Movement and Conversion
// Instructions", cvt and cvt.pack. No stage knows both types, so the code grows with their number,
// not with its square.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "harness/model/semantics/floating.h"
#include "harness/model/semantics/half.h"

namespace lab::model::semantics {

/// .rni, .rzi, .rmi, .rpi: to an integer in the same format; the sign of zero results is kept.
template <ptx::Round kRound, Floating T>
inline T round_to_integral(T value) noexcept {
  using ptx::Round;
  if constexpr (kRound == Round::kRzi) return std::trunc(value);
  if constexpr (kRound == Round::kRmi) return std::floor(value);
  if constexpr (kRound == Round::kRpi) return std::ceil(value);
  if constexpr (kRound == Round::kRni) {
    // Beyond 2^(fraction bits) all numbers are integers; below, adding and subtracting that
    // constant rounds to nearest even.
    constexpr T kUnit = static_cast<T>(std::uint64_t{1} << FormatOf<T>::kFractionBits);
    const T magnitude = abs(value);
    const T rounded = (magnitude + kUnit) - kUnit;
    return copysign(value, magnitude < kUnit ? rounded : magnitude);
  }
  return value;
}

/// The result of converting a NaN to integer type D: zero, or the top bit alone where either side
/// is 64 bits wide (PTX ISA, cvt: "In float-to-integer conversions, NaN inputs ...").
template <typename D, bool kFromF64>
inline constexpr D kIntegerOfNan = sizeof(D) == 8 || kFromF64
                                       ? static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1))
                                       : D{0};

/// An integral value, infinity or NaN as an integer: clamped to D's range always, with or without
/// .sat. kFromF64: the source format was f64 (it matters for NaN alone).
template <typename D, Floating T, bool kFromF64 = sizeof(T) == 8>
constexpr D to_integer(T integral) noexcept {
  // Both bounds are exact: powers of two, or zero.
  constexpr T kLow = static_cast<T>(std::numeric_limits<D>::min());
  constexpr T kPast =
      static_cast<T>(std::uint64_t{1} << (8 * sizeof(D) - 1)) * (std::is_signed_v<D> ? T{1} : T{2});
  const bool fits = bool(int{integral >= kLow} & int{integral < kPast});
  const D inside = static_cast<D>(fits ? integral : T{0});
  const D outside = integral < kLow ? std::numeric_limits<D>::min() : std::numeric_limits<D>::max();
  return fits ? inside : (integral != integral ? kIntegerOfNan<D, kFromF64> : outside);
}

/// An integer rounded to float or double.
template <Floating F, ptx::Round kRound, typename S>
constexpr F from_integer(S value) noexcept {
  if constexpr (kNearest<kRound>) {
    return static_cast<F>(value);
  } else {
    const bool negative = value < 0;
    const auto wide = static_cast<std::uint64_t>(value);
    const std::uint64_t magnitude = negative ? 0 - wide : wide;
    if constexpr (std::is_same_v<F, float>) {
      return integer_to_f32(kRound, magnitude, negative);
    } else {
      return integer_to_f64(kRound, magnitude, negative);
    }
  }
}
/// An integer as a double that a single further rounding to f32 or less leaves correct.
template <typename S>
constexpr double carried_integer(S value) noexcept {
  if constexpr (sizeof(S) < 8) {
    return static_cast<double>(value);
  } else {
    const bool negative = value < 0;
    const auto wide = static_cast<std::uint64_t>(value);
    return integer_to_odd(negative ? 0 - wide : wide, negative);
  }
}

/// f64 to f32, one rounding.
template <ptx::Round kRound>
constexpr float to_f32(double value) noexcept {
  if constexpr (kNearest<kRound>) {
    return canonical(static_cast<float>(value));
  } else {
    return std::bit_cast<float>(narrow<F32, kRound>(value));
  }
}

/// The largest number of a format that ends where its infinity, or its lack of one, begins.
template <typename Format>
constexpr double largest() noexcept {
  constexpr int kTop = Format::kInfinity - 1;
  constexpr int kExponent = (kTop >> Format::kFractionBits) - Format::kBias;
  constexpr int kUnits = 1 << Format::kFractionBits;
  double value = 1 + static_cast<double>(kTop % kUnits) / kUnits;
  for (int i = 0; i < kExponent; ++i) value *= 2;
  return value;
}
/// .satfinite, before the rounding: a number beyond the format's largest becomes that, infinities
/// too. NaN stays.
template <typename Format>
constexpr double saturate_finite(double value) noexcept {
  constexpr double kLargest = largest<Format>();
  const double below = value > kLargest ? kLargest : value;
  return below < -kLargest ? -kLargest : below;
}
/// .sat between integers: the nearest number that D has.
template <typename D, typename S>
constexpr D saturate_integer(S value) noexcept {
  if (std::cmp_less(value, std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  if (std::cmp_greater(value, std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
  return static_cast<D>(value);
}

/// An integer type known at run time: 8, 16, 32 or 64 bits.
struct IntegerFormat {
  unsigned bits = 32;
  bool is_signed = false;
};
/// The low bits of `raw` extended to 64: how a narrow integer is read from a wide register, and how
/// it is written to one.
constexpr std::uint64_t extend(std::uint64_t raw, IntegerFormat format) noexcept {
  const unsigned spare = 64 - format.bits;
  const std::uint64_t top = raw << spare;
  return format.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(top) >> spare)
                          : top >> spare;
}
/// cvt{.sat} between integers in registers of any width.
constexpr std::uint64_t convert_integer(std::uint64_t raw, IntegerFormat from, IntegerFormat to,
                                        bool sat) noexcept {
  std::uint64_t value = extend(raw, from);
  if (sat) {
    const std::uint64_t high = (~std::uint64_t{0} >> (64 - to.bits)) >> (to.is_signed ? 1U : 0U);
    const bool below_zero = from.is_signed && static_cast<std::int64_t>(value) < 0;
    const std::uint64_t low = to.is_signed ? ~high : 0;  // -high - 1
    if (below_zero) {
      value = !to.is_signed || value < low ? low : value;
    } else if (value > high) {
      value = high;
    }
  }
  return extend(value, to);
}

/// cvt.pack.sat.D.s32: a above b, each saturated to D (8 or 16 bits); bits above the pair come from
/// c's low end (8-bit D only).
template <typename D>
constexpr std::uint32_t cvt_pack(std::int32_t a, std::int32_t b, std::uint32_t c = 0) noexcept {
  using U = std::make_unsigned_t<D>;
  constexpr unsigned kSize = 8 * sizeof(D);
  const std::uint32_t high = static_cast<U>(saturate_integer<D>(a));
  const std::uint32_t low = static_cast<U>(saturate_integer<D>(b));
  const std::uint32_t pair = (high << kSize) | low;
  if constexpr (kSize == 16) {
    return pair;
  } else {
    return (c << (2 * kSize)) | pair;
  }
}

}  // namespace lab::model::semantics
