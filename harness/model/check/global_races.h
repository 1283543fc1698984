// Races in global memory: two accesses of one location by different threads, at least one of them a
// plain write, that nothing orders.
//
// Within a block barriers order warps, and __syncwarp() lanes, as in shared memory (clocks.h).
// Between blocks there is no barrier but a grid's; what orders them is a release in one block that
// another acquires: a fence and an atomic or a volatile store, and an atomic or a volatile load and
// a fence (PTX ISA, "Memory Consistency Model"). Which store a load reads from is not followed: a
// block counts as ordered after all that released before it last acquired. So some races are
// missed in kernels that synchronise blocks, and none is reported that is not one.
//
// Blocks run one after another, or on several cores. For each location the last write is kept, and
// a read by each of two threads, of different blocks where there are such: enough to find a race of
// blocks wherever there is one. This is what all cores share; global_checker.h is each core's own.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "harness/model/check/ordering.h"
#include "harness/model/check/race_shadow.h"
#include "harness/model/code/decoded.h"

namespace lab::model::check {

class GlobalRaces {
 public:
  /// Bytes that a launch may take to remember its accesses.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;

  /// For the memory of a launch. `grain`: the smallest access, at most 4 bytes.
  GlobalRaces(const Program& program, const GlobalMemory& memory, std::uint32_t grain,
              std::uint64_t most = kMostBytes);

  [[nodiscard]] RaceShadow& shadow() { return shadow_; }
  [[nodiscard]] const RaceShadow& shadow() const { return shadow_; }
  /// By site.
  [[nodiscard]] const Ordering& ordering(std::uint32_t site) const { return orderings_[site]; }

  /// Block `block` publishes what its warps did up to `tick`.
  void release(std::uint64_t block, std::uint32_t tick);
  /// Some block has released.
  [[nodiscard]] bool synchronises() const { return synchronises_.load(std::memory_order_relaxed); }
  /// Block `block` goes on after all that was released.
  void acquire(std::uint64_t block);
  /// Whether what block `other` did at `tick` was released after it happened, and `block` has
  /// acquired since.
  [[nodiscard]] bool published(std::uint64_t other, std::uint32_t tick, std::uint64_t block);

 private:
  struct Release {
    std::uint64_t time = 0;
    std::uint32_t tick = 0;
  };

  std::vector<Ordering> orderings_;
  RaceShadow shadow_;
  std::atomic<bool> synchronises_ = false;
  std::mutex mutex_;  ///< of what follows
  std::uint64_t time_ = 0;
  std::unordered_map<std::uint64_t, std::vector<Release>> released_;
  std::unordered_map<std::uint64_t, std::uint64_t> acquired_;
};

}  // namespace lab::model::check
