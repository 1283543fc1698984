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
#include "harness/model/code/instruction.h"
#include "harness/model/code/site.h"
#include "harness/model/memory/memory.h"

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

/// One lane's copy of many bytes (cp.async.bulk) between shared and global memory.
struct BulkEvent {
  const Warp* warp = nullptr;
  const Site* destination = nullptr;
  const Site* source = nullptr;
  unsigned lane = 0;
  std::uint64_t to = 0;  ///< as in AccessEvent::at()
  std::uint64_t from = 0;
  std::uint64_t bytes = 0;
  /// In shared memory, of the mbarrier that it completes at. Copies to global memory have none, and
  /// are in the thread's group of bulk copies.
  std::uint64_t mbarrier = 0;
};

/// The lanes that execute are done with a group of copies (cp.async, or bulk ones), or wait for
/// their groups.
struct GroupEvent {
  enum class What : std::uint8_t { kCommit, kWait };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  const Warp* warp = nullptr;
  What what = What::kCommit;
  bool bulk = false;
  bool reading = false;  ///< waits until the sources have been read
  /// Of a wait: so many of the newest groups may still be under way; kNone: not even copies that
  /// are in no group yet.
  std::uint32_t newest = 0;
};

/// An operation of a warp's lanes on an mbarrier.
struct SyncEvent {
  enum class What : std::uint8_t {
    kBegin,    ///< it is initialised, or is none any more
    kArrive,   ///< what the lanes did comes before what is done by those who wait
    kCopies,   ///< the same, once the lanes' earlier cp.async are complete (cp.async.mbarrier)
    kReceive,  ///< bytes of a bulk copy arrive
    kWaited,   ///< the lanes go on after all phases that are complete
  };
  const Warp* warp = nullptr;
  What what = What::kArrive;
  std::uint32_t lanes = 0;
  std::uint64_t address = 0;  ///< in shared memory
  bool ends_phase = false;
};

/// One lane's access to shared memory of another block of its cluster.
struct MappedEvent {
  const Warp* warp = nullptr;
  const Site* site = nullptr;
  unsigned lane = 0;
  const Block* owner = nullptr;
  std::uint64_t address = 0;  ///< in the owner's shared memory
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
  virtual void bulk_copy(const BulkEvent& /*event*/) {}
  virtual void copy_group(const GroupEvent& /*event*/) {}
  virtual void synchronised(const SyncEvent& /*event*/) {}
  /// membar, fence: what the warp did becomes visible to other blocks before what it does.
  virtual void fenced(const Warp& /*warp*/) {}
  virtual void mapped_access(const MappedEvent& /*event*/) {}
  /// The executing lanes arrive at the barrier of their cluster, and may wait for it later.
  virtual void cluster_arrived(const Warp& /*warp*/) {}
  /// All threads of the block wait at the barrier of its cluster of several blocks; or, when all
  /// its blocks do, they are `released`. barrier_released() is called besides.
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
  void bulk_copy(const BulkEvent& event) override;
  void copy_group(const GroupEvent& event) override;
  void mapped_access(const MappedEvent& event) override;
  void cluster_arrived(const Warp& warp) override;
  void synchronised(const SyncEvent& event) override;
  void fenced(const Warp& warp) override;
  void cluster_barrier(const Block& block, bool released) override;
  void executes(const Ins& ins, Warp& warp) override;
  void block_ends(Block& block) override;

 private:
  std::vector<std::unique_ptr<Observer>> all_;
  std::ptrdiff_t for_all_ = 0;  ///< the first so many
};

/// How a loop is known not to end.
enum class LoopFault : std::uint8_t {
  kNoLoop,    ///< no loop is at fault
  kNoWayOut,  ///< no path leads out of it
  kSpins,     ///< it came back to the state that it had, and nobody changes that
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
  std::uint32_t element_bytes = 0;  ///< of an access: of a vector, one of its parts; 0: not known
  std::uint64_t address = 0;
  std::string detail = {};  ///< what a checker adds to the fields
  std::uint64_t count = 1;
  // Of a race: the access that the model ran earlier.
  std::uint32_t other = kNone;
  std::uint64_t other_block = 0;
  std::uint32_t other_warp = 0;
  unsigned other_lane = 0;
  std::uint32_t outside = 0;            ///< of a shuffle: lanes that are read and do not execute it
  LoopFault loop = LoopFault::kNoLoop;  ///< of no progress
  std::uint32_t used = kNone;  ///< of a read of what nobody wrote: the instruction that used it
  std::vector<std::byte> frame = {};  ///< of an access out of bounds: its warp's bank kFrame then
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
  /// Returns the one that is kept now, until the next is added; null: the one of before stays.
  Fault* add(Fault fault);
  void merge(const Faults& other);
  /// Sorted by instruction, then by kind.
  [[nodiscard]] std::vector<Fault> all() const;
  [[nodiscard]] bool empty() const { return faults_.empty(); }

 private:
  std::vector<Fault> faults_;
};

}  // namespace lab::model
