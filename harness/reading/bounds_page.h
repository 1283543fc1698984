// How close a run's cases came to the measured ceilings of their GPU.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"
#include "metrics/machine.h"

namespace lab::reading {

/// One row per case with a time, of `most` cases: its bound, the least time, and the percent of
/// each resource's ceiling that it reached. Nothing where no case has both a time and counts.
[[nodiscard]] std::vector<page::Block> bounds_blocks(const RunRecord& run,
                                                     const metrics::Machine& machine,
                                                     std::size_t most);

}  // namespace lab::reading
