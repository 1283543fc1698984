// Sizes rounded to a unit, and the lanes of a mask.
#pragma once

#include <bit>
#include <cstdint>

namespace lab {

/// The least multiple of `unit` that is not below `value`; `unit` is not 0.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// f(lane) for each lane whose bit is set, from the lowest.
template <typename F>
void each_lane(std::uint32_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

}  // namespace lab
