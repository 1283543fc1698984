// How long a kernel takes, apart from any counter: CUDA events on a clean stream, or the host's
// clock.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/record.h"
#include "harness/gpu/measure/rig.h"

namespace lab::gpu {

struct TimingPlan {
  Cache cache = Cache::kWarm;
  /// Of one sample. More than one follow each other with nothing in between: the arrays are as
  /// the launch before left them, and what the GPU takes from one to the next is in the time.
  int launches = 1;
  /// Instead the host waits for each launch, and the sample is the mean of what its clock says.
  bool host_timer = false;
  int warm_up = 3;
  int least_samples = 10;
  int most_samples = 100;
  double spread = 0.01;        ///< stop when (p75 - p25) / median is at or under this
  double most_seconds = 0.05;  ///< stop after this long, once there are three samples
};

/// Whether the samples so far are enough.
[[nodiscard]] bool settled(const std::vector<double>& samples_ns, const TimingPlan& plan,
                           double seconds);

/// Linear interpolation between closest ranks; `fraction` in [0, 1]. `values` is not empty.
[[nodiscard]] double quantile(std::vector<double> values, double fraction);

/// Median, least, most and the samples themselves, with how they were taken.
[[nodiscard]] Timing summarise(std::vector<double> samples_ns, const TimingPlan& plan,
                               double clock_mhz);

/// Times a kernel. It must have run once without a fault.
[[nodiscard]] Timing time_case(Rig& rig, Replay& replay, const TimingPlan& plan);

}  // namespace lab::gpu
