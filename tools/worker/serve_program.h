// Programs of others: in boxes of their own, their launches in the model.
#pragma once

#include "harness/core/backend.h"
#include "harness/core/compiled.h"
#include "harness/core/whole_program.h"

namespace lab::worker {

/// Runs a program on the model, in this process, which closes a box around itself too; or on the
/// GPU, in a process beside it, which needs `compiler` for kernels of its own.
[[nodiscard]] ProgramReport run_program(const ProgramRequest& request, const BatchSink& sink,
                                        const Compiler& compiler, bool boxed);

}  // namespace lab::worker
