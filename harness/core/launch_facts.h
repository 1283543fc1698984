// What a launch needs of a GPU and what the GPU has: the one place that says which launches are
// refused, and how many blocks an SM holds at once and why not more.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/launch.h"

namespace lab {

/// What a GPU of one compute capability has. CUDA C++ Programming Guide, "Technical Specifications
/// per Compute Capability".
struct GpuLimits {
  std::string_view arch;  ///< sm_90
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t warps_per_sm = 0;
  std::uint32_t blocks_per_sm = 0;
  std::uint32_t shared_per_sm = 0;     ///< bytes
  std::uint32_t shared_per_block = 0;  ///< bytes, for a kernel that asked for them
  std::uint32_t shared_reserved = 0;   ///< bytes of each block's, by the system
};

inline constexpr std::uint32_t kMostThreadsOfBlock = 1024;
/// Bytes of shared memory, static and dynamic, for a kernel that did not ask for more.
inline constexpr std::uint32_t kSharedUnasked = 48 * 1024;

/// Of an architecture (sm_90, sm_90a); null: it is not known.
[[nodiscard]] const GpuLimits* find_limits(std::string_view arch);
/// The same, where it is not known of the architecture that is the default.
[[nodiscard]] const GpuLimits& limits_of(std::string_view arch);

/// What a kernel needs, as its machine code and its PTX say. 0: not said.
struct KernelNeeds {
  std::uint32_t registers = 0;      ///< per thread
  std::uint64_t static_shared = 0;  ///< bytes per block
  std::uint32_t max_threads = 0;    ///< its __launch_bounds__
  std::array<std::uint32_t, 3> cluster = {0, 0, 0};
};

/// What a block takes of its SM.
struct BlockNeeds {
  std::uint64_t threads = 1;
  std::uint32_t registers = 0;     ///< per thread
  std::uint64_t shared_bytes = 0;  ///< static and dynamic
};
[[nodiscard]] BlockNeeds block_needs(const KernelNeeds& kernel, const Launch& launch);

enum class OccupancyLimit : std::uint8_t { kWarps, kRegisters, kSharedMemory, kBlocks };
/// warps, registers, shared memory, blocks.
[[nodiscard]] std::string_view name_of(OccupancyLimit limit);

/// How a kernel's blocks fill an SM where L1 gives shared memory as much room as it may.
struct Residency {
  std::uint64_t blocks = 0;  ///< at once; 0: not even one block fits
  double occupancy = 0;      ///< warps of these over the most that the SM holds, 0 to 1
  std::vector<OccupancyLimit> limits = {};  ///< all that allow no more blocks than these

  /// `warps, registers`.
  [[nodiscard]] std::string limits_text() const;
};
[[nodiscard]] Residency residency(const BlockNeeds& needs, const GpuLimits& gpu);
/// Its blocks; 0, too, where the architecture is not known.
[[nodiscard]] std::uint64_t resident_blocks(const BlockNeeds& needs, std::string_view arch);

/// The most threads of a block for which an SM has registers, at most kMostThreadsOfBlock.
[[nodiscard]] std::uint32_t most_threads(std::uint32_t registers);

/// What a refused launch goes beyond.
enum class LaunchLimit : std::uint8_t {
  kEmpty,         ///< no block or no thread
  kBlock,         ///< threads of a block, in all or in one direction
  kGrid,          ///< blocks in one direction
  kLaunchBounds,  ///< what the kernel says of its blocks
  kAskedShared,   ///< dynamic shared memory that the kernel did not ask for
  kShared,        ///< shared memory of a block
  kRegisters,     ///< of an SM
  kClusterSize,   ///< blocks of a cluster
  kClusterGrid,   ///< the grid is not made of whole clusters
  kBlocksAtOnce,  ///< of a cooperative launch
};

/// No GPU of this kind begins the launch.
class LaunchRefused : public Error {
 public:
  LaunchRefused(LaunchLimit limit, const std::string& message, std::string hint)
      : Error(Fault::kInput, message, std::move(hint)), limit_(limit) {}
  [[nodiscard]] LaunchLimit limit() const { return limit_; }

 private:
  LaunchLimit limit_;
};

/// Sizes of grid, block and cluster, and what the kernel says of its blocks. Throws LaunchRefused,
/// as the three below do.
void require_shape(const KernelNeeds& kernel, const Launch& launch);
/// Shared memory and registers of one block. ptxas refuses as much static memory, but a kernel may
/// also come as PTX.
void require_room(const KernelNeeds& kernel, const Launch& launch, const GpuLimits& gpu);
/// More than 48 KB of shared memory have to be asked for: `asked` bytes of dynamic shared memory
/// were (cudaFuncSetAttribute), 0 by default.
void require_asked(const KernelNeeds& kernel, const Launch& launch, std::uint64_t asked);
/// Blocks of a cooperative launch wait for each other, so that all have to be on the GPU at once.
void require_at_once(const Launch& launch, std::uint64_t sms, std::uint64_t blocks_per_sm);

/// `a grid of 0 x 1 x 1 blocks of 32 x 1 x 1 threads`, with the bytes of dynamic shared memory
/// where there are some.
[[nodiscard]] std::string shape_text(const Launch& launch);

}  // namespace lab
