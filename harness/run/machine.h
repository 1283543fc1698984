// Which GPU a run's times are held against.
#pragma once

#include "db/store.h"
#include "harness/core/record.h"
#include "metrics/machine.h"

namespace lab::run {

/// The run's GPU with its ceilings: as measured, where `store` has a calibration of it, else as its
/// driver says. A run without a GPU has what the data sheet says of one with its architecture.
/// `store` may be null.
[[nodiscard]] metrics::Machine machine_of(const RunRecord& run, db::Store* store);

}  // namespace lab::run
