// Values of Nsight Compute beside ours in a stored run.
#pragma once

#include "db/store.h"
#include "harness/core/record.h"
#include "harness/ncu/imported.h"
#include "harness/ncu/report.h"
#include "harness/ncu/side_by_side.h"

namespace lab::run {

/// Puts the report's values into the cases they belong to, in place of those of an earlier import,
/// judges them again and stores them. `theirs` is what is known of how ncu was run. An input error
/// where no launch belongs to a case: nothing is stored then.
[[nodiscard]] ncu::Imported import_report(db::Store& store, RunRecord run,
                                          const ncu::Report& report, ncu::Conditions theirs);

}  // namespace lab::run
