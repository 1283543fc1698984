// The time that a kernel's traffic is expected to take, before a change and after it.
#pragma once

#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "metrics/ceilings.h"
#include "metrics/machine.h"

namespace lab::metrics {

/// Accesses to global memory in one direction, as the warps make them.
struct Accesses {
  double sectors = 0;
  double lines = 0;
  double bytes = 0;  ///< that the lanes ask for
};

/// A kernel's demands on the memory, as the model counted them. Of an interval both ends.
struct Traffic {
  Accesses loads;
  Accesses stores;
  double l2_read = 0;         ///< sectors; at least these
  double l2_written = 0;      ///< different sectors
  double dram_read = 0;       ///< bytes; at least these
  double dram_read_most = 0;  ///< bytes, where no cache helps
  double shared_wavefronts = 0;
  double instructions = 0;
  /// In no order, so that what one access brings is gone before the next wants a part of it.
  bool scattered_loads = false;
  bool scattered_stores = false;
};

[[nodiscard]] Traffic traffic_of(const CaseRecord& record);

/// The traffic with accesses that ask for the same bytes in fewer sectors and lines.
[[nodiscard]] Traffic with_loads(Traffic traffic, double sectors_saved, double lines_saved);
[[nodiscard]] Traffic with_stores(Traffic traffic, double sectors_saved, double lines_saved);

/// The time by each resource (DRAM, L2, L1, instruction issue), the greatest first. Unlike the
/// bound of expected.h an expectation: L1 passes one wavefront of shared memory or one line of
/// global memory per clock, and a sector that is written in part costs L2 twice and DRAM a read.
/// Empty where the machine is not known.
[[nodiscard]] std::vector<Use> expected_uses(const Traffic& traffic, const Machine& machine);

/// The largest share of a measured time that a change brings which leaves the expected time as it
/// is: what it saves of another resource's time, if nothing hid a part of that, and no more than
/// the measured time has above the expected one. On an H200 a padded tile spared blocks of one
/// warp 14 to 17 % of their time, and blocks of 8 warps with the same counts 2 to 3 %: DRAM sets
/// the time of both.
[[nodiscard]] double most_of_measured(double measured_ns, const std::vector<Use>& before,
                                      const std::vector<Use>& after);

}  // namespace lab::metrics
