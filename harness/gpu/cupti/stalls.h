// Why warps wait, by CUPTI PC sampling: every so many cycles each multiprocessor reports where one
// of its warps is and what it waits for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/gpu/cupti/source_lines.h"
#include "harness/gpu/driver/device.h"
#include "harness/gpu/driver/handle.h"

namespace lab::gpu {

/// Samples of one instruction by stall reason, such as long_scoreboard, barrier, lg_throttle.
struct InstructionStalls {
  std::string function;      ///< mangled
  std::uint64_t offset = 0;  ///< bytes from the function's beginning
  std::map<std::string, double> samples;
};

struct StallSamples {
  std::vector<InstructionStalls> instructions;
  double dropped = 0;  ///< samples that the hardware could not keep
};

/// Samples a context for as long as it lives. Neither a RangeProfiler nor a SassProfiler may live
/// beside it. Modules must be loaded after it was made, since CUPTI names only their functions.
class StallSampler {
 public:
  /// Takes one sample every 2^`period` cycles; `period` is 5 to 31. Throws CuptiError where
  /// sampling is not allowed.
  [[nodiscard]] StallSampler(const Context& context, std::uint32_t period);
  ~StallSampler();
  StallSampler(const StallSampler&) = delete;
  StallSampler& operator=(const StallSampler&) = delete;
  StallSampler(StallSampler&&) = delete;
  StallSampler& operator=(StallSampler&&) = delete;

  /// Calls `launches`, which waits for its kernels, and returns what was sampled meanwhile.
  [[nodiscard]] StallSamples collect(const std::function<void()>& launches);

 private:
  struct Buffer;
  void fetch(Buffer& buffer, StallSamples& into);
  CUcontext context_;
  std::map<std::uint32_t, std::string> reasons_;  // by CUPTI's index; only those that are kept
  std::unique_ptr<Buffer> left_over_;             // CUPTI writes to it when sampling ends
  Handle<CUcontext> enabled_;
};

/// `long_scoreboard` of smsp__pcsamp_warps_issue_stalled_long_scoreboard; empty for names that
/// count a part of the samples again (..._not_issued).
[[nodiscard]] std::string stall_reason(const std::string& cupti_name);

/// Sums of one function by source line, under the keys stall_long_scoreboard, ...; instructions
/// whose line is not known are summed under line 0 of a file without a name.
[[nodiscard]] std::vector<LineObservation> line_samples(const StallSamples& samples,
                                                        const std::string& function,
                                                        const SourceLines& lines);

}  // namespace lab::gpu
