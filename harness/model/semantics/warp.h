// Operations between the lanes of a warp, over arrays of 32 lanes and lane masks (bit i: lane i):
// PTX ISA, "Data Movement" (shfl.sync) and "Parallel Synchronization and Communication
// Instructions" (vote, match, redux, elect).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "harness/kernel/ptx/opcode.h"
#include "harness/model/semantics/integer.h"

namespace lab::model::semantics {

inline constexpr unsigned kLanes = 32;
template <typename T>
using Lanes = std::array<T, kLanes>;
using LaneMask = std::uint32_t;

constexpr bool has_lane(LaneMask mask, unsigned lane) noexcept {
  return ((mask >> lane) & 1U) != 0;
}

struct ShuffleSource {
  unsigned lane;  ///< whose value is read; the reader itself where not `in_range`
  bool in_range;  ///< the destination predicate
};
/// shfl's source lane. `b`: lane or delta, its low 5 bits count. `c`: clamp value in bits 4..0,
/// segment mask in bits 12..8.
template <ptx::Sub kMode>
constexpr ShuffleSource shuffle_source(unsigned lane, std::uint32_t b, std::uint32_t c) noexcept {
  using ptx::Sub;
  const int self = static_cast<int>(lane);
  const int value = static_cast<int>(b & 31U);
  const int clamp = static_cast<int>(c & 31U);
  const int segment = static_cast<int>((c >> 8U) & 31U);
  const int first = self & segment;
  const int last = first | (clamp & ~segment);
  int from = self;
  bool in_range = false;
  if constexpr (kMode == Sub::kUp) {
    from = self - value;
    in_range = from >= last;  // for `up` the clamp bounds from below
  } else if constexpr (kMode == Sub::kDown) {
    from = self + value;
    in_range = from <= last;
  } else if constexpr (kMode == Sub::kBfly) {
    from = self ^ value;
    in_range = from <= last;
  } else {
    from = first | (value & ~segment);
    in_range = from <= last;
  }
  return {in_range ? static_cast<unsigned>(from) : lane, in_range};
}

struct Shuffled {
  Lanes<std::uint32_t> values;  ///< of lanes that are not active: unspecified
  LaneMask in_range;            ///< predicates, of active lanes
};
template <ptx::Sub kMode>
constexpr Shuffled shuffle(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                           LaneMask active) noexcept {
  Lanes<std::uint32_t> lanes{};
  LaneMask in_range = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const ShuffleSource source = shuffle_source<kMode>(lane, b[lane], c[lane]);
    lanes[lane] = source.lane;
    in_range |= std::uint32_t{source.in_range} << lane;
  }
  Shuffled result{{}, in_range & active};
  for (unsigned lane = 0; lane < kLanes; ++lane) result.values[lane] = a[lanes[lane]];
  return result;
}
/// Active lanes that read from an inactive one: what they get is undefined in PTX.
template <ptx::Sub kMode>
constexpr LaneMask bad_shuffle_sources(const std::uint32_t* b, const std::uint32_t* c,
                                       LaneMask active) noexcept {
  LaneMask bad = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const ShuffleSource source = shuffle_source<kMode>(lane, b[lane], c[lane]);
    bad |= (has_lane(active, source.lane) ? 0U : 1U) << lane;
  }
  return bad & active;
}

/// vote over the lanes of `members`; `source` holds the lanes' predicates. ballot gives a mask, the
/// others 1 or 0.
template <ptx::Sub kMode>
constexpr std::uint32_t vote(LaneMask source, LaneMask members) noexcept {
  using ptx::Sub;
  const LaneMask set = source & members;
  if constexpr (kMode == Sub::kBallot) return set;
  if constexpr (kMode == Sub::kAll) return set == members ? 1 : 0;
  if constexpr (kMode == Sub::kAny) return set != 0 ? 1 : 0;
  return set == members || set == 0 ? 1 : 0;  // uni
}

/// match.any: for each member the members with its value. 0 for lanes that are not members.
template <typename T>
constexpr Lanes<LaneMask> match_any(const T* values, LaneMask members) noexcept {
  Lanes<LaneMask> result{};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(members, lane)) continue;
    for (unsigned other = 0; other < kLanes; ++other) {
      const bool same = has_lane(members, other) && values[other] == values[lane];
      result[lane] |= (same ? 1U : 0U) << other;
    }
  }
  return result;
}
/// match.all: `members` where all of them have one value, else 0. The predicate is "not 0".
template <typename T>
constexpr LaneMask match_all(const T* values, LaneMask members) noexcept {
  if (members == 0) return 0;
  const T first = values[std::countr_zero(members)];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (has_lane(members, lane) && values[lane] != first) return 0;
  }
  return members;
}

/// redux.sync over the lanes of `members` (at least one), in T: u32 or s32.
template <ptx::Sub kOp, typename T>
constexpr T redux(const T* values, LaneMask members) noexcept {
  using ptx::Sub;
  T result = values[std::countr_zero(members)];
  for (LaneMask rest = members & (members - 1); rest != 0; rest &= rest - 1) {
    const T value = values[std::countr_zero(rest)];
    if constexpr (kOp == Sub::kAdd) result = add(result, value);
    if constexpr (kOp == Sub::kMin) result = min(result, value);
    if constexpr (kOp == Sub::kMax) result = max(result, value);
    if constexpr (kOp == Sub::kAnd) result &= value;
    if constexpr (kOp == Sub::kOr) result |= value;
    if constexpr (kOp == Sub::kXor) result ^= value;
  }
  return result;
}

/// elect.sync: PTX leaves the choice open ("the same leader for the same mask"); the lowest lane.
constexpr unsigned elect(LaneMask members) noexcept {
  return members == 0 ? 0 : static_cast<unsigned>(std::countr_zero(members));
}

}  // namespace lab::model::semantics
