// f32 and f64 arithmetic of one lane: PTX ISA, "Floating Point Instructions". Host may be float or
// double. Instructions with .ftz flush their operands (flush) before and their result after the
// operation (finish); .sat clamps last. An f32 result that is NaN is 0x7fffffff, as on the
// hardware; f64 NaNs keep the payload the host keeps (PTX leaves it open).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "harness/model/semantics/directed.h"
#include "harness/model/semantics/format.h"

namespace lab::model::semantics {

template <typename T>
concept Floating = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <Floating T>
constexpr auto bits_of(T value) noexcept {
  return std::bit_cast<typename FormatOf<T>::Bits>(value);
}
template <Floating T>
constexpr bool sign_bit(T value) noexcept {
  return (bits_of(value) & FormatOf<T>::kSign) != 0;
}
template <Floating T>
constexpr bool is_finite(T value) noexcept {
  using Format = FormatOf<T>;
  return (bits_of(value) & Format::kInfinity) != Format::kInfinity;
}

/// Replaces any NaN by the hardware's; f32 only.
template <Floating T>
constexpr T canonical(T value) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    return value != value ? std::bit_cast<float>(F32::kNan) : value;
  } else {
    return value;
  }
}

/// .ftz: subnormal f32 numbers become zero of the same sign. f64 has no .ftz.
template <bool kFtz, Floating T>
constexpr T flush(T value) noexcept {
  if constexpr (kFtz && std::is_same_v<T, float>) {
    const std::uint32_t bits = bits_of(value);
    return std::bit_cast<float>((bits & F32::kInfinity) == 0 ? bits & F32::kSign : bits);
  } else {
    return value;
  }
}

/// .sat: clamped to [0, 1]; NaN and -0.0 become +0.0.
template <Floating T>
constexpr T saturate(T value) noexcept {
  return value > T{0} ? (value < T{1} ? value : T{1}) : T{0};
}

/// Finishes an operation's result: canonical NaN, .ftz, .sat in that order.
template <bool kFtz, bool kSat, Floating T>
constexpr T finish(T value) noexcept {
  const T flushed = flush<kFtz>(canonical(value));
  if constexpr (kSat) {
    return saturate(flushed);
  } else {
    return flushed;
  }
}

template <ptx::Round kRound>
inline constexpr bool kNearest = kRound == ptx::Round::kRn || kRound == ptx::Round::kNone;

/// add.{rn,rz,rm,rp}
template <ptx::Round kRound = ptx::Round::kRn, Floating T>
constexpr T add(T a, T b) noexcept {
  if constexpr (kNearest<kRound>) {
    return canonical(a + b);
  } else {
    return canonical(add_directed(kRound, a, b));
  }
}
template <ptx::Round kRound = ptx::Round::kRn, Floating T>
constexpr T sub(T a, T b) noexcept {
  if constexpr (kNearest<kRound>) {
    return canonical(a - b);
  } else {
    return canonical(add_directed(kRound, a, -b));
  }
}
template <ptx::Round kRound = ptx::Round::kRn, Floating T>
constexpr T mul(T a, T b) noexcept {
  if constexpr (kNearest<kRound>) {
    return canonical(a * b);
  } else {
    return canonical(mul_directed(kRound, a, b));
  }
}
/// fma and f32/f64 mad: one rounding, of the exact a * b + c.
template <ptx::Round kRound = ptx::Round::kRn, Floating T>
inline T fma(T a, T b, T c) noexcept {
  if constexpr (kNearest<kRound>) {
    return canonical(std::fma(a, b, c));
  } else {
    return canonical(fma_directed(kRound, a, b, c));
  }
}
template <ptx::Round kRound = ptx::Round::kRn, Floating T>
constexpr T div(T a, T b) noexcept {
  if constexpr (kNearest<kRound>) {
    return canonical(a / b);
  } else {
    return canonical(div_directed(kRound, a, b));
  }
}
template <ptx::Round kRound = ptx::Round::kRn, Floating T>
constexpr T rcp(T a) noexcept {
  return div<kRound>(T{1}, a);
}
template <ptx::Round kRound = ptx::Round::kRn, Floating T>
inline T sqrt(T a) noexcept {
  if constexpr (kNearest<kRound>) {
    return canonical(std::sqrt(a));
  } else {
    return canonical(sqrt_directed(kRound, a));
  }
}

/// The sign bit is flipped or cleared, even that of a NaN.
template <Floating T>
constexpr T neg(T a) noexcept {
  return std::bit_cast<T>(bits_of(a) ^ FormatOf<T>::kSign);
}
template <Floating T>
constexpr T abs(T a) noexcept {
  return std::bit_cast<T>(bits_of(a) & ~FormatOf<T>::kSign);
}
/// copysign d, a, b: the magnitude of b with the sign of a.
template <Floating T>
constexpr T copysign(T a, T b) noexcept {
  constexpr auto kSign = FormatOf<T>::kSign;
  return std::bit_cast<T>((bits_of(a) & kSign) | (bits_of(b) & ~kSign));
}

/// min, max: -0.0 is below +0.0; a NaN and a number give the number, two NaNs the canonical NaN.
/// kNan (.NaN): NaN where either operand is.
template <bool kNan = false, Floating T>
constexpr T min(T a, T b) noexcept {
  constexpr T kQuiet = std::bit_cast<T>(FormatOf<T>::kNan);
  const bool a_nan = a != a;
  const bool b_nan = b != b;
  const T lower = a < b || (a == b && sign_bit(a)) ? a : b;
  if constexpr (kNan) {
    return a_nan || b_nan ? kQuiet : lower;
  } else {
    return a_nan ? (b_nan ? kQuiet : b) : (b_nan ? a : lower);
  }
}
template <bool kNan = false, Floating T>
constexpr T max(T a, T b) noexcept {
  constexpr T kQuiet = std::bit_cast<T>(FormatOf<T>::kNan);
  const bool a_nan = a != a;
  const bool b_nan = b != b;
  const T higher = a > b || (a == b && !sign_bit(a)) ? a : b;
  if constexpr (kNan) {
    return a_nan || b_nan ? kQuiet : higher;
  } else {
    return a_nan ? (b_nan ? kQuiet : b) : (b_nan ? a : higher);
  }
}
/// min.xorsign.abs, max.xorsign.abs: min or max of the magnitudes, with the sign of a * b.
template <bool kNan = false, Floating T>
constexpr T min_xorsign_abs(T a, T b) noexcept {
  const auto sign = (bits_of(a) ^ bits_of(b)) & FormatOf<T>::kSign;
  const T magnitude = min<kNan>(abs(a), abs(b));
  return magnitude != magnitude ? magnitude : std::bit_cast<T>(bits_of(magnitude) | sign);
}
template <bool kNan = false, Floating T>
constexpr T max_xorsign_abs(T a, T b) noexcept {
  const auto sign = (bits_of(a) ^ bits_of(b)) & FormatOf<T>::kSign;
  const T magnitude = max<kNan>(abs(a), abs(b));
  return magnitude != magnitude ? magnitude : std::bit_cast<T>(bits_of(magnitude) | sign);
}

/// testp: zero counts as normal (PTX ISA, testp; so does an H200).
template <ptx::Sub kClass, Floating T>
constexpr bool testp(T value) noexcept {
  using Format = FormatOf<T>;
  using ptx::Sub;
  const auto magnitude = bits_of(value) & ~Format::kSign;
  constexpr auto kSmallestNormal = typename Format::Bits{1} << Format::kFractionBits;
  if constexpr (kClass == Sub::kFinite) return magnitude < Format::kInfinity;
  if constexpr (kClass == Sub::kInfinite) return magnitude == Format::kInfinity;
  if constexpr (kClass == Sub::kNumber) return magnitude <= Format::kInfinity;
  if constexpr (kClass == Sub::kNotanumber) return magnitude > Format::kInfinity;
  if constexpr (kClass == Sub::kNormal) {
    return magnitude == 0 || (magnitude >= kSmallestNormal && magnitude < Format::kInfinity);
  }
  if constexpr (kClass == Sub::kSubnormal) return magnitude != 0 && magnitude < kSmallestNormal;
}

}  // namespace lab::model::semantics
