#include "tools/cli/text/case_view.h"

#include <algorithm>
#include <map>

#include "metrics/catalogue.h"

namespace lab::cli {

namespace {

// Position in the catalogue; raw CUPTI names come after it.
std::size_t rank(const std::string& key) {
  const auto& rows = metrics::catalogue();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.key == key; });
  return static_cast<std::size_t>(found - rows.begin());
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

std::vector<MetricView> metric_views(const CaseRecord& record) {
  std::map<std::pair<std::size_t, std::string>, MetricView> views;
  const auto view_of = [&](const std::string& key) -> MetricView& {
    MetricView& view = views[{rank(key), key}];
    view.key = key;
    return view;
  };
  for (const Observation& observation : record.observations) {
    view_of(observation.metric).by_source[static_cast<std::size_t>(observation.source)] =
        &observation;
  }
  for (const Verdict& verdict : record.verdicts) {
    MetricView& view = view_of(verdict.metric);
    view.row = &verdict;
    if (verdict.kind != VerdictKind::kNone) view.verdict = &verdict;
  }
  std::vector<MetricView> list;
  for (auto& [key, view] : views) list.push_back(std::move(view));
  return list;
}

const MetricView* find_view(const std::vector<MetricView>& views, const std::string& key) {
  const auto found =
      std::find_if(views.begin(), views.end(), [&](const auto& view) { return view.key == key; });
  return found == views.end() ? nullptr : &*found;
}

}  // namespace lab::cli
