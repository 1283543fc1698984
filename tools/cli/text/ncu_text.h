// The output of `lab import` and `lab ncu`.
#pragma once

#include <string>
#include <vector>

#include "harness/run/ncu_import.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The import for a person: what was matched, what was not, how the conditions differ, the rows.
[[nodiscard]] std::string imported_text(const run::Imported& imported, const Terminal& terminal);

/// How the conditions of our values and of those imported differ, a sentence each.
[[nodiscard]] std::vector<std::string> unlike_of(const RunRecord& run);

/// How the conditions of our values and of Nsight Compute's differ; empty: they do not, or there
/// are not values of Nsight Compute.
[[nodiscard]] std::string unlike_ncu_text(const RunRecord& run);

/// How the conditions of two runs differ; empty: they do not.
[[nodiscard]] std::string unlike_runs_text(const RunRecord& first, const RunRecord& second);

}  // namespace lab::cli
