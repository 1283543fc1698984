// The GPU that a batch runs on, opened once per process.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>

#include "harness/core/compiled.h"
#include "harness/core/file_cache.h"
#include "harness/core/record.h"
#include "harness/gpu/cupti/cause.h"
#include "harness/gpu/cupti/host.h"
#include "harness/gpu/machine/facts.h"
#include "harness/gpu/measure/rig.h"

namespace lab::gpu {

struct Machine {
  std::shared_ptr<const Driver> driver;
  CUdevice device = 0;
  DeviceFacts facts;
  Compiled tools;  ///< kToolKernels for this GPU
};

/// Opens the GPU that was chosen (chosen_gpu()). Where there is none, throws a machine error that
/// says what was looked for.
[[nodiscard]] Machine open_machine(const Compiler& compiler);

/// Loads CUPTI's large library of metrics in the background, while the driver starts.
[[nodiscard]] std::future<void> preload_metrics();

/// Lets CUPTI see contexts and modules from their beginning, since code that was loaded earlier
/// cannot be patched. Does not report failure; probe_counters then says why.
void watch_modules();

/// Whether this machine's counters can be read, and what is needed to read them.
struct CounterAccess {
  std::optional<Missing> refused;  ///< empty: they can
  std::string chip;                ///< as CUPTI names this very GPU's
  Bytes availability;
  std::string availability_hash;
};

/// Asks first what is cheap and certain: a profiler in this process, what
/// CUPTI supports, the chip, permission. `cache` keeps the slow answer per GPU, driver, CUPTI, user
/// and rights.
[[nodiscard]] CounterAccess probe_counters(const Context& context, const Machine& machine,
                                           const FileCache& cache);

/// Who may have taken a counter that the chip has. Asks NVML, which takes some 15 ms.
[[nodiscard]] Partition partition_of(const Machine& machine);

/// Whether instruction patching works here; empty where it does.
[[nodiscard]] std::optional<Missing> probe_patching(const Machine& machine);

}  // namespace lab::gpu
