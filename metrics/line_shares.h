// How much of a launch's expected time is of each of its source lines.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "harness/core/record.h"
#include "metrics/expectation.h"

namespace lab::metrics {

/// Counts of a launch by line, of the model's among others; which number a line has is the
/// caller's.
using LinesCounts = std::map<int, std::vector<LineObservation>>;

struct TimeShares {
  std::map<int, double> lines = {};
  double rest = 1;  ///< what an empty kernel of as many blocks takes: no line's
};

/// Shares of the expected time; they and the rest add up to 1. A line's share is what the time
/// would be less by without the line: without its counts, its instructions and its waits for
/// memory, of which it has as many as it has of the launch's requests of that kind. Parts of the
/// chip hide each other, so that these differences add up to less or more than the whole: they are
/// scaled to what the time has beyond the rest. Empty where no time is expected.
[[nodiscard]] std::optional<TimeShares> time_shares(const Launched& launched,
                                                    const LinesCounts& lines);

}  // namespace lab::metrics
