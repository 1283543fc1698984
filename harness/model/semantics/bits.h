// Bit manipulation, logic and shifts of one lane: PTX ISA, "Integer Arithmetic Instructions" (popc
// to szext), "Logic and Shift Instructions" and "Data Movement" (prmt).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "harness/kernel/ptx/opcode.h"

namespace lab::model::semantics {

template <typename T>
inline constexpr std::uint32_t kBits = 8 * sizeof(T);

/// popc.b32, .b64; the result is u32.
template <typename T>
constexpr std::uint32_t popc(T a) noexcept {
  return static_cast<std::uint32_t>(std::popcount(a));
}
/// clz.b32, .b64; of zero: the width.
template <typename T>
constexpr std::uint32_t clz(T a) noexcept {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}

/// bfind: the position of the highest bit that differs from the sign bit (signed T) or is set
/// (unsigned T); 0xffffffff where there is none. kShiftAmount: the left shift that brings it to the
/// top instead.
template <typename T, bool kShiftAmount = false>
constexpr std::uint32_t bfind(T a) noexcept {
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(a < 0 ? ~a : a);
  if (bits == 0) return 0xffffffffU;
  const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
  return kShiftAmount ? zeros : kBits<T> - 1 - zeros;
}

/// fns.b32: the position of the n-th set bit counted from bit `base`, upwards for n > 0, downwards
/// for n < 0; n = 0 is `base` itself if set. 0xffffffff where there is none.
constexpr std::uint32_t fns(std::uint32_t mask, std::uint32_t base, std::int32_t n) noexcept {
  if (base > 31) return 0xffffffffU;
  if (n == 0) return ((mask >> base) & 1U) != 0 ? base : 0xffffffffU;
  const int step = n > 0 ? 1 : -1;
  std::int64_t left = n > 0 ? std::int64_t{n} : -std::int64_t{n};
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if (((mask >> static_cast<unsigned>(at)) & 1U) == 0) continue;
    if (--left == 0) return static_cast<std::uint32_t>(at);
  }
  return 0xffffffffU;
}

/// brev.b32, .b64: bits in the opposite order, by swapping ever larger groups.
constexpr std::uint32_t brev(std::uint32_t a) noexcept {
  a = ((a >> 1U) & 0x55555555U) | ((a & 0x55555555U) << 1U);
  a = ((a >> 2U) & 0x33333333U) | ((a & 0x33333333U) << 2U);
  a = ((a >> 4U) & 0x0f0f0f0fU) | ((a & 0x0f0f0f0fU) << 4U);
  a = ((a >> 8U) & 0x00ff00ffU) | ((a & 0x00ff00ffU) << 8U);
  return (a >> 16U) | (a << 16U);
}
constexpr std::uint64_t brev(std::uint64_t a) noexcept {
  return (std::uint64_t{brev(static_cast<std::uint32_t>(a))} << 32U) |
         brev(static_cast<std::uint32_t>(a >> 32U));
}

/// bfe: `length` bits of a from bit `start` (each the low 8 bits of its operand), zero-extended, or
/// for signed T extended with the field's top bit. Bits beyond the operand's end are the sign bit
/// (signed) or zero.
template <typename T>
constexpr T bfe(T a, std::uint32_t start, std::uint32_t length) noexcept {
  using U = std::make_unsigned_t<T>;
  const std::uint32_t pos = start & 0xffU;
  const std::uint32_t len = length & 0xffU;
  if (len == 0) return 0;
  // A shift by the width or more leaves only copies of the sign (signed) or zeros (unsigned).
  const bool past = pos >= kBits<T>;
  const T shifted = past ? static_cast<T>(a < 0 ? ~T{0} : T{0}) : static_cast<T>(a >> pos);
  if (len >= kBits<T>) return shifted;
  const std::uint32_t spare = kBits<T> - len;
  return static_cast<T>(static_cast<T>(static_cast<U>(shifted) << spare) >> spare);
}

/// bfi: b with its `length` bits from `start` (each the low 8 bits of its operand) replaced by the
/// low bits of a.
template <typename U>
constexpr U bfi(U a, U b, std::uint32_t start, std::uint32_t length) noexcept {
  const std::uint32_t pos = start & 0xffU;
  const std::uint32_t len = length & 0xffU;
  if (len == 0 || pos >= kBits<U>) return b;
  const U field = len >= kBits<U> ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << len) - 1U);
  const U mask = static_cast<U>(field << pos);
  return static_cast<U>((b & ~mask) | ((a << pos) & mask));
}

/// bmsk.{clamp,wrap}.b32: ones at bits start .. start + length - 1.
template <bool kWrap>
constexpr std::uint32_t bmsk(std::uint32_t start, std::uint32_t length) noexcept {
  const std::uint32_t pos = kWrap ? (start & 31U) : start;
  const std::uint32_t len = kWrap ? (length & 31U) : length;
  if (len == 0 || pos > 31) return 0;
  const std::uint32_t field = len > 31 ? ~0U : (1U << len) - 1U;
  return field << pos;
}

/// szext.{clamp,wrap}: the low n bits of a, sign- or zero-extended; n beyond 32 counts as 32 when
/// clamped, modulo 32 when wrapped. n = 0 gives 0.
template <typename T, bool kWrap>
constexpr T szext(T a, std::uint32_t n) noexcept {
  const std::uint32_t len = kWrap ? (n & 31U) : n;
  return len > 31 ? a : bfe<T>(a, 0, len);
}

/// shl: an amount of the width or more gives 0.
template <typename U>
constexpr U shl(U a, std::uint32_t amount) noexcept {
  return amount >= kBits<U> ? U{0} : static_cast<U>(a << (amount & (kBits<U> - 1)));
}
/// shr: an amount of the width or more gives 0, or for signed T copies of the sign.
template <typename T>
constexpr T shr(T a, std::uint32_t amount) noexcept {
  const std::uint32_t last = kBits<T> - 1;
  const T shifted = static_cast<T>(a >> (amount > last ? last : amount));
  if constexpr (std::is_signed_v<T>) {
    return shifted;
  } else {
    return amount > last ? T{0} : shifted;
  }
}

/// shf.{l,r}.{wrap,clamp}.b32: 64 bits with `high` above `low`, shifted by c modulo 32 (wrap) or at
/// most 32 (clamp). l gives the upper half of the result, r the lower.
template <bool kLeft, bool kWrap>
constexpr std::uint32_t shf(std::uint32_t low, std::uint32_t high, std::uint32_t c) noexcept {
  const std::uint32_t n = kWrap ? (c & 31U) : (c > 32 ? 32U : c);
  const std::uint64_t both = (std::uint64_t{high} << 32U) | low;
  return static_cast<std::uint32_t>(kLeft ? (both << n) >> 32U : both >> n);
}

/// lop3.b32: `table` bit (4a + 2b + c) is the result for input bits a, b, c.
constexpr std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                             std::uint32_t table) noexcept {
  const auto row = [&](unsigned index) { return 0U - ((table >> index) & 1U); };
  return (row(0) & ~a & ~b & ~c) | (row(1) & ~a & ~b & c) | (row(2) & ~a & b & ~c) |
         (row(3) & ~a & b & c) | (row(4) & a & ~b & ~c) | (row(5) & a & ~b & c) |
         (row(6) & a & b & ~c) | (row(7) & a & b & c);
}

/// cnot: 1 where a is zero, else 0.
template <typename U>
constexpr U cnot(U a) noexcept {
  return a == 0 ? U{1} : U{0};
}

/// prmt with no mode: each selector nibble picks a byte of {b,a} (b0..b3 of a, b4..b7 of b); its
/// top bit replicates that byte's sign instead.
constexpr std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t selector) noexcept {
  const std::uint64_t both = (std::uint64_t{b} << 32U) | a;
  std::uint32_t result = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    const std::uint32_t nibble = selector >> (4 * byte);
    auto value = static_cast<std::uint32_t>(both >> (8 * (nibble & 7U))) & 0xffU;
    if ((nibble & 8U) != 0) value = (value & 0x80U) != 0 ? 0xffU : 0U;
    result |= value << (8 * byte);
  }
  return result;
}
/// The selector that makes prmt do what a mode does with the low two bits of c (PTX ISA, prmt,
/// table of modes): entry [mode][c], one nibble per byte.
template <ptx::Sub kMode>
constexpr std::uint32_t prmt_selector(std::uint32_t c) noexcept {
  using ptx::Sub;
  constexpr auto kTable = []() -> std::array<std::uint16_t, 4> {
    switch (kMode) {
      case Sub::kF4e:
        return {0x3210, 0x4321, 0x5432, 0x6543};
      case Sub::kB4e:
        return {0x5670, 0x6701, 0x7012, 0x0123};
      case Sub::kRc8:
        return {0x0000, 0x1111, 0x2222, 0x3333};
      case Sub::kEcl:
        return {0x3210, 0x3211, 0x3222, 0x3333};
      case Sub::kEcr:
        return {0x0000, 0x1110, 0x2210, 0x3210};
      default:  // kRc16
        return {0x1010, 0x3232, 0x1010, 0x3232};
    }
  }();
  return kTable[c & 3U];
}

}  // namespace lab::model::semantics
