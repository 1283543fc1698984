#include "harness/gpu/measure/counter_set.h"

#include <fmt/format.h>

#include "harness/gpu/driver/phase.h"
#include "harness/gpu/measure/observe.h"

namespace lab::gpu {
namespace {

PassPlan passes_of(const Host& host, const metrics::MetricPlan& plan,
                   const std::string& availability_hash) {
  const Phase phase("counter configuration");
  std::vector<std::string> names;
  for (const metrics::Counter& counter : plan.counters) names.push_back(counter.name);
  return cached_passes(host, names, availability_hash, cupti_cache());
}

}  // namespace

CounterSet::CounterSet(const CounterAccess& access, const metrics::MetricPlan& plan,
                       const Machine& machine)
    : plan_(plan),
      host_(access.chip, &access.availability),
      chip_(access.chip),
      passes_(passes_of(host_, plan, access.availability_hash)),
      partition_(passes_.withheld.empty() ? Partition{} : partition_of(machine)) {}

void CounterSet::collect(Rig& rig, std::span<const CountedCase> cases,
                         const CollectSettings& settings, const CountingProgress& progress,
                         const std::function<CaseRecord&(int)>& record_of) const {
  const Collected collected = collect_counters(rig, host_, passes_, cases, settings, progress);
  for (const CountedCase& counted : cases) {
    CaseRecord& record = record_of(counted.case_index);
    const auto found = observe(plan_, passes_, collected, counted.case_index, chip_, partition_);
    record.observations.insert(record.observations.end(), found.begin(), found.end());
    record.facts.counter_cache = settings.cache;
    record.notes.counter_clocks = "left alone";  // CUPTI 13.0 cannot lock them
    record.notes.counter_passes = fmt::format("{}", passes_.passes);
  }
}

}  // namespace lab::gpu
