// The clock of one warp that has its SM for itself: the machine code says how long each
// instruction is issued for and which results it waits for.
#pragma once

#include <cstdint>

#include "harness/kernel/cubin/stretches.h"

namespace lab::cubin {

/// Cycles from an instruction to the first that can use its result.
struct Latencies {
  double global = 0;
  double shared = 0;
  double other = 0;  ///< conversions, special functions, constants, special registers
};

/// Of one warp, on average.
struct WarpClock {
  double instructions = 0;
  double issue_cycles = 0;  ///< the least time between its instructions
  // Cycles that it waits for results, beyond the issue of what stands between.
  double waits_global = 0;
  double waits_shared = 0;
  double waits_global_atomics = 0;
  double waits_shared_atomics = 0;
  double waits_other = 0;
  double barriers = 0;
  double fp64 = 0;  ///< instructions
  double special = 0;
  double tensor = 0;
  double global_loads = 0;
  double shared_loads = 0;
  double stores = 0;
  bool loads_after_barrier = false;   ///< from global memory
  bool shared_after_barrier = false;  ///< loads of shared memory
};

/// Walks the stretches in order of pc, each loop once as it is entered and then as it goes round.
[[nodiscard]] WarpClock warp_clock(const Function& function, const LineTimes& times,
                                   const Latencies& latencies);

}  // namespace lab::cubin
