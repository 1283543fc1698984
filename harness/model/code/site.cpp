#include "harness/model/code/site.h"

#include <array>
#include <bit>

namespace lab::model {

namespace {

using Count = std::uint64_t SiteCounts::*;
constexpr std::array<Count, 14> kCounts = {&SiteCounts::requests,
                                           &SiteCounts::lanes,
                                           &SiteCounts::distinct_bytes,
                                           &SiteCounts::sectors,
                                           &SiteCounts::lines,
                                           &SiteCounts::wavefronts,
                                           &SiteCounts::wavefronts_sass,
                                           &SiteCounts::groups,
                                           &SiteCounts::load_requests,
                                           &SiteCounts::load_wavefronts,
                                           &SiteCounts::load_wavefronts_sass,
                                           &SiteCounts::load_groups,
                                           &SiteCounts::past_l1_sectors,
                                           &SiteCounts::mapped};
static_assert(sizeof(SiteCounts) == kCounts.size() * sizeof(std::uint64_t), "a count is missing");

}  // namespace

void SiteCounts::add(const SiteCounts& other) {
  for (const Count count : kCounts) this->*count += other.*count;
}

SiteCounts SiteCounts::per(std::uint64_t rounds) const {
  SiteCounts all = *this;
  if (rounds <= 1) return all;
  for (const Count count : kCounts) all.*count /= rounds;
  return all;
}

void SiteState::count_other_lanes(std::uint32_t mask) noexcept {
  // flush() will add the pattern's; where they are more, the sum wraps back then.
  counts.lanes += static_cast<std::uint64_t>(std::popcount(mask));
  counts.lanes -= static_cast<std::uint64_t>(std::popcount(pattern->key.mask));
}

void SiteState::flush() noexcept {
  if (pattern == nullptr || uses == 0) return;
  counts.lanes += uses * static_cast<std::uint64_t>(std::popcount(pattern->key.mask));
  counts.distinct_bytes += uses * pattern->distinct_bytes;
  // Wide shared accesses all have phase 0.
  std::uint64_t narrow = 0;
  for (unsigned phase = 1; phase < 4; ++phase) narrow += phase_uses[phase];
  phase_uses[0] = uses - narrow;
  for (unsigned phase = 0; phase < 4; ++phase) {
    const BankCost& cost = pattern->shared[phase];
    counts.requests += phase_uses[phase] * cost.requests;
    if (cost.load_hardware > 0) {
      counts.load_requests += phase_uses[phase] * cost.requests;
      counts.load_wavefronts += phase_uses[phase] * cost.load_hardware;
      counts.load_wavefronts_sass += phase_uses[phase] * cost.load_sass;
      counts.load_groups += phase_uses[phase] * cost.load_groups;
    }
    counts.wavefronts += phase_uses[phase] * cost.hardware;
    counts.wavefronts_sass += phase_uses[phase] * cost.sass;
    counts.groups += phase_uses[phase] * cost.groups;
  }
  uses = 0;
  phase_uses = {};
}

void SiteState::flush_group(SiteState* all) noexcept {
  flush();
  if (group_uses == 0) return;
  for (const std::uint32_t index : site->followers) {
    SiteState& follower = all[index];
    follower.flush();
    follower.pattern = pattern;
    follower.uses = group_uses;
    follower.flush();
  }
  group_uses = 0;
}

}  // namespace lab::model
