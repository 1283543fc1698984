#include "harness/gpu/machine/occupancy.h"

#include <cuda_occupancy.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "harness/core/error.h"

namespace lab::gpu {

namespace {

constexpr int kWarpSize = 32;

constexpr std::array kLimiters = {
    std::pair{OCC_LIMIT_WARPS, "warps"},
    std::pair{OCC_LIMIT_REGISTERS, "registers"},
    std::pair{OCC_LIMIT_SHARED_MEMORY, "shared memory"},
    std::pair{OCC_LIMIT_BLOCKS, "blocks"},
    std::pair{OCC_LIMIT_BARRIERS, "barriers"},
};

std::string limiter_text(unsigned factors) {
  std::string text;
  for (const auto& [bit, name] : kLimiters) {
    if ((factors & static_cast<unsigned>(bit)) == 0) continue;
    text += text.empty() ? name : fmt::format(", {}", name);
  }
  return text;
}

cudaOccDeviceProp device_of(const SmLimits& limits) {
  cudaOccDeviceProp device;
  device.computeMajor = limits.major;
  device.computeMinor = limits.minor;
  device.maxThreadsPerBlock = limits.threads_per_block;
  device.maxThreadsPerMultiprocessor = limits.threads_per_sm;
  device.regsPerBlock = limits.registers_per_block;
  device.regsPerMultiprocessor = limits.registers_per_sm;
  device.warpSize = kWarpSize;
  device.sharedMemPerBlock = static_cast<std::size_t>(limits.shared_bytes_per_block);
  device.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared_bytes_per_sm);
  device.numSms = limits.sms;
  device.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.shared_bytes_per_block_optin);
  device.reservedSharedMemPerBlock =
      static_cast<std::size_t>(limits.reserved_shared_bytes_per_block);
  return device;
}

cudaOccFuncAttributes function_of(const KernelResources& kernel, const Launch& launch) {
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = kernel.max_threads_per_block;
  function.numRegs = kernel.registers_per_thread;
  function.sharedSizeBytes = static_cast<std::size_t>(kernel.static_shared_bytes);
  function.partitionedGCConfig = PARTITIONED_GC_OFF;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = launch.dynamic_shared_bytes;
  function.numBlockBarriers = 1;
  return function;
}

}  // namespace

Occupancy occupancy(const SmLimits& limits, const KernelResources& kernel, const Launch& launch,
                    int carveout) {
  const cudaOccDeviceProp device = device_of(limits);
  const cudaOccFuncAttributes function = function_of(kernel, launch);
  cudaOccDeviceState state;
  state.carveoutConfig = carveout;
  cudaOccResult result{};
  const auto threads = static_cast<int>(launch.block.count());
  const cudaOccError code = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &device, &function, &state, threads, launch.dynamic_shared_bytes);
  if (code != CUDA_OCC_SUCCESS) {
    throw machine_error(
        fmt::format("no occupancy for compute capability {}.{} with {} threads per block",
                    limits.major, limits.minor, threads));
  }
  Occupancy out;
  out.blocks_per_sm = result.activeBlocksPerMultiprocessor;
  out.warps_per_sm = out.blocks_per_sm * ((threads + kWarpSize - 1) / kWarpSize);
  out.fraction = static_cast<double>(out.warps_per_sm) * kWarpSize / limits.threads_per_sm;
  out.limiter = limiter_text(result.limitingFactors);
  const double at_once = static_cast<double>(out.blocks_per_sm) * limits.sms;
  if (at_once > 0) out.waves = static_cast<double>(launch.grid.count()) / at_once;
  return out;
}

}  // namespace lab::gpu
