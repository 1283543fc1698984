// The last lines of a run: what it came to, and what to do next.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "harness/reading/run_reading.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// `12 cases, all correct. Theory and model agree in 154 of 154 values.`
[[nodiscard]] std::string summary_text(const RunRecord& run, const reading::RunReading& read,
                                       const Terminal& terminal);

/// What was looked for in which cases, where some was not; with `all`, where all was as well.
[[nodiscard]] std::string looked_text(const RunRecord& run, bool all, const Terminal& terminal);

/// Where the run is stored, and how to see more. `left_out`: points that --all would add.
[[nodiscard]] std::string next_text(const RunRecord& run, const reading::RunReading& read,
                                    const std::string& stored_in, std::size_t left_out);

}  // namespace lab::cli
