#include "harness/model/case/launch_rules.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "harness/core/error.h"
#include "harness/model/execute/grid.h"

namespace lab::model {
namespace {

constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kMostShared = 227 * 1024;

// The driver refuses such launches, too.
void check_clusters(const ptx::Function& entry, const Launch& launch) {
  constexpr std::uint64_t kMostBlocks = 8;  // more only where the program asks for it at run time
  const auto [x, y, z] = entry.cluster;
  if (std::uint64_t{x} * y * z == 0) return;
  const std::string cluster = fmt::format("{} x {} x {}", x, y, z);
  if (std::uint64_t{x} * y * z > kMostBlocks) {
    throw input_error(fmt::format("a cluster of {} blocks is too large", cluster),
                      fmt::format("a cluster has at most {} blocks", kMostBlocks));
  }
  const Dim3& grid = launch.grid;
  if (grid.x % x == 0 && grid.y % y == 0 && grid.z % z == 0) return;
  throw input_error(fmt::format("a grid of {} x {} x {} blocks is not made of whole clusters of {}",
                                grid.x, grid.y, grid.z, cluster),
                    "make each of its sizes a multiple of the cluster's");
}

}  // namespace

void require_launch(const ptx::Function& entry, const Launch& launch) {
  const auto fail = [](const std::string& what, const std::string& hint) {
    throw input_error(what, hint);
  };
  const Dim3& block = launch.block;
  if (block.count() == 0 || launch.grid.count() == 0) {
    fail("the launch has no threads", "grid and block sizes are at least 1");
  }
  if (block.count() > kMostThreads || block.z > 64) {
    fail(fmt::format("a block of {} x {} x {} threads is too large", block.x, block.y, block.z),
         "a block has at most 1024 threads, and at most 64 in z");
  }
  if (launch.grid.y > 65535 || launch.grid.z > 65535) {
    fail("the grid is too large", "at most 65535 blocks in y and in z");
  }
  if (launch.dynamic_shared_bytes > kMostShared) {
    fail(fmt::format("{} bytes of dynamic shared memory are too many", launch.dynamic_shared_bytes),
         "a block has at most 227 KiB");
  }
  check_clusters(entry, launch);
  if (entry.max_threads != 0 && block.count() > entry.max_threads) {
    fail(fmt::format("a block of {} threads is more than the kernel's __launch_bounds__({})",
                     block.count(), entry.max_threads),
         "use smaller blocks");
  }
}

void require_shared(const Program& program, const Launch& launch) {
  constexpr std::uint64_t kMostStatic = 48 * 1024;
  if (program.shared_bytes > kMostStatic) {
    throw input_error(
        fmt::format("the kernel has {} bytes of static shared memory: the GPU that is modelled has "
                    "room for {} per block",
                    program.shared_bytes, kMostStatic),
        fmt::format("declare it extern __shared__ and give its size at the launch: up to {} bytes",
                    kMostShared));
  }
  const std::uint64_t all = program.shared_bytes + launch.dynamic_shared_bytes;
  if (all <= kMostShared) return;
  throw input_error(fmt::format("{} bytes of static and {} of dynamic shared memory are too many: "
                                "the GPU that is modelled has {} per block",
                                program.shared_bytes, launch.dynamic_shared_bytes, kMostShared),
                    "use smaller tiles");
}

void require_residents(const Program& program, const Launch& launch) {
  const std::uint64_t most = blocks_at_once(program, launch);
  if (launch.grid.count() <= most) return;
  throw input_error(
      fmt::format("a grid of {} blocks can't wait for each other: {} multiprocessors hold {} each",
                  launch.grid.count(), kMultiprocessors, most / kMultiprocessors),
      fmt::format("launch at most {} blocks, each of which does more", most));
}

}  // namespace lab::model
