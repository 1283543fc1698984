// Integer arithmetic of one lane: PTX ISA, "Integer Arithmetic Instructions" and
// "Extended-Precision Integer Arithmetic Instructions". T is the operation's type: std::int16_t ..
// std::uint64_t. Results wrap; nothing here is undefined behaviour of C++.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace lab::model::semantics {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
using Int128 = __int128;
using Uint128 = unsigned __int128;
#pragma GCC diagnostic pop

template <typename T>
concept Integer = std::is_integral_v<T> && sizeof(T) >= 2;

template <typename T>
struct WiderOf;
template <>
struct WiderOf<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct WiderOf<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct WiderOf<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct WiderOf<std::int32_t> {
  using Type = std::int64_t;
};
template <>
struct WiderOf<std::uint64_t> {
  using Type = Uint128;
};
template <>
struct WiderOf<std::int64_t> {
  using Type = Int128;
};
/// The type twice as wide, of the same signedness.
template <typename T>
using Wider = typename WiderOf<T>::Type;

/// An unsigned type of at least 32 bits: 16-bit operands would be promoted to int, where a product
/// can overflow.
template <typename T>
using Work = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <Integer T>
constexpr T add(T a, T b) noexcept {
  return static_cast<T>(static_cast<Work<T>>(a) + static_cast<Work<T>>(b));
}
template <Integer T>
constexpr T sub(T a, T b) noexcept {
  return static_cast<T>(static_cast<Work<T>>(a) - static_cast<Work<T>>(b));
}
/// The smallest negative number is its own negation.
template <Integer T>
constexpr T neg(T a) noexcept {
  return sub(T{0}, a);
}
/// The smallest negative number is its own absolute value.
template <Integer T>
constexpr T abs(T a) noexcept {
  return a < 0 ? neg(a) : a;
}

/// Clamps to T's range.
template <Integer T, typename From>
constexpr T clamp_to(From value) noexcept {
  constexpr From kLow = static_cast<From>(std::numeric_limits<T>::min());
  constexpr From kHigh = static_cast<From>(std::numeric_limits<T>::max());
  return static_cast<T>(value < kLow ? kLow : (value > kHigh ? kHigh : value));
}
/// add.sat.s32
constexpr std::int32_t add_sat(std::int32_t a, std::int32_t b) noexcept {
  return clamp_to<std::int32_t>(std::int64_t{a} + b);
}
/// sub.sat.s32
constexpr std::int32_t sub_sat(std::int32_t a, std::int32_t b) noexcept {
  return clamp_to<std::int32_t>(std::int64_t{a} - b);
}

template <Integer T>
constexpr T mul_lo(T a, T b) noexcept {
  return static_cast<T>(static_cast<Work<T>>(a) * static_cast<Work<T>>(b));
}
/// The whole product: mul.wide for 16 and 32 bits.
template <Integer T>
constexpr Wider<T> mul_wide(T a, T b) noexcept {
  return static_cast<Wider<T>>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b));
}
template <Integer T>
constexpr T mul_hi(T a, T b) noexcept {
  return static_cast<T>(mul_wide(a, b) >> (8 * sizeof(T)));
}
template <Integer T>
constexpr T mad_lo(T a, T b, T c) noexcept {
  return add(mul_lo(a, b), c);
}
template <Integer T>
constexpr T mad_hi(T a, T b, T c) noexcept {
  return add(mul_hi(a, b), c);
}
/// mad.wide for 16 and 32 bits: `c` has the product's width, and the sum wraps.
template <Integer T>
constexpr Wider<T> mad_wide(T a, T b, Wider<T> c) noexcept {
  return static_cast<Wider<T>>(static_cast<Work<Wider<T>>>(mul_wide(a, b)) +
                               static_cast<Work<Wider<T>>>(c));
}
/// mad.hi.sat.s32
constexpr std::int32_t mad_hi_sat(std::int32_t a, std::int32_t b, std::int32_t c) noexcept {
  return add_sat(mul_hi(a, b), c);
}

/// The low 24 bits of a 32-bit operand, sign- or zero-extended: what mul24 and mad24 multiply.
template <Integer T>
constexpr T low24(T a) noexcept {
  return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a) << 8U) >> 8);
}
/// Bits 31..0 of the 48-bit product.
template <Integer T>
constexpr T mul24_lo(T a, T b) noexcept {
  return static_cast<T>(mul_wide(low24(a), low24(b)));
}
/// Bits 47..16 of the 48-bit product.
template <Integer T>
constexpr T mul24_hi(T a, T b) noexcept {
  return static_cast<T>(mul_wide(low24(a), low24(b)) >> 16);
}
template <Integer T>
constexpr T mad24_lo(T a, T b, T c) noexcept {
  return add(mul24_lo(a, b), c);
}
template <Integer T>
constexpr T mad24_hi(T a, T b, T c) noexcept {
  return add(mul24_hi(a, b), c);
}
/// mad24.hi.sat.s32
constexpr std::int32_t mad24_hi_sat(std::int32_t a, std::int32_t b, std::int32_t c) noexcept {
  return add_sat(mul24_hi(a, b), c);
}

/// c + |a - b|, the difference taken without overflow.
template <Integer T>
constexpr T sad(T a, T b, T c) noexcept {
  const T distance = a < b ? sub(b, a) : sub(a, b);
  return add(c, distance);
}

/// a / b truncated, b not 0; INT_MIN / -1 is INT_MIN. 16- and 32-bit quotients by way of a double,
/// which loops over lanes vectorise: an inexact quotient is at least 1 / b away from the next
/// integer, far more than its rounding error of 2^-53 * a / b. The cast is to a signed number,
/// shifted by 2^31 for unsigned ones.
template <Integer T>
constexpr T quotient(T a, T b) noexcept {
  if constexpr (sizeof(T) == 8) {
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return neg(a);
    }
    return static_cast<T>(a / b);
  } else if constexpr (std::is_signed_v<T>) {
    const double ratio = static_cast<double>(a) / static_cast<double>(b);
    // 2^31 alone does not fit; the product with -1 would be 2^31 again.
    return static_cast<T>(static_cast<std::int32_t>(ratio > 2147483647.0 ? -ratio : ratio));
  } else {
    const double ratio = static_cast<double>(a) / static_cast<double>(b);
    const bool upper = ratio >= 2147483648.0;
    const auto shifted = static_cast<std::int32_t>(upper ? ratio - 2147483648.0 : ratio);
    return static_cast<T>(static_cast<std::uint32_t>(shifted) + (upper ? 0x80000000U : 0U));
  }
}
/// Truncates towards zero. Division by zero is "unspecified" in the ISA; the instruction sequence
/// of the hardware gives all ones. The smallest negative number over -1 is itself.
template <Integer T>
constexpr T div(T a, T b) noexcept {
  const T divisor = b == 0 ? T{1} : b;
  const T result = quotient(a, divisor);
  return b == 0 ? static_cast<T>(~T{0}) : result;
}
/// The remainder has the dividend's sign. Division by zero gives all ones, as for div.
template <Integer T>
constexpr T rem(T a, T b) noexcept {
  const T divisor = b == 0 ? T{1} : b;
  const T result = sub(a, mul_lo(quotient(a, divisor), divisor));
  return b == 0 ? static_cast<T>(~T{0}) : result;
}

template <Integer T>
constexpr T min(T a, T b) noexcept {
  return a < b ? a : b;
}
template <Integer T>
constexpr T max(T a, T b) noexcept {
  return a < b ? b : a;
}
/// min.relu, max.relu, cvt.relu of integers: numbers below zero become zero.
template <Integer T>
constexpr T relu(T a) noexcept {
  return a < 0 ? T{0} : a;
}

/// A result and the carry out of its highest bit: the CC.CF register is one bit.
template <typename T>
struct WithCarry {
  T value;
  bool carry;
  friend constexpr bool operator==(const WithCarry&, const WithCarry&) = default;
};

/// add.cc (carry_in = false) and addc{.cc}. Carry is out of the unsigned sum, for signed T too.
template <Integer T>
constexpr WithCarry<T> add_carry(T a, T b, bool carry_in = false) noexcept {
  using U = Work<T>;
  const U partial = static_cast<U>(static_cast<U>(a) + static_cast<U>(b));
  const U sum = static_cast<U>(partial + (carry_in ? 1U : 0U));
  return {static_cast<T>(sum), partial < static_cast<U>(a) || sum < partial};
}
/// sub.cc (carry_in = true) and subc{.cc}: a + ~b + carry_in, as the hardware subtracts, so that
/// the carry is set where nothing was borrowed. The ISA calls CC.CF a borrow here and leaves a
/// mixture with sums open; the 128-bit division of NVIDIA's compilers reads what subc.cc left with
/// addc.
template <Integer T>
constexpr WithCarry<T> sub_carry(T a, T b, bool carry_in = true) noexcept {
  return add_carry(a, static_cast<T>(~b), carry_in);
}
/// mad.lo.cc and madc.lo{.cc}
template <Integer T>
constexpr WithCarry<T> mad_lo_carry(T a, T b, T c, bool carry_in = false) noexcept {
  return add_carry(mul_lo(a, b), c, carry_in);
}
/// mad.hi.cc and madc.hi{.cc}
template <Integer T>
constexpr WithCarry<T> mad_hi_carry(T a, T b, T c, bool carry_in = false) noexcept {
  return add_carry(mul_hi(a, b), c, carry_in);
}

/// Sums of byte products: dp4a. TA and TB (std::int8_t or std::uint8_t) say how bytes of a and b
/// are extended. The sum wraps.
template <typename TA, typename TB>
constexpr std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c) noexcept {
  std::uint32_t sum = c;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    const int va = static_cast<TA>(a >> shift);
    const int vb = static_cast<TB>(b >> shift);
    sum += static_cast<std::uint32_t>(va * vb);
  }
  return sum;
}
/// dp2a: the halves of a (TA: 16-bit type) times bytes 0, 1 (kHigh: 2, 3) of b (TB: 8-bit type).
template <typename TA, typename TB, bool kHigh>
constexpr std::uint32_t dp2a(std::uint32_t a, std::uint32_t b, std::uint32_t c) noexcept {
  const unsigned start = kHigh ? 16 : 0;
  const int low = static_cast<int>(static_cast<TA>(a)) * static_cast<TB>(b >> start);
  const int high = static_cast<int>(static_cast<TA>(a >> 16U)) * static_cast<TB>(b >> (start + 8));
  return c + static_cast<std::uint32_t>(low) + static_cast<std::uint32_t>(high);
}

}  // namespace lab::model::semantics
