// What a kernel takes and how many of its blocks fit: recorded with each case.
#pragma once

#include <optional>

#include "harness/core/record.h"
#include "harness/gpu/device.h"
#include "harness/gpu/occupancy.h"

namespace lab::gpu {

/// Asks the driver what the compiler left.
[[nodiscard]] KernelResources read_resources(const Function& function);

/// Why `launch` cannot run, with the limit that it exceeds; empty where it can.
[[nodiscard]] std::optional<std::string> refusal(const SmLimits& limits,
                                                 const KernelResources& kernel,
                                                 const Launch& launch);

/// Adds registers, shared and local memory, occupancy with its limiter, waves: as facts, and as
/// observations of the catalogue's keys. `blocks_per_sm` is the driver's own count, which is
/// recorded where the calculator does not know the GPU or disagrees.
void record_launch_facts(const SmLimits& limits, const KernelResources& kernel, int blocks_per_sm,
                         std::optional<int> carveout, CaseRecord& record);

}  // namespace lab::gpu
