// A kernel run once more, with the accesses of a warp, for advice on it.
#pragma once

#include <optional>
#include <vector>

#include "db/store.h"
#include "harness/core/record.h"
#include "harness/page/page.h"
#include "harness/run/engines.h"
#include "harness/run/prepared.h"
#include "harness/run/session.h"
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

/// Keeps accesses with a stored case that has none: a report draws them. The run is sealed anew.
void keep_accesses(db::Store* store, const RunRecord& run, CaseRecord record,
                   std::vector<Access> accesses);

/// How much of the advice on a student's file is told.
enum class AdviceTold : unsigned char {
  kEachVariant,  ///< all of the first case of each variant that any is known of
  kFirst,        ///< the most worthwhile, of the first case that has any
};
/// What to change in a student's file; where nothing is known, its first open part. What was found
/// out for it is kept in `store` (null: nowhere).
[[nodiscard]] page::Page advised_page(const run::RunResult& result, db::Store* store,
                                      const run::EngineSettings& workers, AdviceTold told);

}  // namespace lab::cli
