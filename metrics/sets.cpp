#include "metrics/sets.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/metric_keys.h"
#include "harness/core/text.h"

namespace lab::metrics {
namespace {

struct Entry {
  std::string_view key;
  SourceOf source;
};

constexpr auto kHardware = SourceOf::kCupti;
constexpr auto kPatched = SourceOf::kSass;

// 36 counters in four passes on GH100: three of hardware counters, one of patched instructions.
// Without shared_conflicts_all it would be three; it is what courses verify conflicts with.
constexpr Entry kDefault[] = {
    {metric::kDramReadBytes, kHardware},
    {metric::kDramWriteBytes, kHardware},
    {metric::kGlobalLoadRequests, kHardware},
    {metric::kGlobalStoreRequests, kHardware},
    {metric::kSharedLoadRequests, kHardware},
    {metric::kSharedStoreRequests, kHardware},
    {metric::kGlobalLoadSectors, kHardware},
    {metric::kGlobalStoreSectors, kHardware},
    {metric::kSharedLoadBankConflicts, kHardware},
    {metric::kSharedStoreBankConflicts, kHardware},
    {metric::kSharedConflictsAll, kHardware},
    {metric::kSharedLoadWavefronts, kHardware},
    {metric::kSharedStoreWavefronts, kHardware},
    {metric::kL2ReadSectors, kHardware},
    {metric::kL2WriteSectors, kHardware},
    {metric::kInstructions, kHardware},
    {metric::kCycles, kHardware},
    {metric::kOccupancy, kHardware},
    {metric::kDurationNs, kHardware},
    {metric::kL1LoadHitSectors, kHardware},
    {metric::kL2HitSectors, kHardware},
    {metric::kL2FillSectors, kHardware},
    {metric::kSharedLoadWavefrontsSass, kPatched},
    {metric::kSharedStoreWavefrontsSass, kPatched},
    {metric::kSharedAtomicWavefrontsSass, kPatched},
    {metric::kGlobalLoadSectors, kPatched},
    {metric::kGlobalStoreSectors, kPatched},
    {metric::kGlobalAtomicSectorsSass, kPatched},
    {metric::kGlobalReductionSectorsSass, kPatched},
    {metric::kGlobalLoadRequests, kPatched},
    {metric::kGlobalStoreRequests, kPatched},
    {metric::kSharedLoadRequests, kPatched},
    {metric::kSharedStoreRequests, kPatched},
    {metric::kLocalLoadRequests, kPatched},
    {metric::kLocalStoreRequests, kPatched},
    {metric::kSharedAtomicRequests, kPatched},
};

// Tells bank conflicts apart from lost arbitration; three more passes on GH100.
constexpr Entry kArbitration[] = {
    {metric::kL1BankConflicts, kHardware},
    {metric::kL1ArbitrationConflicts, kHardware},
    {metric::kL1GlobalConflicts, kHardware},
};

struct Set {
  std::string_view name;
  std::span<const Entry> entries;
};
constexpr Set kSets[] = {{"default", kDefault}, {"arbitration", kArbitration}};

const Set* find_set(std::string_view name) {
  const auto* found = std::find_if(std::begin(kSets), std::end(kSets),
                                   [&](const Set& set) { return set.name == name; });
  return found == std::end(kSets) ? nullptr : found;
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

MetricPlan plan_entries(const Set& set, std::string_view chip) {
  MetricPlan plan;
  for (const auto& entry : set.entries) add(at(entry.key), entry.source, chip, plan);
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
  static const std::vector<std::string> kNames = {"default", "arbitration"};
  return kNames;
}

MetricPlan plan_set(std::string_view name, std::string_view chip) {
  if (const auto* set = find_set(name)) return plan_entries(*set, chip);
  throw input_error("there is no metric set '" + std::string(name) + "'",
                    suggestion(name, set_names()));
}

MetricPlan plan_metrics(std::span<const std::string> asked, std::string_view chip) {
  MetricPlan plan;
  for (const auto& name : asked) {
    MetricPlan more;
    if (const auto* set = find_set(name)) {
      more = plan_entries(*set, chip);
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
