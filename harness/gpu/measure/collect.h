// Runs the passes of a plan over many cases and sorts the values out by case and name.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/gpu/cupti/counters.h"
#include "harness/gpu/cupti/passes.h"
#include "harness/gpu/measure/ledger.h"
#include "harness/gpu/measure/rig.h"

namespace lab::gpu {

/// A case in a session.
struct CountedCase {
  int case_index = 0;
  Replay* replay = nullptr;
};

struct CollectSettings {
  Cache cache = Cache::kCold;
  int repeat = 1;
};

/// The values of one counter in one case, one per repeat, and the pass they came from (from 1).
struct Samples {
  std::vector<double> values;
  int pass = 0;
};

struct Collected {
  std::map<int, std::map<std::string, Samples>> by_case;  ///< case index -> counter -> values
  std::map<std::string, std::string> void_passes;         ///< counter -> why its pass is void
};

/// A launch that failed while counters were read; the context is lost.
class CountingFault : public DriverError {
 public:
  CountingFault(int case_index, const DriverError& error)
      : DriverError(error.code(), error.what(), error.hint()), case_index_(case_index) {}
  [[nodiscard]] int case_index() const { return case_index_; }

 private:
  int case_index_;
};

/// Called before each launch of a case, with its index and the share of all passes done.
using CountingProgress = std::function<void(int case_index, double fraction)>;

/// Cases are split into sessions of at most kMaxRanges ranges. Each session of each group has a
/// profiler of its own, since a second configuration of a profiler gives no values. Throws
/// CuptiError where counters cannot be read, CountingFault where a kernel fails.
[[nodiscard]] Collected collect_counters(Rig& rig, const Host& host, const PassPlan& plan,
                                         std::span<const CountedCase> cases,
                                         const CollectSettings& settings,
                                         const CountingProgress& progress);

}  // namespace lab::gpu
