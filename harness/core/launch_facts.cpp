#include "harness/core/launch_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/core/chip.h"

namespace lab {
namespace {

constexpr std::uint32_t kKib = 1024;
constexpr GpuLimits kGpus[] = {
    {"sm_75", 7, 5, 32, 16, 64 * kKib, 64 * kKib, 0},
    {"sm_80", 8, 0, 64, 32, 164 * kKib, 163 * kKib, kKib},
    {"sm_86", 8, 6, 48, 16, 100 * kKib, 99 * kKib, kKib},
    {"sm_87", 8, 7, 48, 16, 164 * kKib, 163 * kKib, kKib},
    {"sm_89", 8, 9, 48, 24, 100 * kKib, 99 * kKib, kKib},
    {"sm_90", 9, 0, 64, 32, 228 * kKib, 227 * kKib, kKib},
    {"sm_100", 10, 0, 64, 32, 228 * kKib, 227 * kKib, kKib},
    {"sm_120", 12, 0, 48, 24, 100 * kKib, 99 * kKib, kKib},
};
constexpr std::uint64_t kLanes = 32;
// All of them have 64 Ki registers, given to warps in portions of 256, a quarter of the SM each.
constexpr std::uint64_t kRegisters = 64 * kKib;
constexpr std::uint64_t kRegisterUnit = 256;
constexpr std::uint64_t kQuarters = 4;
constexpr std::uint64_t kSharedUnit = 128;
constexpr std::uint32_t kMostThreadsZ = 64;
constexpr std::uint32_t kMostBlocksX = 2147483647;
constexpr std::uint32_t kMostBlocksYZ = 65535;
constexpr std::uint64_t kMostBlocksOfCluster = 8;  // more only where the program asks for it

constexpr std::uint64_t up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit;
}

// Warps for which an SM has registers.
std::uint64_t most_warps(std::uint64_t registers) {
  const std::uint64_t each = up(registers * kLanes, kRegisterUnit) * kRegisterUnit;
  return kRegisters / kQuarters / each * kQuarters;
}

std::string sizes(const Dim3& of) { return fmt::format("{} x {} x {}", of.x, of.y, of.z); }

void require_cluster(const KernelNeeds& kernel, const Dim3& grid) {
  const auto [x, y, z] = kernel.cluster;
  const std::uint64_t blocks = std::uint64_t{x} * y * z;
  if (blocks == 0) return;
  const std::string cluster = sizes({x, y, z});
  if (blocks > kMostBlocksOfCluster) {
    throw LaunchRefused(LaunchLimit::kClusterSize,
                        fmt::format("a cluster of {} blocks is too large", cluster),
                        fmt::format("a cluster has at most {} blocks", kMostBlocksOfCluster));
  }
  if (grid.x % x == 0 && grid.y % y == 0 && grid.z % z == 0) return;
  throw LaunchRefused(
      LaunchLimit::kClusterGrid,
      fmt::format("a grid of {} blocks is not made of whole clusters of {}", sizes(grid), cluster),
      "make each of its sizes a multiple of the cluster's");
}

}  // namespace

const GpuLimits* find_limits(std::string_view arch) {
  const auto* const found =
      std::find_if(std::begin(kGpus), std::end(kGpus),
                   [&](const GpuLimits& one) { return one.arch == plain_arch(arch); });
  return found == std::end(kGpus) ? nullptr : found;
}

const GpuLimits& limits_of(std::string_view arch) {
  const GpuLimits* const found = find_limits(arch);
  return found != nullptr ? *found : *find_limits(kDefaultArch);
}

BlockNeeds block_needs(const KernelNeeds& kernel, const Launch& launch) {
  return {launch.block.count(), kernel.registers,
          kernel.static_shared + launch.dynamic_shared_bytes};
}

std::string_view name_of(OccupancyLimit limit) {
  constexpr std::array<std::string_view, 4> kNames = {"warps", "registers", "shared memory",
                                                      "blocks"};
  return kNames.at(static_cast<std::size_t>(limit));
}

std::string Residency::limits_text() const {
  std::string text;
  for (const OccupancyLimit one : limits) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name_of(one));
  }
  return text;
}

Residency residency(const BlockNeeds& needs, const GpuLimits& gpu) {
  if (needs.threads == 0) return {};
  const std::uint64_t warps = up(needs.threads, kLanes);
  std::vector<std::pair<OccupancyLimit, std::uint64_t>> all = {
      {OccupancyLimit::kWarps, gpu.warps_per_sm / warps}};
  if (needs.registers > 0) {
    all.emplace_back(OccupancyLimit::kRegisters, most_warps(needs.registers) / warps);
  }
  const std::uint64_t shared = up(needs.shared_bytes + gpu.shared_reserved, kSharedUnit);
  if (shared > 0) {
    all.emplace_back(OccupancyLimit::kSharedMemory, gpu.shared_per_sm / (shared * kSharedUnit));
  }
  all.emplace_back(OccupancyLimit::kBlocks, gpu.blocks_per_sm);
  Residency out;
  out.blocks = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
                 return a.second < b.second;
               })->second;
  out.occupancy = static_cast<double>(out.blocks * warps) / gpu.warps_per_sm;
  for (const auto& [limit, blocks] : all) {
    if (blocks == out.blocks) out.limits.push_back(limit);
  }
  return out;
}

std::uint64_t resident_blocks(const BlockNeeds& needs, std::string_view arch) {
  const GpuLimits* const gpu = find_limits(arch);
  return gpu == nullptr ? 0 : residency(needs, *gpu).blocks;
}

std::uint32_t most_threads(std::uint32_t registers) {
  if (registers == 0) return kMostThreadsOfBlock;
  const std::uint64_t threads = most_warps(registers) * kLanes;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, kMostThreadsOfBlock));
}

void require_shape(const KernelNeeds& kernel, const Launch& launch) {
  const Dim3& block = launch.block;
  const Dim3& grid = launch.grid;
  if (block.count() == 0 || grid.count() == 0) {
    throw LaunchRefused(LaunchLimit::kEmpty, "the launch has no threads",
                        "grid and block sizes are at least 1");
  }
  if (block.count() > kMostThreadsOfBlock || block.z > kMostThreadsZ) {
    throw LaunchRefused(LaunchLimit::kBlock,
                        fmt::format("a block of {} threads is too large", sizes(block)),
                        fmt::format("a block has at most {} threads, and at most {} in z",
                                    kMostThreadsOfBlock, kMostThreadsZ));
  }
  if (grid.x > kMostBlocksX || grid.y > kMostBlocksYZ || grid.z > kMostBlocksYZ) {
    throw LaunchRefused(
        LaunchLimit::kGrid, fmt::format("a grid of {} blocks is too large", sizes(grid)),
        fmt::format("at most {} blocks in x, {} in y and in z", kMostBlocksX, kMostBlocksYZ));
  }
  require_cluster(kernel, grid);
  if (kernel.max_threads != 0 && block.count() > kernel.max_threads) {
    throw LaunchRefused(
        LaunchLimit::kLaunchBounds,
        fmt::format("a block of {} threads is more than the kernel's __launch_bounds__({})",
                    block.count(), kernel.max_threads),
        "use smaller blocks");
  }
}

void require_room(const KernelNeeds& kernel, const Launch& launch, const GpuLimits& gpu) {
  if (kernel.static_shared > kSharedUnasked) {
    throw LaunchRefused(
        LaunchLimit::kShared,
        fmt::format("the kernel has {} bytes of static shared memory: the GPU that is modelled has "
                    "room for {} per block",
                    kernel.static_shared, kSharedUnasked),
        fmt::format("declare it extern __shared__ and give its size at the launch: up to {} bytes",
                    gpu.shared_per_block));
  }
  if (kernel.static_shared + launch.dynamic_shared_bytes > gpu.shared_per_block) {
    throw LaunchRefused(LaunchLimit::kShared,
                        fmt::format("{} bytes of static and {} of dynamic shared memory are too "
                                    "many: the GPU that is modelled ({}) has {} per block",
                                    kernel.static_shared, launch.dynamic_shared_bytes, gpu.arch,
                                    gpu.shared_per_block),
                        "use smaller tiles");
  }
  const std::uint64_t threads = launch.block.count();
  const std::uint64_t most = most_threads(kernel.registers);
  if (threads <= most) return;
  throw LaunchRefused(
      LaunchLimit::kRegisters,
      fmt::format("blocks of {} threads with {} registers per thread need more than the {} "
                  "registers of an SM",
                  threads, kernel.registers, kRegisters),
      fmt::format("launch at most {} threads per block, or let the compiler use fewer registers: "
                  "__launch_bounds__({})",
                  most, threads));
}

void require_asked(const KernelNeeds& kernel, const Launch& launch, std::uint64_t asked) {
  const std::uint64_t dynamic = launch.dynamic_shared_bytes;
  if (dynamic <= asked || kernel.static_shared + dynamic <= kSharedUnasked) return;
  throw LaunchRefused(
      LaunchLimit::kAskedShared,
      asked == 0
          ? fmt::format("{} bytes of static and {} of dynamic shared memory are more than the {} "
                        "that a block has without asking",
                        kernel.static_shared, dynamic, kSharedUnasked)
          : fmt::format(
                "{} bytes of dynamic shared memory are more than the {} that were asked for",
                dynamic, asked),
      fmt::format("ask first: cudaFuncSetAttribute(kernel, "
                  "cudaFuncAttributeMaxDynamicSharedMemorySize, {})",
                  dynamic));
}

void require_at_once(const Launch& launch, std::uint64_t sms, std::uint64_t blocks_per_sm) {
  const std::uint64_t most = sms * blocks_per_sm;
  if (launch.grid.count() <= most) return;
  throw LaunchRefused(
      LaunchLimit::kBlocksAtOnce,
      fmt::format("a grid of {} blocks can't wait for each other: {} multiprocessors hold {} each",
                  launch.grid.count(), sms, blocks_per_sm),
      fmt::format("launch at most {} blocks, each of which does more", most));
}

std::string shape_text(const Launch& launch) {
  std::string text =
      fmt::format("a grid of {} blocks of {} threads", sizes(launch.grid), sizes(launch.block));
  if (launch.dynamic_shared_bytes > 0) {
    text += fmt::format(" with {} bytes of dynamic shared memory", launch.dynamic_shared_bytes);
  }
  return text;
}

}  // namespace lab
