// Counter values by CUPTI's names -> observations by the catalogue's keys.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/gpu/collect.h"
#include "metrics/sets.h"

namespace lab::gpu {

/// One observation for each counter of `plan`, a value or the reason why there is none, and then
/// what the chip lacks.
[[nodiscard]] std::vector<Observation> observe(const metrics::Plan& plan, const PassPlan& passes,
                                               const Collected& collected, int case_index,
                                               const std::string& chip);

/// All of the plan's counters missing for one reason, but those in `patched`: totals counted by
/// instruction patching, under the counters' names.
[[nodiscard]] std::vector<Observation> observe_without_counters(
    const metrics::Plan& plan, const Missing& why, const std::map<std::string, double>& patched);

}  // namespace lab::gpu
