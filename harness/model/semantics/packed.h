// Several integers in one 32-bit word: PTX ISA, "add", "min" and "max" of .u16x2 and .s16x2, and
// the "SIMD Video Instructions". T is the type of one of them, std::int8_t to std::uint16_t.
#pragma once

#include <cstdint>

namespace lab::model::semantics {

/// f of the low halves and of the high halves, as std::int16_t or std::uint16_t.
template <auto kFunction, typename Signature = decltype(kFunction)>
struct Halves;
template <auto kFunction, typename T>
struct Halves<kFunction, T (*)(T, T) noexcept> {
  static constexpr std::uint32_t of(std::uint32_t a, std::uint32_t b) noexcept {
    const T low = kFunction(static_cast<T>(a), static_cast<T>(b));
    const T high = kFunction(static_cast<T>(a >> 16U), static_cast<T>(b >> 16U));
    return static_cast<std::uint16_t>(low) |
           static_cast<std::uint32_t>(static_cast<std::uint16_t>(high)) << 16U;
  }
};
template <auto kFunction>
constexpr std::uint32_t by_halves(std::uint32_t a, std::uint32_t b) noexcept {
  return Halves<kFunction>::of(a, b);
}

/// |a - b| of two elements: at most 2^bits - 1, for signed ones too.
template <typename T>
constexpr std::uint32_t distance(std::uint32_t a, std::uint32_t b) noexcept {
  const int difference = static_cast<T>(a) - static_cast<T>(b);
  return static_cast<std::uint32_t>(difference < 0 ? -difference : difference);
}
/// vabsdiff2 (T of 16 bits), vabsdiff4 (of 8): the distances of all elements, each in its place.
/// The third operand fills elements that a mask leaves out; without a mask none is left out.
template <typename T>
constexpr std::uint32_t distances(std::uint32_t a, std::uint32_t b, std::uint32_t) noexcept {
  std::uint32_t result = 0;
  for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(T)) {
    result |= distance<T>(a >> shift, b >> shift) << shift;
  }
  return result;
}
/// vabsdiff2.add, vabsdiff4.add: their sum, and c. It wraps.
template <typename T>
constexpr std::uint32_t add_distances(std::uint32_t a, std::uint32_t b, std::uint32_t c) noexcept {
  std::uint32_t sum = c;
  for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(T)) {
    sum += distance<T>(a >> shift, b >> shift);
  }
  return sum;
}

}  // namespace lab::model::semantics
