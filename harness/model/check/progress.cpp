#include "harness/model/check/progress.h"

#include <cstring>

namespace lab::model::check {

std::uint64_t state_hash(std::span<const std::byte> registers, std::uint32_t mask,
                         std::uint32_t block) {
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto mix = [&](std::uint64_t word) { hash = (hash ^ word) * kPrime ^ (hash >> 47U); };
  mix((std::uint64_t{mask} << 32U) | block);
  for (std::size_t at = 0; at + 8 <= registers.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, registers.data() + at, sizeof word);
    mix(word);
  }
  return hash;
}

void Progress::begin() { warps_.assign(warps_.size(), {}); }

void Progress::note(std::size_t warp, std::uint64_t state, std::uint64_t stores) {
  Seen& seen = warps_[warp];
  if (stores != seen.stores) seen = {state, stores, 0, 1, 0};
  if (seen.notes > 0 && state == seen.state) {
    ++seen.repeats;
  } else if (seen.notes + 1 >= seen.replace_at) {
    seen.state = state;
    seen.repeats = 0;
    seen.replace_at *= 2;
  }
  ++seen.notes;
}

}  // namespace lab::model::check
