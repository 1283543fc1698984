// A kernel run once more, with the accesses of a warp, for advice on it.
#pragma once

#include <optional>
#include <vector>

#include "db/store.h"
#include "harness/core/record.h"
#include "harness/page/page.h"
#include "harness/reading/report_page.h"
#include "harness/run/engines.h"
#include "harness/run/prepared.h"
#include "harness/run/session.h"
#include "metrics/advice.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// Advice on one case of a run, with counts by line, from the model's run of it alone: `run` is
/// what it came from; `machine` is the run's (harness/run/machine.h). Empty where the case has no
/// counts of the model or went wrong. Of a large one some blocks are run, and what its threads do
/// as a whole is not looked at: empty, too, where nothing is found in them. `seen`, where it is not
/// null, gets what a report needs to say the same: the first warp's accesses, one of each pattern,
/// and the counts by line of the whole launch.
[[nodiscard]] std::optional<metrics::Diagnosis> advice_on(const CaseRecord& record,
                                                          const run::Prepared& run,
                                                          const metrics::Machine& machine,
                                                          run::EngineSettings workers,
                                                          CaseRecord* seen = nullptr);

/// Keeps accesses with a stored case that has none, and counts by line of metrics that it has none
/// of: a report draws them, and says what to change. The run is sealed anew.
void keep_seen(db::Store* store, const RunRecord& run, CaseRecord record, const CaseRecord& seen);

/// How much advice on a student's file is sought.
enum class AdviceFor : unsigned char {
  kEachVariant,  ///< all of the first case of each variant that any is known of
  kFirst,        ///< the most worthwhile, of the first case that has any
};
/// A case of a run, and what to change in it.
struct Advised {
  const CaseRecord* record = nullptr;
  metrics::Diagnosis found = {};
};
/// What to change in a student's file. What was found out for it is kept in `store` (null:
/// nowhere).
[[nodiscard]] std::vector<Advised> advised_in(const run::RunResult& result, db::Store* store,
                                              const run::EngineSettings& workers, AdviceFor whom);

/// The same as a page, with the commands that show more where all of it was sought; where nothing
/// is known, the file's first open part.
[[nodiscard]] page::Page advised_page(const run::RunResult& result, const std::vector<Advised>& all,
                                      AdviceFor whom);

/// The same on cases of a stored run of `lab`, each run again; null where that is null. `run` and
/// `lab` outlive it.
[[nodiscard]] reading::AdviseAgain advice_again(const RunRecord& run, const Lab* lab,
                                                const metrics::Machine& machine);

}  // namespace lab::cli
