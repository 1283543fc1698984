// What a page shows of a case: values by source, names, numbers for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "harness/reading/case_reading.h"
#include "metrics/values.h"

namespace lab::report {

using Values = std::optional<metrics::Interval>;

[[nodiscard]] const Verdict* verdict_of(const CaseRecord& record, const std::string& metric);

/// The lab's formula: a prediction, or, of a student's kernel, its target.
[[nodiscard]] Values theory_of(const CaseRecord& record, const std::string& metric);
[[nodiscard]] Values model_of(const CaseRecord& record, const std::string& metric);
[[nodiscard]] Values measured_of(const CaseRecord& record, const std::string& metric);

/// A column below a metric, and a series in its chart.
struct Series {
  std::string_view name;
  Values (*value)(const CaseRecord&, const std::string&);
};
/// Theory, model, measured: those of them that have a value of one of these metrics.
[[nodiscard]] std::vector<Series> series_in(const Section& section,
                                            const std::vector<std::string>& metrics);
/// Whether each case's sources that have a value have the same one.
[[nodiscard]] bool all_alike(const Section& section, const std::string& metric);

/// Whether theory is a target of some case: the kernel is a student's.
[[nodiscard]] bool has_target(const Section& section);
/// The class of the style sheet.
[[nodiscard]] std::string_view class_of(reading::Mood mood);

/// `stride=4 loads=16` of those that the case has.
[[nodiscard]] std::string params_text(const CaseRecord& record,
                                      const std::vector<std::string>& names);
/// The variant, or a probe's kernel.
[[nodiscard]] std::string name_of(const Section& section);

/// A metric's title, else its key as it is.
[[nodiscard]] std::string title_of(const std::string& metric);
[[nodiscard]] std::string unit_of(const std::string& metric);
/// Whether it is of a class that is shown and never judged, such as a time.
[[nodiscard]] bool is_context(const std::string& metric);

/// 65 %; below one percent `under 1 %`.
[[nodiscard]] std::string percent_text(double fraction);
/// 128, or 128..256.
[[nodiscard]] std::string shown(const metrics::Interval& interval);

}  // namespace lab::report
