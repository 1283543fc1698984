// The time that theory expects of a launch, and the rates that follow from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/record.h"
#include "metrics/ceilings.h"
#include "metrics/machine.h"

namespace lab::metrics {

/// Theory's value of a metric that follows from other rows, with its derivation.
struct Expected {
  std::string metric;
  double value = 0;
  std::string formula;
  std::string reason;  ///< the numbers put in, for a student
};

/// The least time (duration_ns) that theory's counts take on a machine: the largest of DRAM bytes,
/// L2 sectors, wavefronts of shared memory and issued instructions, each over its ceiling; and the
/// needed and the moved bytes over that time (effective_bandwidth, moved_bandwidth). Where theory
/// has no row for a count, the model's is taken. Of an interval the lower end, so that the time
/// stays a lower bound; each sector that is stored to counts as written to DRAM once. Where
/// launches were timed with a warm L2 that holds all of it, nothing is moved. Rates are given only
/// where a time was measured. Empty where no count or no ceiling is known.
[[nodiscard]] std::vector<Expected> expected_time(const CaseRecord& record, const Machine& machine);

/// That least time in ns as the case was held against it, of the ceilings of its run: the bound
/// that terminal and report show beside a measured time.
[[nodiscard]] std::optional<double> bound_ns(const CaseRecord& record);

/// Takes that out of a judged record again: it is of ceilings, which may be measured anew after the
/// run. What was measured stays.
void drop_expected_time(CaseRecord& record);

}  // namespace lab::metrics
