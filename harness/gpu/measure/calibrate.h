// This GPU's ceilings, measured with kernels that do one thing each.
#pragma once

#include <vector>

#include "harness/core/ceiling.h"
#include "harness/core/compiled.h"
#include "harness/gpu/measure/machine.h"

namespace lab::gpu {

/// Takes about two seconds and an eighth of the free memory. Throws as open_machine does.
[[nodiscard]] std::vector<Ceiling> calibrate(const Compiler& compiler, const Machine& machine);

}  // namespace lab::gpu
