// A kernel run once more, with the accesses of a warp, for advice on it.
#pragma once

#include <optional>
#include <vector>

#include "harness/core/record.h"
#include "harness/reading/report_page.h"
#include "harness/run/engines.h"
#include "harness/run/prepared.h"
#include "metrics/advice.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// Advice on one case of a run, with counts by line, from the model's run of it alone: `run` is
/// what it came from; `machine` is the run's (harness/run/machine.h). Empty where the case has no
/// counts of the model or went wrong. Of a large one some blocks are run, and what its threads do
/// as a whole is not looked at: empty, too, where nothing is found in them. `accesses`, where it is
/// not null, gets the first warp's, one of each pattern.
[[nodiscard]] std::optional<metrics::Diagnosis> advice_on(const CaseRecord& record,
                                                          const run::Prepared& run,
                                                          const metrics::Machine& machine,
                                                          run::EngineSettings workers,
                                                          std::vector<Access>* accesses = nullptr);

/// The same on cases of a stored run of `lab`, each run again; null where that is null. `run` and
/// `lab` outlive it.
[[nodiscard]] reading::AdviseAgain advice_again(const RunRecord& run, const Lab* lab,
                                                const metrics::Machine& machine);

}  // namespace lab::cli
