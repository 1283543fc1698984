// What the rules for launches (harness/core/launch_facts.h) are asked about a kernel of the model.
#pragma once

#include "harness/core/launch.h"
#include "harness/core/launch_facts.h"
#include "harness/kernel/cubin/cubin.h"
#include "harness/kernel/ptx/module.h"
#include "harness/model/code/decoded.h"

namespace lab::model {

/// What the PTX and the machine code say; null: there is no machine code.
[[nodiscard]] KernelNeeds needs_of(const ptx::Function& entry, const cubin::Function* machine);
/// The same of a kernel that was decoded, which knows its static shared memory without machine
/// code.
[[nodiscard]] KernelNeeds needs_of(const Program& program);

/// Throws LaunchRefused where sizes of grid, block or cluster are none of a launch's.
void require_launch(const ptx::Function& entry, const Launch& launch);
/// The same where a block does not fit on an SM.
void require_fits(const Program& program, const Launch& launch);
/// The same where blocks that wait for each other are not on the GPU at once.
void require_residents(const Program& program, const Launch& launch);

}  // namespace lab::model
