// A program's launches on a GPU: each on the program's own memory, which is put back before each
// replay that times or counts it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/whole_program.h"
#include "harness/gpu/launches/addressed_memory.h"
#include "harness/gpu/measure/counter_set.h"
#include "harness/gpu/measure/machine.h"
#include "harness/gpu/measure/rig.h"

namespace lab::gpu {

/// Where a program's memory is, and what its kernels print.
struct ProgramPlace {
  std::byte* arena = nullptr;  ///< its device memory from kArenaBase on, as this process has it
  int output = -1;             ///< a descriptor; what replays print is lost
};

class ProgramLaunches {
 public:
  /// On an open GPU. `request` has to outlive it.
  ProgramLaunches(Machine machine, const ProgramRequest& request, const ProgramPlace& place);
  ~ProgramLaunches();

  /// A launch that fails says so in its record; after a fault all later ones fail, as on the GPU.
  /// Throws where nothing can be launched.
  [[nodiscard]] GpuLaunched run(const GpuLaunch& launch);

 private:
  class Launched;
  void run(const GpuLaunch& launch, GpuLaunched& done);
  void measure(Launched& launched, GpuLaunched& done);
  void count(Launched& launched, CaseRecord& record);
  const Module& module_of(std::uint64_t unit);

  const ProgramRequest& request_;
  ProgramPlace place_;
  Machine machine_;
  std::unique_ptr<Rig> rig_;
  std::unique_ptr<AddressedMemory> memory_;
  CounterAccess access_;
  std::unique_ptr<CounterSet> counters_;     // made for the first launch that is counted
  std::map<std::uint64_t, Module> modules_;  // by unit
  std::function<void(Timing&)> add_conditions_;
  std::int32_t lost_ = 0;  // the fault that took the context; 0: none
};

}  // namespace lab::gpu
