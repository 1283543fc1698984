// Values of a case's metrics by source, and those that follow from others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/core/record.h"
#include "metrics/catalogue.h"

namespace lab::metrics {

/// The observation of `key` from `source`; null where there is none.
[[nodiscard]] const Observation* find_observation(const CaseRecord& record, std::string_view key,
                                                  SourceOf source);

/// Its value; empty where it is missing.
[[nodiscard]] std::optional<double> value_of(const CaseRecord& record, std::string_view key,
                                             SourceOf source);

/// From `low` to `high`; both equal for a number.
struct Interval {
  double low = 0;
  double high = 0;
};

/// The prediction of theory or the model: where caches decide, an interval. The observation has a
/// value.
[[nodiscard]] Interval interval_of(const Observation& prediction);
/// The value of the lab's formula, be it a prediction or a target; either pointer may be null.
[[nodiscard]] std::optional<Interval> formula_value(const Observation* theory,
                                                    const Verdict* verdict);
/// `128`, or `128..256`: for a table.
[[nodiscard]] std::string cell_text(const Interval& interval);

/// The value that counts as the measurement of a metric.
struct Measured {
  double value = 0;
  SourceOf source = SourceOf::kCupti;
  bool fell_back = false;  ///< the catalogue prefers the other source, which has no value
};

/// The one rule for what was measured; tables, JSON, views and reports show what follows from it.
/// Of cupti and sass the source that the catalogue's row names, else the other, else ncu; never the
/// model. A raw name that contains `__sass_` prefers sass, any other raw name cupti. Empty where
/// none has a value.
[[nodiscard]] std::optional<Measured> measured(const CaseRecord& record, std::string_view key);

/// The number that people are shown of a metric: what was measured, as the verdicts' maker noted
/// it, else the model's.
[[nodiscard]] std::optional<double> best_value(const CaseRecord& record, std::string_view key);

/// Writes what was measured into the verdicts, and adds one of kind kNone for each metric that has
/// observations alone. judge() ends with it.
void note_measured(CaseRecord& record);

/// Adds the derived metrics of every source that has their parts, and says why where a part is
/// missing. Values that are there already stay. Bytes that no hardware counts are the model's;
/// bytes that a task needs are theory's. Hardware counters with jitter are combined only where
/// they come from one pass.
void derive(CaseRecord& record);

}  // namespace lab::metrics
