#include "harness/reading/metric_view.h"

#include <algorithm>
#include <map>

#include "metrics/catalogue.h"

namespace lab::reading {

namespace {

// Position in the catalogue; raw CUPTI names come after it.
std::size_t rank(const std::string& key) {
  const auto& rows = metrics::catalogue();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.key == key; });
  return static_cast<std::size_t>(found - rows.begin());
}

void add(const Observation& observation, MetricView& view) {
  view.by_source[static_cast<std::size_t>(observation.source)] = &observation;
}

void add(const Verdict& verdict, MetricView& view) {
  view.row = &verdict;
  if (verdict.kind != VerdictKind::kNone) view.verdict = &verdict;
}

}  // namespace

std::optional<double> MetricView::value(SourceOf source) const {
  const Observation* observation = from(source);
  if (observation == nullptr || !observation->has_value()) return {};
  return observation->number();
}

std::optional<metrics::Interval> MetricView::model() const {
  if (!value(SourceOf::kModel)) return {};
  return metrics::interval_of(*from(SourceOf::kModel));
}

std::optional<metrics::Interval> MetricView::theory() const {
  return metrics::formula_value(from(SourceOf::kTheory), row);
}

std::optional<MeasuredValue> MetricView::measured() const {
  if (row == nullptr || !row->measured || !row->measured_source) return {};
  return MeasuredValue{*row->measured, *row->measured_source};
}

std::optional<MeasuredValue> MetricView::best() const {
  if (const auto known = measured()) return known;
  const auto counted = value(SourceOf::kModel);
  return counted ? std::optional(MeasuredValue{*counted, SourceOf::kModel}) : std::nullopt;
}

bool MetricView::may_be_something() const {
  return std::any_of(by_source.begin(), by_source.end(), [](const Observation* one) {
    if (one == nullptr) return false;
    if (one->has_value()) return one->number() != 0 || one->max.value_or(0) != 0;
    const NoValue why = std::get<Missing>(one->value).reason;
    return why == NoValue::kNotCounted || why == NoValue::kNotModelled || why == NoValue::kSampled;
  });
}

std::vector<MetricView> metric_views(const CaseRecord& record) {
  std::map<std::pair<std::size_t, std::string>, MetricView> views;
  const auto view_in = [&](const std::string& key) -> MetricView& {
    MetricView& view = views[{rank(key), key}];
    view.key = key;
    return view;
  };
  for (const Observation& one : record.observations) add(one, view_in(one.metric));
  for (const Verdict& verdict : record.verdicts) add(verdict, view_in(verdict.metric));
  std::vector<MetricView> list;
  for (auto& [key, view] : views) list.push_back(std::move(view));
  return list;
}

MetricView view_of(const CaseRecord& record, std::string_view key) {
  MetricView view{std::string(key)};
  for (const Observation& one : record.observations) {
    if (one.metric == key) add(one, view);
  }
  for (const Verdict& verdict : record.verdicts) {
    if (verdict.metric == key) add(verdict, view);
  }
  return view;
}

}  // namespace lab::reading
