#include "tools/report/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/numbers.h"
#include "harness/reading/case_reading.h"
#include "metrics/catalogue.h"

namespace lab::report {

const Verdict* verdict_of(const CaseRecord& record, const std::string& metric) {
  const auto& all = record.verdicts;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Verdict& v) { return v.metric == metric; });
  return found == all.end() ? nullptr : &*found;
}

Values theory_of(const CaseRecord& record, const std::string& metric) {
  return metrics::formula_value(metrics::find_observation(record, metric, SourceOf::kTheory),
                                verdict_of(record, metric));
}

Values model_of(const CaseRecord& record, const std::string& metric) {
  const Observation* model = metrics::find_observation(record, metric, SourceOf::kModel);
  if (model == nullptr || !model->has_value()) return {};
  return metrics::interval_of(*model);
}

Values measured_of(const CaseRecord& record, const std::string& metric) {
  const Verdict* verdict = verdict_of(record, metric);
  if (verdict == nullptr || !verdict->measured) return {};
  return metrics::Interval{*verdict->measured, *verdict->measured};
}

namespace {

constexpr std::size_t kSeries = 3;
const Series kAllSeries[kSeries] = {
    {"theory", theory_of}, {"model", model_of}, {"measured", measured_of}};

}  // namespace

std::vector<Series> series_in(const Section& section, const std::vector<std::string>& metrics) {
  std::vector<Series> there;
  for (const Series& series : kAllSeries) {
    const bool any = std::any_of(section.cases.begin(), section.cases.end(), [&](const auto* c) {
      return std::any_of(metrics.begin(), metrics.end(),
                         [&](const auto& metric) { return series.value(*c, metric).has_value(); });
    });
    if (any) there.push_back(series);
  }
  return there;
}

bool all_alike(const Section& section, const std::string& metric) {
  return std::all_of(section.cases.begin(), section.cases.end(), [&](const CaseRecord* record) {
    Values known;
    for (const Series& series : kAllSeries) {
      const auto value = series.value(*record, metric);
      if (!value) continue;
      if (known && (known->low != value->low || known->high != value->high)) return false;
      known = value;
    }
    return true;
  });
}

bool has_target(const Section& section) {
  return std::any_of(section.cases.begin(), section.cases.end(),
                     [](const CaseRecord* record) { return reading::read(*record).has_target; });
}

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

std::string name_of(const Section& section) {
  return section.variant.empty() ? section.cases.front()->kernel : section.variant;
}

std::string title_of(const std::string& metric) {
  const metrics::Metric* row = metrics::find(metric);
  return row == nullptr || row->title.empty() ? metric : std::string(row->title);
}

std::string unit_of(const std::string& metric) {
  const metrics::Metric* row = metrics::find(metric);
  return row == nullptr ? std::string() : std::string(row->unit);
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

}  // namespace lab::report
