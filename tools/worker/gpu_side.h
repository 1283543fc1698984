// The worker's use of a GPU. Two files have it: with_gpu.cpp, and without_gpu.cpp where the build
// has no headers of a CUDA toolkit.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/box/worker/channel.h"
#include "harness/box/worker/messages.h"
#include "harness/core/backend.h"
#include "harness/core/compiled.h"
#include "harness/core/whole_program.h"

namespace lab::worker {

/// Each of these throws a machine error, with what to do about it, where this build or this machine
/// cannot do it.
[[nodiscard]] std::unique_ptr<Backend> make_gpu_backend(const Compiler& compiler);
[[nodiscard]] ChipMetrics chip_metrics(const AskChipMetrics& ask);
[[nodiscard]] std::vector<Ceiling> calibrate(const Compiler& compiler);

/// Of log lines, where every call of the driver and of CUPTI is one.
inline constexpr const char* kTracePattern = "%H:%M:%S.%e %v";

/// The life of a process that has the GPU beside one that serves a program: answers each GpuLaunch
/// until the other end of `socket` closes. `map` gives the program's memory, as mapped here.
[[noreturn]] void serve_launches(const Compiler& compiler, const ProgramRequest& request,
                                 const std::function<std::byte*()>& map, Descriptor socket);

/// Adds what the machine's GPU side is, as far as `ask` wants to know it: CUPTI, GPU, counters; or
/// why it has none (cupti_missing, cupti_advice, gpu_missing, ...).
void add_gpu_side(Environment& environment, const AskEnvironment& ask, const Compiler& compiler);

}  // namespace lab::worker
