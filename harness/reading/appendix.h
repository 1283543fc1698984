// The blocks below a run: why warps waited, how close it came to its GPU's ceilings, and what its
// kernels printed.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"
#include "metrics/machine.h"

namespace lab::reading {

/// One table per sampled case (`--stalls`): the lines at which warps waited longest, with the
/// reasons, at most `most` of them. Where cases could not be sampled, the cause, once. Nothing
/// without `--stalls`.
[[nodiscard]] std::vector<page::Block> stalls_blocks(const RunRecord& run, std::size_t most = 6);

/// One row per case with a time, of `most` cases: its bound, the least time, and the percent of
/// each resource's ceiling that it reached. Nothing where no case has both a time and counts.
[[nodiscard]] std::vector<page::Block> bounds_blocks(const RunRecord& run,
                                                     const metrics::Machine& machine,
                                                     std::size_t most);

/// The first lines of the first cases that printed, each below the case's name where the run has
/// several; then how much was left out. Nothing where nothing was printed.
[[nodiscard]] std::vector<page::Block> printed_blocks(const RunRecord& run);

}  // namespace lab::reading
