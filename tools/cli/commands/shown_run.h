// A run as `lab run` prints it, be it a moment or a year old.
#pragma once

#include "db/store.h"
#include "tools/cli/arguments/command.h"
#include "tools/cli/text/run_text.h"

namespace lab::cli {

/// The run's tables, those of its lab, stall samples, and how its times stand to the ceilings that
/// `store` has of the GPU (null: nothing is said of those).
[[nodiscard]] std::string shown_run(const RunRecord& run, const Lab* lab, RunTextOptions options,
                                    db::Store* store, const Terminal& terminal);

}  // namespace lab::cli
