// What a batch asks of the GPU backend beyond its cases.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/gpu/measure/rig.h"
#include "harness/gpu/measure/timing.h"

namespace lab::gpu {

/// Keys of BatchRequest::options, all texts:
///   cache=cold|warm        L2 before each counted launch (cold)
///   repeat=N               collections of the counters (1)
///   no_counters=1          leave CUPTI alone, as under a profiler
///   no_timing=1            leave the timing loop out
///   lines=1                counts per source line, each case in a process of its own
///   stalls=1               sample why warps wait, per source line, in place of the counters
///   cold=1                 flush L2 between timed launches
///   carveout=P             percent of the L1 data store preferred as shared memory
///   device=N               which GPU, from 0 (0)
struct Options {
  Cache cache = Cache::kCold;
  int repeat = 1;
  bool counters = true;
  bool timing = true;
  bool lines = false;
  bool stalls = false;
  Cache timing_cache = Cache::kWarm;
  std::optional<int> carveout;
  int device = 0;
};

/// Throws an input error that names the option and what it may be.
[[nodiscard]] Options parse_options(const std::map<std::string, std::string>& texts);

}  // namespace lab::gpu
