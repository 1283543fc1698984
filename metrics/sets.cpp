#include "metrics/sets.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "metrics/counter_names.h"

namespace lab::metrics {
namespace {

constexpr std::pair<std::string_view, Set> kSets[] = {{"default", Set::kDefault},
                                                      {"arbitration", Set::kArbitration}};

std::optional<Set> find_set(std::string_view name) {
  for (const auto& [called, set] : kSets) {
    if (called == name) return set;
  }
  return {};
}

void add(const Metric& metric, SourceOf source, std::string_view chip, MetricPlan& plan) {
  auto [name, missing] = counter_name(metric, source, chip);
  if (missing.empty()) {
    plan.counters.push_back({std::string(metric.key), source, name, metric.scale});
    return;
  }
  Observation observation;
  observation.metric = metric.key;
  observation.source = source;
  observation.value = Missing{NoValue::kUnsupported, missing};
  plan.missing.push_back(std::move(observation));
}

// Hardware's counters before patched instructions, as they are collected.
MetricPlan plan_of(Set set, std::string_view chip) {
  MetricPlan plan;
  for (const SourceOf source : {SourceOf::kCupti, SourceOf::kSass}) {
    for (const Metric& metric : catalogue()) {
      for (const InSet& in : metric.sets) {
        if (in.set == set && in.by == source) add(metric, source, chip, plan);
      }
    }
  }
  return plan;
}

// Both of its counters; for a derived metric, those of its parts.
void add_metric(const Metric& metric, std::string_view chip, MetricPlan& plan) {
  if (!metric.cupti.empty()) add(metric, SourceOf::kCupti, chip, plan);
  if (!metric.sass.empty()) add(metric, SourceOf::kSass, chip, plan);
  if (!metric.cupti.empty() || !metric.sass.empty()) return;
  for (const auto part : metric.derived.parts) add_metric(at(part), chip, plan);
}

bool is_raw(std::string_view name) { return name.find("__") != std::string_view::npos; }

}  // namespace

const std::vector<std::string>& set_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& [name, set] : kSets) names.emplace_back(name);
    return names;
  }();
  return kNames;
}

MetricPlan plan_set(std::string_view name, std::string_view chip) {
  if (const auto set = find_set(name)) return plan_of(*set, chip);
  throw input_error("there is no metric set '" + std::string(name) + "'",
                    suggestion(name, set_names()));
}

MetricPlan plan_metrics(std::span<const std::string> asked, std::string_view chip) {
  MetricPlan plan;
  for (const auto& name : asked) {
    MetricPlan more;
    if (const auto set = find_set(name)) {
      more = plan_of(*set, chip);
    } else if (is_raw(name)) {
      const auto source =
          name.find("__sass_") == std::string::npos ? SourceOf::kCupti : SourceOf::kSass;
      more.counters.push_back({name, source, name, 1});
    } else {
      add_metric(at(name), chip, more);
    }
    plan = join(std::move(plan), more);
  }
  return plan;
}

MetricPlan join(MetricPlan first, const MetricPlan& second) {
  for (const auto& counter : second.counters) {
    const bool there = std::any_of(first.counters.begin(), first.counters.end(),
                                   [&](const Counter& c) { return c.name == counter.name; });
    if (!there) first.counters.push_back(counter);
  }
  for (const auto& missing : second.missing) {
    const bool there =
        std::any_of(first.missing.begin(), first.missing.end(), [&](const Observation& o) {
          return o.metric == missing.metric && o.source == missing.source;
        });
    if (!there) first.missing.push_back(missing);
  }
  return first;
}

}  // namespace lab::metrics
