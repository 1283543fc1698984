// The services of lab-worker, put together from the modules.
#pragma once

#include <filesystem>

#include "harness/box/worker/server.h"

namespace lab::worker {

struct Options {
  bool boxed = true;  ///< compile and run the model in a box, where there can be one
};

/// Compiles with NVRTC, asks CUPTI about chips, and runs cases in the model and on the GPU.
[[nodiscard]] Services make_services(const Options& options);

/// This machine: CPU, memory, CUDA libraries; where asked, its GPU and whether its counters can be
/// read. What is not there has its reason and what to do about it (nvrtc_missing, nvrtc_advice,
/// cupti_..., gpu_..., counters_...; sass_counters_missing).
[[nodiscard]] Environment machine_environment(const AskEnvironment& ask, const Compiler& compiler);

}  // namespace lab::worker
