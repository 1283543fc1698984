// What other layouts of a kernel's arrays in shared memory would save, for advice.
#pragma once

#include <vector>

#include "harness/core/backend.h"
#include "harness/core/screen.h"
#include "metrics/advice.h"

namespace lab::run {

/// One for each array in shared memory whose accesses, as `outcome` traced them, have conflicts.
/// The counts are those of the accesses that were traced, before and after.
[[nodiscard]] std::vector<metrics::LayoutCure> layout_cures(const CaseOutcome& outcome,
                                                            const KernelText& source,
                                                            Forbidden forbidden);

}  // namespace lab::run
