// The checkers that watch memory accesses, as one observer of a core's blocks. Bounds, alignment
// and barriers are always checked by the interpreter itself: that costs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/model/check/cluster_races.h"
#include "harness/model/check/copies.h"
#include "harness/model/check/follower.h"
#include "harness/model/check/global_checker.h"
#include "harness/model/check/global_races.h"
#include "harness/model/check/ordering.h"
#include "harness/model/check/races.h"
#include "harness/model/check/shadow.h"
#include "harness/model/code/decoded.h"
#include "harness/model/execute/observer.h"

namespace lab::model::check {

/// Global buffers with no contents before the launch, for all cores together. Made once per launch,
/// or kept for all launches of a program.
using GlobalShadows = std::vector<std::shared_ptr<GlobalShadow>>;
/// One per allocation that was not initialised.
[[nodiscard]] GlobalShadows make_shadows(const GlobalMemory& memory);

/// The smallest access that `program` makes to shared or global memory, at most 4 bytes.
[[nodiscard]] std::uint32_t memory_grain(const Program& program, ptx::Space space);

[[nodiscard]] inline bool writes(const AccessEvent& event) {
  return event.site->op != AccessOp::kLoad;
}

[[nodiscard]] inline bool is_atomic(const AccessEvent& event) {
  return event.site->op == AccessOp::kAtomic || event.site->op == AccessOp::kReduction;
}
/// The instruction is a plain store.
[[nodiscard]] bool is_store(const Program& program, std::uint32_t where);
/// The bytes that an event's lanes access, from the lowest to behind the highest.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> span_of(const AccessEvent& event);

class Checker final : public Observer {
 public:
  /// `shared_bytes`: static and dynamic. `global`: of all cores together, or null. `cluster`: of
  /// blocks that reach each other's shared memory, or null. The arguments outlive the checker.
  Checker(const Program& program, std::uint64_t shared_bytes, const GlobalShadows& shadows,
          GlobalRaces* global, ClusterRaces* cluster);

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
  struct Lane {
    unsigned number;
    std::uint64_t address;
  };
  /// Notes the accesses of all lanes to shared memory at once where they are certainly correct,
  /// which is nearly always. Otherwise each is checked on its own.
  bool is_fine(const AccessEvent& event);
  /// A read that is_fine() and leaves nothing behind.
  bool is_known_read(const AccessEvent& event);
  void shared_access(const AccessEvent& event, const Lane& lane);
  /// A cp.async, whose store was checked as one of its lanes, is under way from now on.
  void copy_begins(const AccessEvent& event);
  void note_source(const AccessEvent& event);
  /// One side of a bulk copy: the locations, checked as an access that the lane makes now.
  std::shared_ptr<const Places> bulk_side(const BulkEvent& event, bool reads);
  /// The event's lanes write shared memory that a copy may still be reading.
  void meets_readers(const AccessEvent& event);
  /// They access global memory that a copy may still be reading or writing.
  void meets_users(const AccessEvent& event);
  [[nodiscard]] ClusterAccess cluster_access(const AccessEvent& event, unsigned lane) const;
  void cluster_acquires(const AccessEvent& event);
  void cluster_releases(const AccessEvent& event);
  /// The event's lanes access shared memory of their own block, where others may have been.
  void meets_cluster(const AccessEvent& event);
  /// `memory`: the bytes that the lane accesses.
  void cluster_race(const AccessEvent& event, const Lane& lane, std::uint64_t address,
                    const std::byte* memory, const ClusterAccess& other);
  void leave_cluster(Block& block);
  void under_way(const AccessEvent& event, const Lane& lane, std::uint64_t address,
                 const UnderWay& copy);
  /// Ordered atomics, loads and stores of shared memory order threads, by the PTX ISA's "Memory
  /// Consistency Model": what is released at a location comes before what acquires it.
  void order(const AccessEvent& event);
  /// Races of global memory: of the access, and what it orders between blocks and within this one.
  void global_races(const AccessEvent& event);
  void acquire_globally(const Block& block, std::uint32_t warp);
  void release_globally(const Block& block, std::uint32_t warp);
  void global_access(const AccessEvent& event, const Lane& lane);
  void race(const AccessEvent& event, const Lane& lane, std::uint64_t at, const Race& found);
  [[nodiscard]] bool is_stale(const AccessEvent& event, const Race& found) const;
  [[nodiscard]] bool writes_same(const AccessEvent& event, const Lane& lane,
                                 const Race& found) const;
  [[nodiscard]] bool stores_what_is_there(const AccessEvent& event, const Lane& lane,
                                          const std::byte* memory) const;
  [[nodiscard]] static Fault fault_of(const AccessEvent& event, const Lane& lane, FindingKind kind);
  void report(Block& block, Fault fault);
  /// The lane reads what nobody has written, in the `elements` (a bit each) of its access. What it
  /// loads is followed to its use; other accesses use it at once.
  void read_unwritten(const AccessEvent& event, const Lane& lane, std::uint32_t elements,
                      std::uint64_t location);
  /// Shared memory that is used before anyone writes it: a mistake of its own, unless another
  /// thread writes it later with no barrier between, which is a race.
  void use_unwritten(Block& block, Fault fault, std::uint64_t location);

  const Program& program_;
  const GlobalShadows& shadows_;
  GlobalRaces* global_;
  std::optional<GlobalChecker> global_checker_;  ///< where there is global_
  std::vector<Fault> raced_globally_;            ///< while an access is looked at
  ClusterRaces* cluster_;
  unsigned rank_ = 0;    ///< of the running block in its cluster
  bool fenced_ = false;  ///< the running block has executed a fence
  /// What warps of the running block have released through global memory, and how often.
  Clocks::Known released_globally_ = {};
  std::uint64_t releases_ = 0;
  std::array<std::uint64_t, kMostWarps> acquired_ = {};  ///< by warp: how many of them
  std::uint64_t shared_bytes_;
  std::optional<SharedRaces> races_;
  std::optional<Copies> copies_;
  std::array<std::vector<GlobalRange>, kMostWarps>
      sources_;  ///< of the cp.async that warps execute
  std::map<std::pair<std::uint64_t, unsigned>, std::shared_ptr<const Places>> bulk_places_;
  int grain_shift_ = 0;  ///< its grain as a power of two
  std::uint32_t serial_ = 0;
  std::unordered_map<const Pattern*, Places> places_;
  /// By site: the pattern that was met last.
  struct Met {
    const Pattern* pattern = nullptr;
    const Places* places = nullptr;
    const Pattern* fine = nullptr;  ///< the same, once a plain read with it was fine
  };
  Met& met_of(const Site& site, const Pattern& pattern);
  std::vector<Met> met_;
  /// By instruction, kind and, of a race, the other instruction: findings met again since they were
  /// last reported.
  std::unordered_map<std::uint64_t, std::uint64_t> again_;
  [[nodiscard]] const Ordering& ordering_of(const AccessEvent& event) const {
    return orderings_[static_cast<std::size_t>(event.site - program_.sites.data())];
  }
  std::vector<Ordering> orderings_;
  /// By address in shared memory: what was released there.
  std::unordered_map<std::uint64_t, Clocks::Known> released_;
  Follower follower_;
  /// By location of the block's shared memory: uses of what was not written, one per instruction.
  std::map<std::uint64_t, std::vector<Fault>> unwritten_;
  bool reads_unwritten_ = false;             ///< the running block has read such a location
  std::unordered_set<std::uint64_t> raced_;  ///< since then: locations that races were found at
};

}  // namespace lab::model::check
