// The GPU that a program finds where it is told of another one than an H200.
#pragma once

#include <optional>

#include "harness/programs/wire/wire.h"
#include "metrics/machine.h"

namespace lab::program {

/// What its properties are, by its data sheet and its compute capability; empty: not known.
[[nodiscard]] std::optional<DeviceFacts> device_facts(const metrics::Machine& machine);

}  // namespace lab::program
