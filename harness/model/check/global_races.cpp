#include "harness/model/check/global_races.h"

#include <algorithm>
#include <bit>

namespace lab::model::check {
namespace {

std::vector<Shape> shapes_of(const Program& program, const std::vector<Ordering>& orderings) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < orderings.size(); ++i) {
    const auto shift = static_cast<std::uint8_t>(std::countr_zero(program.sites[i].bytes()));
    shapes.push_back({shift, orderings[i].is_store && !orderings[i].is_together});
  }
  return shapes;
}

}  // namespace

GlobalRaces::GlobalRaces(const Program& program, const GlobalMemory& memory, std::uint32_t grain,
                         std::uint64_t most)
    : orderings_(orderings_of(program)),
      shadow_(memory, grain, shapes_of(program, orderings_), most) {}

void GlobalRaces::release(std::uint64_t block, std::uint32_t tick) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Release>& own = released_[block];
  own.push_back({++time_, own.empty() ? tick : std::max(tick, own.back().tick)});
  synchronises_.store(true, std::memory_order_relaxed);
}

void GlobalRaces::acquire(std::uint64_t block) {
  if (!synchronises()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  acquired_[block] = ++time_;
}

bool GlobalRaces::published(std::uint64_t other, std::uint32_t tick, std::uint64_t block) {
  if (!synchronises()) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto released = released_.find(other);
  const auto acquired = acquired_.find(block);
  if (released == released_.end() || acquired == acquired_.end()) return false;
  // Both grow from release to release.
  const auto next = std::lower_bound(released->second.begin(), released->second.end(), tick,
                                     [](const Release& r, std::uint32_t t) { return r.tick < t; });
  return next != released->second.end() && next->time < acquired->second;
}

}  // namespace lab::model::check
