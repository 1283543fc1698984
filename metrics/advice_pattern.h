// How the lanes of a warp spread over memory, in words.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/core/record.h"

namespace lab::metrics {

/// One instruction of a warp.
struct Pattern {
  int lanes = 0;                            ///< that take part
  int addresses = 0;                        ///< distinct
  std::int64_t first = 0;                   ///< bytes, of the first of them
  std::int64_t begin = 0;                   ///< bytes, where the longest of its runs begins
  std::optional<std::int64_t> stride = {};  ///< bytes between most neighbours
  int runs = 1;                             ///< of neighbours that are a stride apart
  int every = 1;                            ///< each how many-th lane takes part; 0: in no order
  bool from_first_lane = false;             ///< the lanes that take part are the first ones
};
[[nodiscard]] Pattern pattern_of(const Access& access);

/// Each lane that takes part finds its element where it would if all did: what is wasted is lanes.
[[nodiscard]] bool is_dense_but_for_idle_lanes(const Access& access);

constexpr std::int64_t kBankBytes = 4;  ///< of a bank's word

/// The bank of shared memory of which most words are wanted at once.
struct Crowd {
  int bank = 0;
  int words = 0;  ///< distinct words of that bank
};
[[nodiscard]] Crowd crowd_of(const Access& access);

}  // namespace lab::metrics
