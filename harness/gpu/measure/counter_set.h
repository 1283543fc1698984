// The counters of one plan, collected for cases and written into their records.
#pragma once

#include <functional>
#include <span>

#include "harness/core/record.h"
#include "harness/gpu/measure/collect.h"
#include "harness/gpu/measure/machine.h"
#include "metrics/sets.h"

namespace lab::gpu {

/// What has to be configured once for a GPU.
class CounterSet {
 public:
  /// Counters have to be readable: `access` refuses nothing. Throws CuptiError.
  CounterSet(const CounterAccess& access, const metrics::MetricPlan& plan, const Machine& machine);

  /// Adds what is counted to each case's record. Throws what collect_counters() throws.
  void collect(Rig& rig, std::span<const CountedCase> cases, const CollectSettings& settings,
               const CountingProgress& progress,
               const std::function<CaseRecord&(int case_index)>& record_of) const;

 private:
  metrics::MetricPlan plan_;
  Host host_;
  std::string chip_;
  PassPlan passes_;
  Partition partition_;
};

}  // namespace lab::gpu
