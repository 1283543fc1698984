// Divergence: a warp as a tree of splits. Leaves execute, one at a time and depth first; an inner
// node waits at the immediate post-dominator of the branch, or after the call, that made its
// children. This is the classic reconvergence stack, except that leaves can be rotated where one
// waits in a loop for what another will do, which independent thread scheduling allows (CUDA C++
// Programming Guide, "Independent Thread Scheduling").
#pragma once

#include <cstdint>
#include <vector>

#include "harness/model/code/decoded.h"
#include "harness/model/code/instruction.h"

namespace lab::model {

struct Split {
  enum class State : std::uint8_t { kFree, kReady, kWaits, kBarrier, kWarpBarrier };
  State state = State::kReady;
  const Ins* pc = nullptr;      ///< where it goes on
  std::uint32_t block = kNone;  ///< basic block that begins at `pc`; kNone: `pc` is inside one
  std::uint32_t mask = 0;
  std::uint32_t rpc = kNone;  ///< basic block where it ends and its parent goes on
  std::uint32_t parent = kNone;
  std::uint32_t children = 0;
  std::uint32_t call = kNone;   ///< index of the call it waits for
  std::uint32_t call_mask = 0;  ///< lanes that called
  std::uint64_t spins_at = 0;   ///< digest of its state where it was last found to spin; 0: never
};

class Splits {
 public:
  explicit Splits(const Program& program) : program_(&program) {}

  /// One split of all live lanes at the kernel's first instruction.
  void reset(Warp& warp);

  /// Loads a ready split into the warp and returns where it goes on; null where none is ready.
  const Ins* resume(Warp& warp);

  /// The lanes in `taken` go to ins->target, the others fall through. There are lanes of both
  /// kinds.
  const Ins* diverge(Warp& warp, const Ins* ins, std::uint32_t taken);
  /// The lanes in `who` go on at `to`, a jump; the others execute `ins` again.
  const Ins* peel(Warp& warp, const Ins* ins, std::uint32_t who, const Ins* to);
  /// The executing lanes have reached the place where they wait for the others. Goes on with
  /// another split.
  const Ins* arrive(Warp& warp);
  /// The lanes in `gone` exit the kernel; the others go on at `next`.
  const Ins* exit_lanes(Warp& warp, std::uint32_t gone, const Ins* next);
  /// The lanes in `gone` return from the function; the others go on at `next`.
  const Ins* return_lanes(Warp& warp, std::uint32_t gone, const Ins* next);
  /// The lanes in `who` call a function; afterwards all go on at `next`.
  const Ins* call(Warp& warp, std::uint32_t call, std::uint32_t who, const Ins* next);
  /// Parks the executing split in `state`, to go on at `next` once released, and runs another one.
  const Ins* park(Warp& warp, const Ins* next, Split::State state);
  /// Splits parked in `state` may go on; those that a barrier has brought to one place, as one.
  void release(Split::State state);
  /// Where one of the splits in `state` would go on; null where there is none.
  [[nodiscard]] const Ins* parked_at(Split::State state) const;
  /// Lanes of the splits in `state`.
  [[nodiscard]] std::uint32_t mask_of(Split::State state) const;
  /// Puts the executing split, which is about to enter `block` at `pc`, behind all others. Where no
  /// other split is ready, and `releases`, lanes that wait to reconverge go on without the rest.
  /// Returns false where there is no other split at all. The executing split is saved either way.
  bool rotate(Warp& warp, const Ins* pc, std::uint32_t block, bool releases = true);
  /// Lanes went on without others that they would have waited for, as those spin.
  [[nodiscard]] bool released() const { return released_; }
  /// Ends the warp: afterwards no split is ready.
  void stop(Warp& warp);

  [[nodiscard]] bool any_ready() const { return mask_of(Split::State::kReady) != 0; }
  [[nodiscard]] std::uint32_t ready_count() const;
  /// The executing split.
  [[nodiscard]] Split& current() { return nodes_[current_]; }

 private:
  /// Adds a leaf that is ready, as the last; returns its index.
  std::uint32_t make(std::uint32_t parent);
  void drop_leaf(std::uint32_t leaf);
  void save(const Warp& warp, const Ins* pc, std::uint32_t block, Split::State state);
  const Ins* finish(Warp& warp);
  /// Makes the executing split wait at `meet` for a new one, which takes its place and ends there.
  /// Where the executing split would end there itself, or where it is not known where the sides
  /// meet, it goes on instead.
  void part(Warp& warp, std::uint32_t meet);
  /// After part(): `lanes` of the executing split become a split of their own, which runs from `pc`
  /// on after the executing one.
  void set_aside(const Warp& warp, std::uint32_t lanes, const Ins* pc, std::uint32_t block);
  /// Makes one of splits that are at the same place, below the same branch: where lanes had gone on
  /// without one that spun, such as for the grid's barrier, the next barrier unites them.
  void join();
  void wake(Warp& warp, Split& parent);
  [[nodiscard]] std::uint32_t mask_below(std::uint32_t node) const;
  bool release_waiting_lanes(const Warp& warp);

  const Program* program_;
  std::vector<Split> nodes_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> leaves_;  ///< the last one that is ready runs
  std::uint32_t current_ = 0;
  bool released_ = false;
};

/// Copies within the local memory of the threads in `mask`.
void copy_lanes(const Warp& warp, const std::vector<Call::Copy>& copies, std::uint32_t mask);

}  // namespace lab::model
