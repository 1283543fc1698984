// A kernel run once more, with the accesses of a warp, for advice on it.
#pragma once

#include <optional>
#include <vector>

#include "harness/core/record.h"
#include "harness/run/engines.h"
#include "harness/run/prepared.h"
#include "metrics/advice.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// Advice on one case of a run, with counts by line, from the model's run of it alone: `run` is
/// what it came from; `machine` is the run's (harness/run/machine.h). Empty where the case has no
/// counts of the model, went wrong, or is too large to be run twice. `accesses`, where it is not
/// null, gets the first warp's, one of each pattern.
[[nodiscard]] std::optional<metrics::Diagnosis> advice_on(const CaseRecord& record,
                                                          const run::Prepared& run,
                                                          const metrics::Machine& machine,
                                                          run::EngineSettings workers,
                                                          std::vector<Access>* accesses = nullptr);

}  // namespace lab::cli
