#include "tools/report/values.h"

#include <fmt/format.h>

#include "harness/core/numbers.h"
#include "metrics/catalogue.h"
#include "tools/report/html.h"

namespace lab::report {

std::string_view class_of(reading::Mood mood) {
  switch (mood) {
    case reading::Mood::kGood:
      return "agrees";
    case reading::Mood::kNote:
      return "explained";
    case reading::Mood::kBad:
      return "disagrees";
    case reading::Mood::kNeutral:
      return "none";
  }
  return "none";
}

std::string params_text(const CaseRecord& record, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const auto found = record.params.all().find(name);
    if (found == record.params.all().end()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_text(found->second));
  }
  return text;
}

bool is_context(const std::string& metric) {
  const metrics::Metric* row = metrics::find(metric);
  return row != nullptr && row->metric_class == metrics::Class::kContext;
}

std::string percent_text(double fraction) {
  constexpr double kPercent = 100;
  const double percent = kPercent * fraction;
  return percent < 1 ? "under 1 %" : fmt::format("{:.0f} %", percent);
}

std::string shown(const metrics::Interval& interval) {
  const std::string low = grouped_text(interval.low);
  return interval.low == interval.high ? low : low + ".." + grouped_text(interval.high);
}

std::string outcome_html(const CaseRecord& record) {
  const reading::CaseReading read = reading::read(record);
  return element("td", escaped(reading::outcome_text(read)),
                 "verdict " + std::string(class_of(reading::mood_of(read.outcome))));
}

}  // namespace lab::report
