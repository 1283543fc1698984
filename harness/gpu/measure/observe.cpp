#include "harness/gpu/measure/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

Observation measured(const metrics::Counter& counter, const Samples& samples) {
  Observation observation = blank(counter);
  std::vector<double> values = samples.values;
  for (double& value : values) value *= counter.scale;
  if (std::any_of(values.begin(), values.end(), [](double v) { return !std::isfinite(v); })) {
    return missing(counter, {"no_value", fmt::format("CUPTI gave no number for {}", counter.name)});
  }
  observation.value = quantile(values, 0.5);
  observation.min = *std::min_element(values.begin(), values.end());
  observation.max = *std::max_element(values.begin(), values.end());
  observation.samples = static_cast<int>(values.size());
  observation.pass = samples.pass;
  return observation;
}

}  // namespace

std::vector<Observation> observe(const metrics::Plan& plan, const PassPlan& passes,
                                 const Collected& collected, int case_index,
                                 const std::string& chip) {
  std::vector<Observation> out;
  const auto of_case = collected.by_case.find(case_index);
  for (const metrics::Counter& counter : plan.counters) {
    const auto& lacking = passes.lacking;
    if (std::find(lacking.begin(), lacking.end(), counter.name) != lacking.end()) {
      out.push_back(missing(
          counter, {"unsupported", fmt::format("{} has no counter {}", chip, counter.name)}));
      continue;
    }
    const auto lost = collected.void_passes.find(counter.name);
    if (lost != collected.void_passes.end()) {
      out.push_back(missing(counter, {"lost_ranges", lost->second}));
      continue;
    }
    const bool there =
        of_case != collected.by_case.end() && of_case->second.count(counter.name) != 0;
    out.push_back(there ? measured(counter, of_case->second.at(counter.name))
                        : missing(counter, {"not_collected", "the case was not counted"}));
  }
  out.insert(out.end(), plan.missing.begin(), plan.missing.end());
  return out;
}

std::vector<Observation> observe_without_counters(const metrics::Plan& plan, const Missing& why,
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
