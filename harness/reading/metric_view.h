// A case's observations and verdicts, put together by metric.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "metrics/values.h"

namespace lab::reading {

struct MeasuredValue {
  double value = 0;
  SourceOf source = SourceOf::kCupti;
};

/// All that is known of one metric of one case. Pointers into the CaseRecord that it was made from.
struct MetricView {
  std::string key;
  const Verdict* row = nullptr;      ///< what is stored of the metric; null: a case never judged
  const Verdict* verdict = nullptr;  ///< the same, where somebody judged it
  std::array<const Observation*, 6> by_source{};  ///< by the number of SourceOf; null: nothing

  [[nodiscard]] const Observation* from(SourceOf source) const {
    return by_source[static_cast<std::size_t>(source)];
  }
  [[nodiscard]] std::optional<double> value(SourceOf source) const;
  /// The value of the lab's formula, be it a prediction or a target.
  [[nodiscard]] std::optional<metrics::Interval> theory() const;
  [[nodiscard]] std::optional<metrics::Interval> model() const;
  /// What the verdicts' maker says was measured (metrics::measured); empty: nothing was.
  [[nodiscard]] std::optional<MeasuredValue> measured() const;
  /// What was measured, else the model's: the value that tables show of a kernel.
  [[nodiscard]] std::optional<MeasuredValue> best() const;
  /// Whether any source has a value that is not 0, or could not count what may be something.
  [[nodiscard]] bool may_be_something() const;
};

/// One view per metric: the catalogue's in its order, then others by name.
[[nodiscard]] std::vector<MetricView> metric_views(const CaseRecord& record);

/// The view of `key`, with nothing in it where nothing is known.
[[nodiscard]] MetricView view_of(const CaseRecord& record, std::string_view key);

}  // namespace lab::reading
