// What of a launch's stores DRAM sees: L2 writes back what it has no room for.
#pragma once

#include "metrics/machine.h"
#include "metrics/values.h"

namespace lab::metrics {

/// A launch's stores, in bytes.
struct Written {
  double read_bytes = 0;      ///< that its loads bring from DRAM, each once
  double distinct_bytes = 0;  ///< that it stores, in whole sectors, each once
  Interval stored;            ///< from what DRAM sees at least to all its stores, each time
};

/// `stored`, narrower where a rule is known. A launch that begins with a clean L2 and touches less
/// than half of it leaves all that it stored there. At most half of L2 is dirty in the end: 30.1 MB
/// of an H200's 62.9 where a kernel stores alone, 22 to 27 where it copies. The rest was written.
[[nodiscard]] Interval written_back(const Written& written, const GpuSize& gpu);

/// Any value of it would agree: it begins at 0, or is wider than 2 x.
[[nodiscard]] bool says_nothing(const Interval& interval);
/// The same of what a verdict was held against.
[[nodiscard]] bool is_not_predicted(const Verdict& verdict);

}  // namespace lab::metrics
