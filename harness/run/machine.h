// Which GPU a run's times are held against.
#pragma once

#include <optional>

#include "db/store.h"
#include "harness/core/record.h"
#include "metrics/machine.h"

namespace lab::run {

/// Under this key of its environment a run has the GPU that was asked for in place of one.
inline constexpr const char* kAskedGpu = "expected_on";

/// The run's GPU with its ceilings: as measured, where `store` has a calibration of it, else as its
/// driver says. A run without a GPU has
/// what the data sheet says of the one that was asked for, else of one with its architecture.
/// `store` may be null.
[[nodiscard]] metrics::Machine machine_of(const RunRecord& run, db::Store* store);

/// The run's GPU with its newest ceilings in `store`; empty: it used none, or one that was never
/// calibrated.
[[nodiscard]] std::optional<metrics::Machine> calibrated(const RunRecord& run, db::Store& store);

}  // namespace lab::run
