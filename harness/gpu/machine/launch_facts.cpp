#include "harness/gpu/machine/occupancy.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/metric_keys.h"

namespace lab::gpu {

namespace {

constexpr std::uint64_t kWarp = 32;
// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::uint32_t kMostBlocksX = 2147483647;
constexpr std::uint32_t kMostBlocksYZ = 65535;

void observe(CaseRecord& record, std::string_view key, double value) {
  Observation observation;
  observation.metric = key;
  observation.source = SourceOf::kCupti;
  observation.value = value;
  record.observations.push_back(std::move(observation));
}

// The calculator's answer, but with the driver's count of blocks where the two differ.
Occupancy agreed(const SmLimits& limits, const KernelResources& kernel, int blocks_per_sm,
                 int carveout, const Launch& launch) {
  Occupancy out;
  try {
    out = occupancy(limits, kernel, launch, carveout);
  } catch (const Error&) {
    out.limiter = {};  // a compute capability that the calculator does not know
  }
  if (out.blocks_per_sm == blocks_per_sm) return out;
  const auto warps = static_cast<int>((launch.block.count() + kWarp - 1) / kWarp);
  out.blocks_per_sm = blocks_per_sm;
  out.warps_per_sm = blocks_per_sm * warps;
  out.fraction =
      static_cast<double>(out.warps_per_sm) * static_cast<double>(kWarp) / limits.threads_per_sm;
  const double at_once = static_cast<double>(blocks_per_sm) * limits.sms;
  out.waves = at_once > 0 ? static_cast<double>(launch.grid.count()) / at_once : 0;
  return out;
}

}  // namespace

KernelResources read_resources(const Function& function) {
  KernelResources out;
  out.registers_per_thread = function.attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  out.static_shared_bytes = function.attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  out.local_bytes_per_thread = function.attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  out.constant_bytes = function.attribute(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  out.max_threads_per_block = function.attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  return out;
}

std::optional<std::string> refusal(const SmLimits& limits, const KernelResources& kernel,
                                   const Launch& launch) {
  const std::uint64_t threads = launch.block.count();
  if (threads > static_cast<std::uint64_t>(limits.threads_per_block)) {
    return fmt::format("{} threads per block; this GPU allows {}", threads,
                       limits.threads_per_block);
  }
  if (threads > static_cast<std::uint64_t>(kernel.max_threads_per_block)) {
    return fmt::format("{} threads per block; with {} registers per thread this kernel allows {}",
                       threads, kernel.registers_per_thread, kernel.max_threads_per_block);
  }
  const std::uint64_t shared =
      static_cast<std::uint64_t>(kernel.static_shared_bytes) + launch.dynamic_shared_bytes;
  if (shared > static_cast<std::uint64_t>(limits.shared_bytes_per_block_optin)) {
    return fmt::format("{} bytes of shared memory per block; this GPU allows {}", shared,
                       limits.shared_bytes_per_block_optin);
  }
  if (launch.grid.x > kMostBlocksX || launch.grid.y > kMostBlocksYZ ||
      launch.grid.z > kMostBlocksYZ) {
    return fmt::format("a grid of {} x {} x {} blocks; at most {} x {} x {} are allowed",
                       launch.grid.x, launch.grid.y, launch.grid.z, kMostBlocksX, kMostBlocksYZ,
                       kMostBlocksYZ);
  }
  return {};
}

void record_launch_facts(const SmLimits& limits, const KernelResources& kernel, int blocks_per_sm,
                         std::optional<int> carveout, CaseRecord& record) {
  const Launch& launch = record.launch;
  const Occupancy fits = agreed(limits, kernel, blocks_per_sm, carveout.value_or(-1), launch);
  const auto dynamic = static_cast<int>(launch.dynamic_shared_bytes);
  CaseNotes& notes = record.notes;
  notes.registers_per_thread = fmt::format("{}", kernel.registers_per_thread);
  notes.shared_static_bytes = fmt::format("{}", kernel.static_shared_bytes);
  notes.shared_dynamic_bytes = fmt::format("{}", dynamic);
  notes.shared_reserved_bytes = fmt::format("{}", limits.reserved_shared_bytes_per_block);
  notes.local_bytes_per_thread = fmt::format("{}", kernel.local_bytes_per_thread);
  notes.waves = fmt::format("{:.2f}", fits.waves);
  notes.occupancy_limiter = fits.limiter;
  record.facts.blocks_per_sm = fits.blocks_per_sm;
  record.facts.carveout = carveout.value_or(CaseFacts::kDriversChoice);
  observe(record, metric::kRegistersPerThread, kernel.registers_per_thread);
  observe(record, metric::kLocalBytesPerThread, kernel.local_bytes_per_thread);
  observe(record, metric::kSharedBytesPerBlock,
          kernel.static_shared_bytes + dynamic + limits.reserved_shared_bytes_per_block);
  observe(record, metric::kTheoreticalOccupancy, fits.fraction);
}

}  // namespace lab::gpu
