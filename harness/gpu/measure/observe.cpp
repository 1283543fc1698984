#include "harness/gpu/measure/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/gpu/machine/fallback.h"
#include "harness/gpu/measure/timing.h"

namespace lab::gpu {

namespace {

Observation blank(const metrics::Counter& counter) {
  Observation observation;
  observation.metric = counter.key;
  observation.source = counter.source;
  return observation;
}

Observation missing(const metrics::Counter& counter, const Missing& why) {
  Observation observation = blank(counter);
  observation.value = why;
  return observation;
}

// Why it was not planned; empty: it was.
std::optional<Missing> not_planned(const PassPlan& passes, const std::string& name,
                                   const std::string& chip, const Partition& partition) {
  const auto in = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (in(passes.lacking)) return missing_counter(NoValue::kUnsupported, chip, name);
  if (in(passes.withheld)) return missing_counter(withheld_by(partition), chip, name);
  const auto failed = passes.unanswered.find(name);
  if (failed == passes.unanswered.end()) return {};
  return missing_counters(failed->second,
                          fmt::format("CUPTI gave code {} when it was asked about {}",
                                      static_cast<int>(failed->second), name));
}

Observation measured(const metrics::Counter& counter, const Samples& samples) {
  Observation observation = blank(counter);
  std::vector<double> values = samples.values;
  for (double& value : values) value *= counter.scale;
  if (std::any_of(values.begin(), values.end(), [](double v) { return !std::isfinite(v); })) {
    return missing(counter,
                   {NoValue::kNoValue, fmt::format("CUPTI gave no number for {}", counter.name)});
  }
  observation.value = quantile(values, 0.5);
  observation.min = *std::min_element(values.begin(), values.end());
  observation.max = *std::max_element(values.begin(), values.end());
  observation.samples = static_cast<int>(values.size());
  observation.pass = samples.pass;
  return observation;
}

}  // namespace

std::vector<Observation> observe(const metrics::MetricPlan& plan, const PassPlan& passes,
                                 const Collected& collected, int case_index,
                                 const std::string& chip, const Partition& partition) {
  std::vector<Observation> out;
  const auto of_case = collected.by_case.find(case_index);
  for (const metrics::Counter& counter : plan.counters) {
    if (const auto why = not_planned(passes, counter.name, chip, partition)) {
      out.push_back(missing(counter, *why));
      continue;
    }
    const auto lost = collected.void_passes.find(counter.name);
    if (lost != collected.void_passes.end()) {
      out.push_back(missing(counter, {NoValue::kLostRanges, lost->second}));
      continue;
    }
    const bool there =
        of_case != collected.by_case.end() && of_case->second.count(counter.name) != 0;
    out.push_back(there ? measured(counter, of_case->second.at(counter.name))
                        : missing(counter, {NoValue::kNotCollected, "the case was not counted"}));
  }
  out.insert(out.end(), plan.missing.begin(), plan.missing.end());
  return out;
}

std::vector<Observation> observe_without_counters(const metrics::MetricPlan& plan,
                                                  const Missing& why,
                                                  const std::map<std::string, double>& patched) {
  std::vector<Observation> out;
  for (const metrics::Counter& counter : plan.counters) {
    const auto found = patched.find(counter.name);
    if (found == patched.end()) {
      out.push_back(missing(counter, why));
      continue;
    }
    Observation observation = blank(counter);
    observation.value = found->second * counter.scale;
    out.push_back(std::move(observation));
  }
  out.insert(out.end(), plan.missing.begin(), plan.missing.end());
  return out;
}

}  // namespace lab::gpu
