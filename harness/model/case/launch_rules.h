// Launches that no GPU takes: each of these throws an input error that says why.
#pragma once

#include "harness/core/launch.h"
#include "harness/model/program/program.h"
#include "harness/ptx/module.h"

namespace lab::model {

/// Sizes of grid, block and cluster, and what the kernel says of its blocks.
void require_launch(const ptx::Function& entry, const Launch& launch);
/// Shared memory. ptxas refuses as much static memory, but a kernel may also come as PTX.
void require_shared(const Program& program, const Launch& launch);
/// Blocks of a cooperative launch wait for each other, so that all have to be on the GPU at once.
void require_residents(const Program& program, const Launch& launch);

}  // namespace lab::model
