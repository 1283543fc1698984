// How many of a kernel's blocks an SM holds at once, and which resource limits them.
#pragma once

#include <optional>
#include <string>

#include "harness/core/launch.h"
#include "harness/core/record.h"
#include "harness/gpu/driver/device.h"
#include "harness/gpu/machine/facts.h"

namespace lab::gpu {

/// The resources that a kernel needs, as the compiler says.
struct KernelResources {
  int registers_per_thread = 0;
  int static_shared_bytes = 0;
  int local_bytes_per_thread = 0;
  int constant_bytes = 0;
  int max_threads_per_block = 0;
};

/// Theoretical occupancy after NVIDIA's occupancy calculator (cuda_occupancy.h).
struct Occupancy {
  int blocks_per_sm = 0;
  int warps_per_sm = 0;
  double fraction = 0;  ///< warps_per_sm over the warps an SM can hold, 0..1
  std::string limiter;  ///< such as `registers` or `warps, blocks`; empty: not known
  double waves = 0;     ///< blocks of the grid over blocks that the GPU holds at once
};

/// `carveout` is the share of the L1 data store preferred for shared memory, percent; -1: the
/// driver's choice. Zero blocks where the kernel cannot be launched at all; the limiter then says
/// what is too small. Throws a machine error for a compute capability that the calculator does not
/// know.
[[nodiscard]] Occupancy occupancy(const SmLimits& limits, const KernelResources& kernel,
                                  const Launch& launch, int carveout = -1);

/// Asks the driver what the compiler says.
[[nodiscard]] KernelResources read_resources(const Function& function);

/// Why `launch` cannot run, with the limit that it exceeds; empty where it can.
[[nodiscard]] std::optional<std::string> refusal(const SmLimits& limits,
                                                 const KernelResources& kernel,
                                                 const Launch& launch);

/// Adds registers, shared and local memory, occupancy with its limiter, waves: as notes, and as
/// observations of the catalogue's keys. `blocks_per_sm` is the driver's own count, which is
/// recorded where the calculator does not know the GPU or disagrees.
void record_launch_facts(const SmLimits& limits, const KernelResources& kernel, int blocks_per_sm,
                         std::optional<int> carveout, CaseRecord& record);

}  // namespace lab::gpu
