#include "metrics/sets.h"

#include <algorithm>

#include "harness/core/error.h"
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
    {"dram_read_bytes", kHardware},
    {"dram_write_bytes", kHardware},
    {"global_load_requests", kHardware},
    {"global_store_requests", kHardware},
    {"shared_load_requests", kHardware},
    {"shared_store_requests", kHardware},
    {"global_load_sectors", kHardware},
    {"global_store_sectors", kHardware},
    {"shared_load_bank_conflicts", kHardware},
    {"shared_store_bank_conflicts", kHardware},
    {"shared_conflicts_all", kHardware},
    {"shared_load_wavefronts", kHardware},
    {"shared_store_wavefronts", kHardware},
    {"l2_read_sectors", kHardware},
    {"l2_write_sectors", kHardware},
    {"instructions", kHardware},
    {"cycles", kHardware},
    {"occupancy", kHardware},
    {"duration_ns", kHardware},
    {"l1_load_hit_sectors", kHardware},
    {"l2_hit_sectors", kHardware},
    {"l2_fill_sectors", kHardware},
    {"shared_load_wavefronts_sass", kPatched},
    {"shared_store_wavefronts_sass", kPatched},
    {"shared_atomic_wavefronts_sass", kPatched},
    {"global_load_sectors", kPatched},
    {"global_store_sectors", kPatched},
    {"global_atomic_sectors_sass", kPatched},
    {"global_reduction_sectors_sass", kPatched},
    {"global_load_requests", kPatched},
    {"global_store_requests", kPatched},
    {"shared_load_requests", kPatched},
    {"shared_store_requests", kPatched},
    {"local_load_requests", kPatched},
    {"local_store_requests", kPatched},
    {"shared_atomic_requests", kPatched},
};

// Tells bank conflicts apart from lost arbitration; three more passes on GH100.
constexpr Entry kArbitration[] = {
    {"l1_bank_conflicts", kHardware},
    {"l1_arbitration_conflicts", kHardware},
    {"l1_global_conflicts", kHardware},
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

void add(const Metric& metric, SourceOf source, std::string_view chip, Plan& plan) {
  auto [name, missing] = counter_name(metric, source, chip);
  if (missing.empty()) {
    plan.counters.push_back({std::string(metric.key), source, name, metric.scale});
    return;
  }
  Observation observation;
  observation.metric = metric.key;
  observation.source = source;
  observation.value = Missing{"unsupported", missing};
  plan.missing.push_back(std::move(observation));
}

Plan plan_entries(const Set& set, std::string_view chip) {
  Plan plan;
  for (const auto& entry : set.entries) add(at(entry.key), entry.source, chip, plan);
  return plan;
}

// Both of its counters; for a derived metric, those of its parts.
void add_metric(const Metric& metric, std::string_view chip, Plan& plan) {
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

Plan plan_set(std::string_view name, std::string_view chip) {
  if (const auto* set = find_set(name)) return plan_entries(*set, chip);
  throw input_error("there is no metric set '" + std::string(name) + "'",
                    suggestion(name, set_names()));
}

Plan plan_metrics(std::span<const std::string> asked, std::string_view chip) {
  Plan plan;
  for (const auto& name : asked) {
    Plan more;
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

Plan join(Plan first, const Plan& second) {
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
