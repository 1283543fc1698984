// How long a load takes whose value the next one waits for, level by level.
#pragma once

#include <string_view>
#include <vector>

#include "harness/core/ceiling.h"
#include "harness/gpu/driver/device.h"
#include "harness/gpu/measure/rig.h"

namespace lab::gpu {

/// CUDA text of the kernels that latencies() launches, and their names.
extern const std::string_view kLatencyKernels;
extern const std::vector<std::string_view> kLatencyNames;

/// Cycles of the SM clock per load: shared_latency, l1_latency, l2_latency and dram_latency, from
/// pointers that one thread follows. `module` has the kernels.
[[nodiscard]] std::vector<Ceiling> latencies(Rig& rig, const Module& module);

}  // namespace lab::gpu
