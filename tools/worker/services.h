// What lab-worker can do, put together from the modules.
#pragma once

#include "harness/worker/server.h"

namespace lab::worker {

/// Compiles with NVRTC, asks CUPTI about chips, and runs cases in the model and on the GPU.
[[nodiscard]] Services make_services();

/// This machine: CPU, memory, CUDA libraries and, where there is none, why no GPU can be used.
[[nodiscard]] Environment machine_environment();

}  // namespace lab::worker
