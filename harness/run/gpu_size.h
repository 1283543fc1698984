// The rows of a lab's screen at the sizes that a GPU runs, for the times that it shows.
#pragma once

#include <vector>

#include "harness/core/record.h"
#include "harness/run/engines.h"
#include "harness/run/session.h"
#include "metrics/machine.h"

namespace lab::run {

/// A case for each row of the lab's screen, at the first of its points that a GPU runs, with the
/// time that it is expected to take on `machine`: theory says what all blocks count, a few of them
/// what else takes time. Empty where the screen shows no times, where
/// times were measured, where the kernels are not the lab's own, and where a row has no such point
/// or no such time.
[[nodiscard]] std::vector<CaseRecord> at_gpu_size(const RunResult& result, EngineSet& engines,
                                                  const metrics::Machine& machine);

}  // namespace lab::run
