#include "harness/model/case/atomic_habits.h"

#include <algorithm>
#include <bit>

#include "harness/core/metric_keys.h"
#include "harness/model/case/access_lanes.h"
#include "harness/model/execute/block.h"
#include "harness/model/execute/warp.h"

namespace lab::model {
namespace {

// More words than any block has room for in shared memory; beyond them all are taken for new.
constexpr std::size_t kMostWords = 65536;

// The machine code may have one instruction that adds for all lanes, or for those at one word.
std::uint64_t additions_of(const AccessEvent& event, std::uint64_t places) {
  if (event.site->combined) return 1;
  if (event.site->rule == CostRule::kSharedCount) return places;
  return static_cast<std::uint64_t>(std::popcount(event.mask));
}

}  // namespace

void AtomicHabits::sum(const AccessEvent& event, Sums& sums, InBlock& block) const {
  const std::uint64_t places = event.site->combined ? 1 : places_of(event);
  const std::uint64_t added = additions_of(event, places);
  sums.adders += added;
  sums.places += places;
  for_lanes(event.mask, [&](unsigned lane) {
    const std::uint64_t at = event.at(lane);
    sums.low = std::min(sums.low, at);
    sums.high = std::max(sums.high, at);
    if (block.words.size() < kMostWords) {
      block.words.insert(at);
    } else if (!block.words.contains(at)) {
      ++sums.block_words;
    }
  });
  const SiteRole& role = (*roles_)[static_cast<std::size_t>(event.site - program_->sites.data())];
  if (!role.in_loop) return;
  std::uint64_t& last = block.last[event.warp->index];
  const std::uint64_t digest = digest_of(event);
  if (digest == last) sums.repeated += added;
  last = digest;
}

void AtomicHabits::access(const AccessEvent& event) {
  const SiteRole& role = (*roles_)[static_cast<std::size_t>(event.site - program_->sites.data())];
  Sums& sums = sites_[event.site];
  InBlock& block = blocks_[event.warp->block->index()][event.site];
  switch (role.atomic) {
    case AtomicUse::kSum:
      return sum(event, sums, block);
    case AtomicUse::kRetry:
      sums.tries += static_cast<std::uint64_t>(std::popcount(event.mask));
      sums.swap_places += places_of(event);
      return;
    case AtomicUse::kLock:
      sums.tries += static_cast<std::uint64_t>(std::popcount(event.mask));
      for_lanes(event.mask, [&](unsigned lane) {
        block.threads.insert(static_cast<std::uint32_t>(event.warp->index * kLanes + lane));
      });
      return;
    case AtomicUse::kLooks:
    case AtomicUse::kSwap:
      return;
  }
}

void AtomicHabits::block_ends(std::uint64_t block) {
  const auto ended = blocks_.find(block);
  if (ended == blocks_.end()) return;
  for (auto& [site, one] : ended->second) {
    sites_[site].block_words += one.words.size();
    sites_[site].threads += one.threads.size();
  }
  blocks_.erase(ended);
}

void AtomicHabits::Sums::add(const Sums& other) {
  adders += other.adders;
  places += other.places;
  block_words += other.block_words;
  repeated += other.repeated;
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  tries += other.tries;
  swap_places += other.swap_places;
  threads += other.threads;
}

void AtomicHabits::add(const AtomicHabits& other) {
  for (const auto& [site, sums] : other.sites_) sites_[site].add(sums);
}

void AtomicHabits::write(LineSums& sums) const {
  for (const auto& [site, seen] : sites_) {
    const ptx::Where& where = sums.where(*site);
    const bool shared = site->space == ptx::Space::kShared;
    const bool retries = seen.swap_places > 0;
    sums.add(where, retries ? metric::kSwapTries : metric::kLockTries, seen.tries);
    sums.add(where, metric::kSwapWords, seen.swap_places);
    sums.add(where, metric::kLockThreads, seen.threads);
    if (seen.adders == 0) continue;
    sums.add(where, shared ? metric::kSharedAdders : metric::kGlobalAdders, seen.adders);
    sums.add(where, shared ? metric::kSharedAdded : metric::kGlobalAdded, seen.places);
    sums.add(where, metric::kRepeatedAdders, seen.repeated);
    if (shared) continue;
    sums.add(where, metric::kBlockAdded, seen.block_words);
    sums.add(where, metric::kAddedWords, (seen.high - seen.low) / site->bytes() + 1);
    if (site->op == AccessOp::kAtomic) sums.add(where, metric::kUsedAdders, seen.adders);
  }
}

}  // namespace lab::model
