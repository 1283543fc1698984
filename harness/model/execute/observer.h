// Events of an execution, for the checkers and the access log. Without an observer, a handler pays
// for one test of a pointer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/finding.h"
#include "harness/model/memory/memory.h"
#include "harness/model/program/instruction.h"
#include "harness/model/program/site.h"

namespace lab::model {

class Block;

/// One memory instruction of one warp. `at(i)` is active lane i's address: a device address in
/// global memory, an offset in shared memory, an offset in the thread's own local memory. The
/// observer is called before memory changes, and before bounds and alignment are checked.
struct AccessEvent {
  const Warp* warp = nullptr;
  const Site* site = nullptr;
  ptx::Space space = ptx::Space::kGlobal;
  std::uint32_t mask = 0;                  ///< active lanes
  const std::uint64_t* address = nullptr;  ///< of the lanes, without `offset`
  std::uint64_t offset = 0;
  const Pattern* pattern = nullptr;  ///< null for local memory

  [[nodiscard]] std::uint64_t at(unsigned lane) const { return address[lane] + offset; }
  /// That of the first active lane.
  [[nodiscard]] std::uint64_t first() const {
    return at(static_cast<unsigned>(__builtin_ctz(mask)));
  }
};

/// One lane's copy of many bytes (cp.async.bulk): what it reads or writes on one side.
struct BulkEvent {
  const Warp* warp = nullptr;
  const Site* site = nullptr;
  unsigned lane = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// An operation of a warp's lanes on an object that orders threads, such as an mbarrier.
struct SyncEvent {
  const Warp* warp = nullptr;
  std::uint64_t address = 0;  ///< of the object, in shared memory
  bool acquires = false;      ///< they go on after all that was released there
  bool releases = false;      ///< what they did comes before what is acquired there later
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void block_begins(const Block& block) = 0;
  virtual void access(const AccessEvent& event) = 0;
  /// A barrier lets the warps go on that wait at it. One bit per warp: all that `arrived`, and
  /// those of them that were `waiting` for the others (after bar.arrive a warp does not wait).
  virtual void barrier_released(const Block& block, std::uint32_t arrived,
                                std::uint32_t waiting) = 0;
  /// bar.warp.sync: the lanes in `mask` see each other's earlier writes.
  virtual void warp_synchronised(const Warp& warp, std::uint32_t mask) = 0;
  virtual void bulk_access(const BulkEvent& /*event*/) {}
  /// The same of the other side: `address` is a device address, within one allocation.
  virtual void bulk_global_access(const BulkEvent& /*event*/) {}
  virtual void synchronised(const SyncEvent& /*event*/) {}
  /// membar, fence: what the warp did becomes visible to other blocks before what it does.
  virtual void fenced(const Warp& /*warp*/) {}
  /// All threads of the block have arrived at the barrier of its cluster of several blocks; or,
  /// when all its blocks have, they are `released`. barrier_released() is called besides.
  virtual void cluster_barrier(const Block& /*block*/, bool /*released*/) {}
  /// The warp is about to execute `ins`. Only warps that Block::follow() was asked for are
  /// reported.
  virtual void executes(const Ins& /*ins*/, Warp& /*warp*/) {}
  virtual void block_ends(Block& block) = 0;
};

/// Several observers as one.
class Observers final : public Observer {
 public:
  void add(std::unique_ptr<Observer> observer) {
    all_.insert(all_.begin() + for_all_, std::move(observer));
    ++for_all_;
  }
  /// Of accesses it is told those of global and constant memory alone: most that a tiled kernel
  /// makes are of shared memory.
  void add_for_global(std::unique_ptr<Observer> observer) { all_.push_back(std::move(observer)); }
  void block_begins(const Block& block) override;
  void access(const AccessEvent& event) override;
  void barrier_released(const Block& block, std::uint32_t arrived, std::uint32_t waiting) override;
  void warp_synchronised(const Warp& warp, std::uint32_t mask) override;
  void bulk_access(const BulkEvent& event) override;
  void bulk_global_access(const BulkEvent& event) override;
  void synchronised(const SyncEvent& event) override;
  void fenced(const Warp& warp) override;
  void cluster_barrier(const Block& block, bool released) override;
  void executes(const Ins& ins, Warp& warp) override;
  void block_ends(Block& block) override;

 private:
  std::vector<std::unique_ptr<Observer>> all_;
  std::ptrdiff_t for_all_ = 0;  ///< the first so many
};

/// Something that a kernel did wrong, before it is put into words.
struct Fault {
  FindingKind kind = FindingKind::kOutOfBounds;
  std::uint32_t where = 0;  ///< index into Program::code
  std::uint32_t warp = 0;   ///< in its block
  unsigned lane = 0;
  std::uint64_t block = 0;  ///< linear index in the grid
  ptx::Space space = ptx::Space::kGlobal;
  AccessOp op = AccessOp::kLoad;
  std::uint32_t bytes = 0;
  std::uint64_t address = 0;
  std::string detail = {};  ///< what a checker adds to the fields
  std::uint64_t count = 1;
  // Of a race: the access that the model ran earlier.
  std::uint32_t other = kNone;
  std::uint64_t other_block = 0;
  std::uint32_t other_warp = 0;
  unsigned other_lane = 0;
  std::uint32_t used = kNone;  ///< of a read of what nobody wrote: the instruction that used it
};
/// Of a race: both accesses are one warp's.
[[nodiscard]] inline bool is_within_a_warp(const Fault& race) {
  return race.block == race.other_block && race.warp == race.other_warp;
}

/// The faults of one core, one per kind and instruction, or pair of instructions of a race
/// within a warp or between two: that of the lowest block, warp and lane, with how often it was
/// seen.
class Faults {
 public:
  void add(Fault fault);
  void merge(const Faults& other);
  /// Sorted by instruction, then by kind.
  [[nodiscard]] std::vector<Fault> all() const;
  [[nodiscard]] bool empty() const { return faults_.empty(); }

 private:
  std::vector<Fault> faults_;
};

}  // namespace lab::model
