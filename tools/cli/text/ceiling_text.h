// How close a run's cases came to the measured ceilings of their GPU.
#pragma once

#include <string>

#include "db/calibration.h"
#include "db/store.h"
#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// One row per case with a time, of `most` cases: its bound, the least time, and the percent of
/// each resource's ceiling that it reached. Empty where no case has both a time and counts.
[[nodiscard]] std::string bounds_text(const RunRecord& run, const db::Calibration& calibration,
                                      std::size_t most, const Terminal& terminal);
/// The same with the newest calibration that `store` has of the run's GPU; empty where it has none.
[[nodiscard]] std::string bounds_text(const RunRecord& run, db::Store& store, std::size_t most,
                                      const Terminal& terminal);

}  // namespace lab::cli
