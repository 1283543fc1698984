// Which metrics are collected on a GPU, as data, and under which counters' names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/catalogue.h"

namespace lab::metrics {

/// One counter to collect. `key` is the catalogue's, or the raw CUPTI name where it has none.
struct Counter {
  std::string key;
  SourceOf source = SourceOf::kCupti;
  std::string name;  ///< CUPTI's, with its rollup
  double scale = 1;  ///< counter x scale is in the key's unit
};

struct MetricPlan {
  std::vector<Counter> counters;
  std::vector<Observation> missing;  ///< what the chip lacks, by key, each with its reason
};

/// Names of the sets: default, arbitration.
[[nodiscard]] const std::vector<std::string>& set_names();

/// The metrics that set `name` collects on `chip` (GH100, ...). Throws an input error for an
/// unknown set.
[[nodiscard]] MetricPlan plan_set(std::string_view name, std::string_view chip);

/// The metrics that these keys, set names and raw CUPTI names ask for. A derived key stands for its
/// parts. A raw name is one that contains "__"; anything else unknown is an input error.
[[nodiscard]] MetricPlan plan_metrics(std::span<const std::string> asked, std::string_view chip);

/// The first plan, and of the second what it lacks.
[[nodiscard]] MetricPlan join(MetricPlan first, const MetricPlan& second);

}  // namespace lab::metrics
