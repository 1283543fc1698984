// Facts that decide a kernel's time beside its counts, from its machine code and a few blocks.
#pragma once

#include <cstdint>
#include <string>

namespace lab {

/// Of one warp, on average over the blocks that were looked at: what its machine code takes where
/// it has its SM for itself (harness/kernel/cubin/warp_clock.h).
struct WarpFacts {
  double instructions = 0;
  double issue_cycles = 0;  ///< the least time between its instructions, added up
  /// How often it waits for a load from global memory where no earlier one is under way any more,
  /// whatever the number of loads that it waits for together.
  double global_rounds = 0;
  double shared_rounds = 0;  ///< the same of shared memory
  // How many of these waits are for an atomic's result.
  double global_atomic_rounds = 0;
  double shared_atomic_rounds = 0;
  // Cycles of these waits in which it issues instructions that need no result yet.
  double global_hidden = 0;
  double shared_hidden = 0;
  double other_cycles = 0;  ///< waits for conversions, constants, special registers
  double barriers = 0;
  double fp64 = 0;  ///< instructions of these units
  double special = 0;
  double tensor = 0;
  double global_loads = 0;
  double shared_loads = 0;
  double stores = 0;
  /// A barrier comes between its loads from global memory and those from shared memory.
  bool phases = false;
  friend bool operator==(const WarpFacts&, const WarpFacts&) = default;
};

/// What the blocks that were looked at leave in global memory.
struct StoreFacts {
  double sectors = 0;       ///< distinct ones that they store to
  double partly = 0;        ///< those of them that they store in part
  double filled = 0;        ///< of these, that no thread loads: what is not stored is fetched
  double empty_bytes = 0;   ///< of those stored in part: bytes that no thread stored
  double lines = 0;         ///< distinct lines of 128 bytes
  double stored_bytes = 0;  ///< each as often as it is stored
  double distinct_bytes = 0;
  double sent_sectors = 0;  ///< as stores name them, one by one
  double sent_lines = 0;
  // The same where stores that a warp makes one after the other, and that fill their sectors
  // together, leave L1 as one.
  double merged_sectors = 0;
  double merged_lines = 0;
  double merged_whole = 0;  ///< sectors that leave it whole
  friend bool operator==(const StoreFacts&, const StoreFacts&) = default;
};

/// The place in global memory that is asked for most, in the whole launch.
struct HotFacts {
  double float_adds = 0;  ///< atomics of floating-point numbers on one sector
  /// Atomics in L2's busiest part, on which a sector counts as often as the address in it that
  /// most lanes of the warp name.
  double integer_adds = 0;
  double stores = 0;  ///< store requests to one sector
  double loads = 0;   ///< of lines that most blocks load past L1, in L2's busiest part
  friend bool operator==(const HotFacts&, const HotFacts&) = default;
};

struct KernelFacts {
  std::string absent = {};   ///< not empty: there are none, and this is why
  std::uint64_t blocks = 0;  ///< that were looked at
  WarpFacts warp = {};
  StoreFacts stores = {};
  HotFacts hot = {};
  double past_l1 = 0;   ///< share of the sectors that loads ask for which L1 never holds: volatile
  double reloaded = 0;  ///< share of these sectors that the same block has stored to before
  double line_gap =
      0;  ///< lines from one that a load touches to its next, on average; 1: neighbours
  // Of a line that a load from global memory touches, on average: cycles that L1 looks it up, and
  // cycles that its data take. Lines and words in different banks go together.
  double tag_cycles = 1;
  double data_cycles = 1;
  // The work done before each launch that is timed, so that all of them find the same: bytes that
  // are written anew, and bytes that are read for it. What L2 holds when the launch begins is of
  // these.
  double restored_bytes = 0;
  double copied_bytes = 0;
  bool managed = false;            ///< it is given managed memory, whose pages move
  std::uint32_t registers = 0;     ///< per thread
  std::uint64_t shared_bytes = 0;  ///< per block, static
  friend bool operator==(const KernelFacts&, const KernelFacts&) = default;
};

}  // namespace lab
