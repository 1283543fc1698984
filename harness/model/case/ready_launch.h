// A kernel decoded for the memory that it runs on, and its launch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/launch.h"
#include "harness/kernel/cubin/sass_map.h"
#include "harness/kernel/ptx/module.h"
#include "harness/model/case/kernels.h"
#include "harness/model/case/launch_memory.h"
#include "harness/model/check/checker.h"
#include "harness/model/check/footprint.h"
#include "harness/model/code/decoded.h"
#include "harness/model/memory/memory.h"

namespace lab::model {

/// What a launch runs on, and how its kernel finds it.
struct LaunchPlace {
  const GlobalMemory& memory;
  const std::vector<std::byte>& parameters;
  std::uint64_t parameter_address = 0;
  const std::vector<std::uint64_t>& variables;  ///< device addresses, by variable of the module
  std::function<std::uint64_t()> add_workspace;
  std::optional<check::GlobalShadows> written = {};  ///< see check::Session
  /// Whether a few blocks run before the launch for the facts of its time, and are undone.
  bool facts_first = false;
  /// What the launch reads and writes is noted there; null: nobody asks.
  check::Footprint* footprint = nullptr;
  /// The first accesses of the grid's first warp, and of one in its middle, go to the record.
  bool shows_accesses = false;
  /// Blocks per cluster that the launch asks for; zeros: as the kernel says.
  std::array<std::uint32_t, 3> cluster = {0, 0, 0};
};

struct ReadyLaunch {
  cubin::SassMap map;  ///< absent where the PTX's accesses are counted
  Program program;
  Launch launch;
  const cubin::Function* machine = nullptr;  ///< of the kernel's image; null: there is no code
};

/// The entry of `kernel`, whose launch is possible. Throws an input error that says `called` where
/// the source lacks it, or where it is not.
[[nodiscard]] const ptx::Function& entry_for(const LoadedKernel& kernel, const std::string& called,
                                             const Launch& launch);

/// `level` says whose accesses are counted. Throws an input error where an instruction is not
/// modelled or shared memory does not suffice.
[[nodiscard]] ReadyLaunch ready_launch(const LaunchPlace& place, const LoadedKernel& kernel,
                                       const Launch& launch,
                                       AccessLevel level = AccessLevel::kSass);

/// Of a case's own memory, which has to live as long.
[[nodiscard]] LaunchPlace place_of(LaunchMemory& memory);

}  // namespace lab::model
