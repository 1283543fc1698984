// Counters' names on every chip, and where Nsight Compute shows what they count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics/catalogue.h"

namespace lab::metrics {

/// A counter's name on one chip, or why that chip has none.
struct CounterName {
  std::string name;          ///< such as dram__bytes_read.sum; empty where `missing` says why
  std::string missing = {};  ///< a sentence
};

/// The name of `metric` from `source` (cupti or sass) on `chip`, such as GH100. Chips differ:
/// GB202 to GB207 say dram__bytes_op_read; GA10B, GB10B and GB20B have no DRAM counters.
[[nodiscard]] CounterName counter_name(const Metric& metric, SourceOf source,
                                       std::string_view chip);

/// `Memory Workload Analysis, Shared Memory: row Shared Load, column Requests`; empty: none.
[[nodiscard]] std::string ncu_place_text(const NcuPlace& place);

/// The chips that CUPTI 13.0 knows.
[[nodiscard]] const std::vector<std::string_view>& known_chips();

/// A counter's name and the chips that have it under that name; an empty name: those that lack it.
struct NameOnChips {
  std::string name;
  std::vector<std::string_view> chips;
};
/// The names of a metric's counter on all known chips, the commonest first; empty: no counter.
[[nodiscard]] std::vector<NameOnChips> names_on_chips(const Metric& metric, SourceOf source);

/// The rows whose value comes from `name`, a counter with or without its rollup (dram__bytes_read),
/// or that have the same number as it, a ratio that CUPTI has ready-made.
[[nodiscard]] std::vector<const Metric*> rows_counted_by(std::string_view name);

}  // namespace lab::metrics
