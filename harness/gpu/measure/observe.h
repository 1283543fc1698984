// Turns counts into observations: counters by the keys of the catalogue, and machine instructions
// by source line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/gpu/cupti/sass.h"
#include "harness/gpu/cupti/source_lines.h"
#include "harness/gpu/measure/collect.h"
#include "metrics/sets.h"

namespace lab::gpu {

/// One observation for each counter of `plan`, with a value or the reason why there is none. After
/// these, the counters that the chip lacks. `partition` says who took what is withheld.
[[nodiscard]] std::vector<Observation> observe(const metrics::MetricPlan& plan,
                                               const PassPlan& passes, const Collected& collected,
                                               int case_index, const std::string& chip,
                                               const Partition& partition = {});

/// All of the plan's counters are missing for one reason, except those in `patched`: totals counted
/// by instruction patching, under the counters' names.
[[nodiscard]] std::vector<Observation> observe_without_counters(
    const metrics::MetricPlan& plan, const Missing& why,
    const std::map<std::string, double>& patched);

/// Metrics of the SASS Metrics API that are asked for: those shown per line, and those that stand
/// in for counters of the range profiler where it may not be used.
[[nodiscard]] const std::vector<std::string>& line_metrics();

/// Sums over all instructions, under the names that the range profiler gives the same counters:
/// smsp__sass_inst_executed_op_global_ld.sum, ...
[[nodiscard]] std::map<std::string, double> counter_totals(
    const std::vector<InstructionCounts>& counts, const std::vector<std::string>& metrics);

/// Sums by source line, under keys of their own (instructions, global_sectors, ...); a line
/// where a metric is 0 has no observation of it. `counts` are those of `function`, the kernel that
/// was patched.
[[nodiscard]] std::vector<LineObservation> line_observations(
    const std::vector<InstructionCounts>& counts, const std::vector<std::string>& metrics,
    const std::string& function, const SourceLines& source);

}  // namespace lab::gpu
