// This GPU's ceilings, measured with kernels that do one thing each.
#pragma once

#include <string>
#include <vector>

#include "harness/core/ceiling.h"
#include "harness/core/compiled.h"
#include "harness/gpu/measure/bench.h"
#include "harness/gpu/measure/machine.h"

namespace lab::gpu {

/// The kernels of all ceilings.
[[nodiscard]] CompileRequest ceiling_request(const std::string& arch);

/// What is measured, in this order.
[[nodiscard]] std::vector<CeilingRow> ceiling_rows();

/// Takes about five seconds and an eighth of the free memory. Throws as open_machine does.
[[nodiscard]] std::vector<Ceiling> calibrate(const Compiler& compiler, const Machine& machine);

}  // namespace lab::gpu
