// The table of a run: theory, model and measurement side by side.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// What of a run is printed: `metrics` are the columns; empty: the lab's headline metrics.
struct RunTextOptions {
  std::vector<std::string> metrics = {};
  std::string stored_in = {};  ///< the database's path; empty: not stored
};

/// One table per variant, its formulas above and its notes below, then a summary.
/// `lab` is null for a probe or a lab that this program does not know.
[[nodiscard]] std::string run_text(const RunRecord& run, const Lab* lab,
                                   const RunTextOptions& options, const Terminal& terminal);

/// `Interrupted: 3 cases missing.`, on a line of its own; empty where the run was not interrupted.
[[nodiscard]] std::string interrupted_text(const RunRecord& run, const Terminal& terminal);

}  // namespace lab::cli
