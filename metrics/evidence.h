// All that is known about one metric of one case, gathered for its verdict.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "metrics/catalogue.h"
#include "metrics/values.h"

namespace lab::metrics {

struct Seen {
  SourceOf source = SourceOf::kModel;
  double value = 0;
};

struct Evidence {
  std::string key;
  const Metric* row = nullptr;  ///< null for a raw CUPTI name
  const TheoryRow* theory_row = nullptr;
  std::optional<Interval> theory = {};
  std::optional<Interval> model = {};
  std::vector<Seen> hardware = {};  ///< cupti, sass, ncu; the one that counts as measured first
  std::string not_measured = {};    ///< why hardware has no value
  std::string not_modelled = {};    ///< why the model has none
};

/// Equal as counts, and as ratios of counts: to nine digits.
[[nodiscard]] bool same(double a, double b);
[[nodiscard]] bool same(const Interval& a, const Interval& b);
/// `value` lies in `interval`, its ends widened by rounding alone.
[[nodiscard]] bool holds(const Interval& interval, double value);

/// `theory_row` may be null.
[[nodiscard]] Evidence gather(const CaseRecord& record, std::string_view key,
                              const TheoryRow* theory_row);

/// `128`, or `128 to 256`.
[[nodiscard]] std::string text(const Interval& interval);

}  // namespace lab::metrics
