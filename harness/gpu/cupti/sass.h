// Counts per machine instruction, by the SASS Metrics API: it patches the kernel, so hardware
// counters and their permission are not needed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/gpu/cupti/host.h"
#include "harness/gpu/driver/device.h"

namespace lab::gpu {

/// One instruction of a kernel, with the values of the profiler's metrics in their order.
struct InstructionCounts {
  std::string function;      ///< mangled
  std::uint32_t offset = 0;  ///< bytes from the function's begin
  std::vector<double> values;
};

/// Set up on a device for as long as it lives, once per process: CUPTI 13.0 refuses a second
/// configuration, even after the first one was unset, and patches nothing more once counts were
/// read. No RangeProfiler may live beside it.
class SassProfiler {
 public:
  /// `metrics` as sass_metrics() names them; those that the chip lacks are left out. Throws
  /// CuptiError where the device does not allow patching.
  [[nodiscard]] SassProfiler(const Context& context, const std::string& chip,
                             const std::vector<std::string>& metrics);
  ~SassProfiler();
  SassProfiler(const SassProfiler&) = delete;
  SassProfiler& operator=(const SassProfiler&) = delete;

  /// Those that are counted.
  [[nodiscard]] const std::vector<std::string>& metrics() const { return metrics_; }
  /// Calls `launch`, which queues one kernel and waits for it, and gives the counts of every
  /// instruction that ran. Only the first kernel that starts after the configuration is patched.
  /// A fill of memory by the driver counts as one, so buffers have to be ready before this object
  /// is made. A second call returns nothing.
  [[nodiscard]] std::vector<InstructionCounts> collect(const std::function<void()>& launch) const;

 private:
  CUcontext context_;
  std::vector<std::string> metrics_;
  std::vector<std::uint64_t> ids_;  // of metrics_
  struct Configs;
  std::unique_ptr<Configs> configs_;
  Handle<CUdevice> configured_;
};

}  // namespace lab::gpu
