// Races in global memory: two accesses of one location by different blocks, or by different warps
// of a block, at least one of them a plain write, that nothing orders.
//
// Within a block barriers order warps, as in shared memory (clocks.h). Between blocks there is no
// barrier but a grid's; what orders them is a release in one block that another acquires: a fence
// and an atomic or a volatile store, and an atomic or a volatile load and a fence (PTX ISA, "Memory
// Consistency Model"). Which store a load reads from is not followed: a block counts as ordered
// after all that released before it last acquired. So some races are missed in kernels that
// synchronise blocks, and none is reported that is not one.
//
// Blocks run one after another, or on several cores. For each location the last write is kept, and
// a read by each of two blocks: enough to find a race of blocks wherever there is one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "harness/model/memory/memory.h"

namespace lab::model::check {

/// One warp's access, in 64 bits.
struct GlobalAccess {
  std::uint64_t block = 0;  ///< below kMostBlocks
  std::uint32_t where = 0;  ///< index into Program::code, below kMostCode
  std::uint32_t warp = 0;
  std::uint32_t tick = 0;  ///< of its warp, counted from the block's first
  bool strong = false;     ///< atomic, or ordered by its own instruction: not with others that are

  static constexpr std::uint64_t kMostBlocks = (1U << 24U) - 1U;
  static constexpr std::uint32_t kMostCode = 1U << 18U;
  static constexpr std::uint32_t kMostTicks = (1U << 16U) - 1U;  ///< later ones count as this one
};

class GlobalRaces {
 public:
  /// For the memory of a launch. `grain`: the smallest access, at most 4 bytes.
  GlobalRaces(const GlobalMemory& memory, std::uint32_t grain);

  /// How many bytes that would take.
  [[nodiscard]] static std::uint64_t cost(const GlobalMemory& memory, std::uint32_t grain);

  /// Work done once for all lanes of an instruction that access one buffer.
  class Batch;
  /// The same of lanes that access no byte outside of [low, low + span).
  [[nodiscard]] Batch batch(std::uint64_t low, std::uint64_t span, const GlobalAccess& now);

  /// `ordered(other)`: whether an access of the same block comes before what happens now.
  /// `value(i)`: what is written to the i-th location, up to 4 bytes. `harmless(other)`: whether a
  /// write of the same value does not race with `other`. Returns the earlier access with which this
  /// one races.
  template <typename Ordered, typename Value, typename Harmless>
  std::optional<GlobalAccess> access(std::uint64_t address, std::uint32_t bytes,
                                     const GlobalAccess& now, bool writes, Ordered ordered,
                                     Value value, Harmless harmless);

  /// Block `block` publishes what its warps did up to `tick`.
  void release(std::uint64_t block, std::uint32_t tick);
  /// Block `block` goes on after all that was released.
  void acquire(std::uint64_t block);
  /// A location written earlier was written by a plain access of another block or warp.
  [[nodiscard]] std::uint32_t grain() const { return grain_; }

 private:
  /// 0: none. Several cores may note accesses of one location at once: one of them is lost, as if
  /// it had come first.
  struct Cell {
    std::atomic<std::uint64_t> write{0};
    std::atomic<std::uint64_t> read{0};
    std::atomic<std::uint64_t> other_read{0};
    /// The value that `write` wrote: memory may not have it yet, where another core is about to
    /// store it.
    std::atomic<std::uint32_t> value{0};
    void note_write(std::uint64_t bits, std::uint32_t written) {
      value.store(written, std::memory_order_relaxed);
      write.store(bits, std::memory_order_release);
    }
  };
  struct Region {
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
    std::unique_ptr<Cell[]> cells;
  };
  struct Release {
    std::uint64_t time = 0;
    std::uint32_t tick = 0;
  };

  /// Block and warp in pack().
  static constexpr std::uint64_t kWho = ~std::uint64_t{0} << 40U | std::uint64_t{31} << 16U;
  [[nodiscard]] static std::uint64_t pack(const GlobalAccess& a);
  [[nodiscard]] static GlobalAccess unpack(std::uint64_t bits);
  [[nodiscard]] Region* find(std::uint64_t address);
  /// Whether `other` was released after it happened, and `block` has acquired since.
  [[nodiscard]] bool published(const GlobalAccess& other, std::uint64_t block);
  static void note_read(Cell& cell, std::uint64_t bits);

  std::uint32_t grain_;
  std::vector<Region> regions_;
  std::atomic<bool> synchronises_ = false;  ///< some block has released
  std::mutex mutex_;                        ///< of what follows
  std::uint64_t time_ = 0;
  std::unordered_map<std::uint64_t, std::vector<Release>> released_;
  std::unordered_map<std::uint64_t, std::uint64_t> acquired_;
};

class GlobalRaces::Batch {
 public:
  /// Notes a lane's access as access() would, where it cannot race: all accesses that matter at
  /// these locations are of its own warp. Otherwise it notes nothing and returns false.
  template <typename Value>
  [[nodiscard]] bool note(std::uint64_t address, std::uint32_t bytes, bool writes,
                          Value value) const {
    if (cells_ == nullptr) return false;
    const std::uint64_t first = (address - base_) / grain_;
    const std::uint64_t last = (address - base_ + bytes - 1) / grain_;
    constexpr auto kRelaxed = std::memory_order_relaxed;
    for (std::uint64_t at = first; at <= last; ++at) {
      const Cell& cell = cells_[at];
      if (!is_own(cell.write.load(kRelaxed))) return false;
      if (!writes) continue;
      if (!is_own(cell.read.load(kRelaxed)) || !is_own(cell.other_read.load(kRelaxed)))
        return false;
    }
    for (std::uint64_t at = first; at <= last; ++at) {
      if (writes) {
        cells_[at].note_write(bits_, value(static_cast<std::uint32_t>(at - first)));
      } else {
        note_read(cells_[at], bits_);
      }
    }
    return true;
  }

 private:
  friend class GlobalRaces;
  [[nodiscard]] bool is_own(std::uint64_t kept) const {
    return kept == 0 || ((kept ^ bits_) & kWho) == 0;
  }

  Cell* cells_ = nullptr;  // none: each lane is looked at alone
  std::uint64_t base_ = 0;
  std::uint64_t bits_ = 0;
  std::uint32_t grain_ = 1;
};

inline void GlobalRaces::note_read(Cell& cell, std::uint64_t bits) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::uint64_t kept = cell.read.load(kRelaxed);
  const bool own = kept == 0 || (kept ^ bits) >> 40U == 0;
  (own ? cell.read : cell.other_read).store(bits, kRelaxed);
}

template <typename Ordered, typename Value, typename Harmless>
std::optional<GlobalAccess> GlobalRaces::access(std::uint64_t address, std::uint32_t bytes,
                                                const GlobalAccess& now, bool writes,
                                                Ordered ordered, Value value, Harmless harmless) {
  Region* region = find(address);
  if (region == nullptr || bytes > region->bytes - (address - region->base)) return {};
  std::optional<GlobalAccess> found;
  const auto meet = [&](std::uint64_t bits, bool same) {
    if (bits == 0 || found) return;
    const GlobalAccess other = unpack(bits);
    if (other.strong && now.strong) return;
    if (same && harmless(other)) return;
    const bool before = other.block == now.block ? other.warp == now.warp || ordered(other)
                                                 : published(other, now.block);
    if (!before) found = other;
  };
  const std::uint64_t bits = pack(now);
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::uint64_t first = (address - region->base) / grain_;
  const std::uint64_t last = (address - region->base + bytes - 1) / grain_;
  for (std::uint64_t at = first; at <= last; ++at) {
    Cell& cell = region->cells[at];
    const std::uint64_t write = cell.write.load(std::memory_order_acquire);
    const std::uint32_t written = writes ? value(static_cast<std::uint32_t>(at - first)) : 0;
    meet(write, writes && cell.value.load(kRelaxed) == written);
    if (writes) {
      meet(cell.read.load(kRelaxed), false);
      meet(cell.other_read.load(kRelaxed), false);
      cell.note_write(bits, written);
    } else {
      note_read(cell, bits);
    }
  }
  return found;
}

}  // namespace lab::model::check
