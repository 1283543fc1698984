// A case's names and numbers, as a page shows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/figures.h"

namespace lab::report {

/// The class of the style sheet.
[[nodiscard]] std::string_view class_of(reading::Mood mood);

/// `stride=4 loads=16` of those that the case has.
[[nodiscard]] std::string params_text(const CaseRecord& record,
                                      const std::vector<std::string>& names);
/// Whether it is of a class that is shown and never judged, such as a time.
[[nodiscard]] bool is_context(const std::string& metric);

/// 65 %; below one percent `under 1 %`.
[[nodiscard]] std::string percent_text(double fraction);
/// 128, or 128..256.
[[nodiscard]] std::string shown(const metrics::Interval& interval);

/// What came of a case, in a word or two, as a cell of its class in the style sheet.
[[nodiscard]] std::string outcome_html(const CaseRecord& record);

}  // namespace lab::report
