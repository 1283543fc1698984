#include "harness/model/check/global_races.h"

#include <algorithm>

namespace lab::model::check {

GlobalRaces::GlobalRaces(const GlobalMemory& memory, std::uint32_t grain) : grain_(grain) {
  for (const Allocation& a : memory.all()) {
    if (!a.writable || a.bytes == 0) continue;  // nothing can race there
    const auto cells = static_cast<std::size_t>((a.bytes + grain - 1) / grain);
    regions_.push_back({a.base, a.bytes, std::make_unique<Cell[]>(cells)});
  }
}

std::uint64_t GlobalRaces::cost(const GlobalMemory& memory, std::uint32_t grain) {
  std::uint64_t bytes = 0;
  for (const Allocation& a : memory.all()) bytes += a.writable ? a.bytes : 0;
  return bytes / grain * sizeof(Cell);
}

std::uint64_t GlobalRaces::pack(const GlobalAccess& a) {
  return (a.block + 1) << 40U | std::uint64_t{a.where} << 22U | std::uint64_t{a.strong} << 21U |
         std::uint64_t{a.warp} << 16U | std::min(a.tick, GlobalAccess::kMostTicks);
}

GlobalAccess GlobalRaces::unpack(std::uint64_t bits) {
  GlobalAccess a;
  a.block = (bits >> 40U) - 1;
  a.where = static_cast<std::uint32_t>(bits >> 22U) & (GlobalAccess::kMostCode - 1U);
  a.strong = ((bits >> 21U) & 1U) != 0;
  a.warp = static_cast<std::uint32_t>(bits >> 16U) & 31U;
  a.tick = static_cast<std::uint32_t>(bits) & GlobalAccess::kMostTicks;
  return a;
}

GlobalRaces::Region* GlobalRaces::find(std::uint64_t address) {
  const auto after = std::upper_bound(
      regions_.begin(), regions_.end(), address,
      [](std::uint64_t value, const Region& region) { return value < region.base; });
  if (after == regions_.begin()) return nullptr;
  Region& region = *(after - 1);
  return address - region.base < region.bytes ? &region : nullptr;
}

GlobalRaces::Batch GlobalRaces::batch(std::uint64_t low, std::uint64_t span,
                                      const GlobalAccess& now) {
  Batch made;
  Region* region = find(low);
  if (region == nullptr || span > region->bytes - (low - region->base)) return made;
  made.cells_ = region->cells.get();
  made.base_ = region->base;
  made.bits_ = pack(now);
  made.grain_ = grain_;
  return made;
}

void GlobalRaces::release(std::uint64_t block, std::uint32_t tick) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Release>& own = released_[block];
  own.push_back({++time_, own.empty() ? tick : std::max(tick, own.back().tick)});
  synchronises_.store(true, std::memory_order_relaxed);
}

void GlobalRaces::acquire(std::uint64_t block) {
  if (!synchronises_.load(std::memory_order_relaxed)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  acquired_[block] = ++time_;
}

bool GlobalRaces::published(const GlobalAccess& other, std::uint64_t block) {
  if (!synchronises_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto released = released_.find(other.block);
  const auto acquired = acquired_.find(block);
  if (released == released_.end() || acquired == acquired_.end()) return false;
  // Both grow from release to release.
  const auto next =
      std::lower_bound(released->second.begin(), released->second.end(), other.tick,
                       [](const Release& r, std::uint32_t tick) { return r.tick < tick; });
  return next != released->second.end() && next->time < acquired->second;
}

}  // namespace lab::model::check
