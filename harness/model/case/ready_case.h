// A case's kernel and memory as a launch finds them.
#pragma once

#include "harness/core/backend.h"
#include "harness/core/job.h"
#include "harness/cubin/sass_map.h"
#include "harness/model/case/kernels.h"
#include "harness/model/case/launch_memory.h"
#include "harness/model/program/program.h"
#include "harness/ptx/module.h"

namespace lab::model {

/// Throws an input error where the source lacks the kernel, the launch is impossible or an
/// instruction is not modelled.
struct ReadyCase {
  /// `buffers` are the job's; `level` says whose accesses are counted.
  ReadyCase(const Job& job, const LoadedKernel& kernel, Buffers& buffers,
            AccessLevel level = AccessLevel::kSass);

  const ptx::Function& entry;
  LaunchMemory memory;
  cubin::SassMap map;  ///< absent where the PTX's accesses are counted
  Program program;
};

}  // namespace lab::model
