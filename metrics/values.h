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

/// What counts as the measurement of a metric.
struct Measured {
  double value = 0;
  SourceOf source = SourceOf::kCupti;
  bool fell_back = false;  ///< the catalogue prefers the other source, which has no value
};

/// From the source that the catalogue's row names, else from the other; a raw name containing
/// `__sass_` prefers sass. Empty where neither has a value.
[[nodiscard]] std::optional<Measured> measured(const CaseRecord& record, std::string_view key);

/// Adds the derived metrics of every source that has their parts, and says why where a part is
/// missing. Values that are there already stay. Bytes that no hardware counts are the model's;
/// bytes that a task needs are theory's. Hardware counters with jitter are combined only where
/// they come from one pass.
void derive(CaseRecord& record);

}  // namespace lab::metrics
