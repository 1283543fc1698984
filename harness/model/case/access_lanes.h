// The lanes of an access as those who look at habits take them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "harness/model/cost/rules.h"
#include "harness/model/execute/observer.h"

namespace lab::model {

/// f(lane) for each lane of `mask`, the lowest first.
template <typename F>
void for_lanes(std::uint32_t mask, F f) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    f(static_cast<unsigned>(std::countr_zero(left)));
  }
}

/// Those lanes of the access that are in `mask`.
[[nodiscard]] inline WarpAccess lanes_of(const AccessEvent& event, std::uint32_t mask) {
  WarpAccess lanes;
  lanes.mask = mask;
  lanes.bytes = event.site->bytes();
  for_lanes(mask, [&](unsigned lane) { lanes.address[lane] = event.at(lane); });
  return lanes;
}
[[nodiscard]] inline WarpAccess lanes_of(const AccessEvent& event) {
  return lanes_of(event, event.mask);
}

/// The same as the machine code makes the access, which may have merged it with its neighbours.
[[nodiscard]] inline WarpAccess counted_lanes_of(const AccessEvent& event, std::uint32_t mask) {
  WarpAccess lanes;
  lanes.mask = mask;
  lanes.bytes = event.site->cost_bytes;
  const auto shift = static_cast<std::uint64_t>(std::int64_t{event.site->cost_shift});
  for_lanes(mask, [&](unsigned lane) { lanes.address[lane] = event.at(lane) + shift; });
  return lanes;
}

/// Distinct addresses.
[[nodiscard]] inline std::uint64_t places_of(const AccessEvent& event) {
  std::array<std::uint64_t, kLanes> all{};
  std::size_t count = 0;
  for_lanes(event.mask, [&](unsigned lane) { all[count++] = event.at(lane); });
  std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  const auto* const end =
      std::unique(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<std::uint64_t>(end - all.begin());
}

/// Of the lanes and their addresses: FNV-1a, by words.
[[nodiscard]] inline std::uint64_t digest_of(const AccessEvent& event) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t digest = 0xcbf29ce484222325 ^ event.mask;
  for_lanes(event.mask, [&](unsigned lane) { digest = (digest ^ event.at(lane)) * kPrime; });
  return digest;
}

}  // namespace lab::model
