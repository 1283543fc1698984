#include "harness/reading/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "harness/core/metric_keys.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/metric_view.h"
#include "metrics/catalogue.h"
#include "metrics/compare.h"
#include "metrics/machine.h"

namespace lab::reading {

namespace {

/// The places of the sources in Values.
enum : std::size_t { kTheory, kModel, kMeasured };
constexpr std::array<std::string_view, 3> kNames = {"theory", "model", "measured"};
using Values = std::array<Value, kNames.size()>;

// A case with a mistake has no numbers: its cost is no matter.
Values values_in(const CaseRecord& record, const std::string& metric) {
  if (has_mistake(record)) return {};
  const MetricView view = view_of(record, metric);
  const auto measured = view.measured();
  return {view.theory(), view.model(),
          measured ? Value(metrics::Interval{measured->value, measured->value}) : std::nullopt};
}

// The comparison allows the same: sums and quotients of doubles differ in their last bits.
bool same(double a, double b) {
  constexpr double kRounding = 1e-9;
  return std::fabs(a - b) <= kRounding * std::max(std::fabs(a), std::fabs(b));
}

bool same(const Value& a, const Value& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return same(a->low, b->low) && same(a->high, b->high);
}

// Predictions that can both be true; where one is a number, the other has it inside.
bool overlap(const metrics::Interval& a, const metrics::Interval& b) {
  return (a.low <= b.high && b.low <= a.high) || (same(a.low, b.low) && same(a.high, b.high));
}

// The value on which all sources agree that have one; the first where they differ.
Value common(const Values& values) {
  for (const Value& value : values) {
    if (value) return value;
  }
  return {};
}

bool agree(const CaseRecord& record, const std::string& metric) {
  return std::any_of(record.verdicts.begin(), record.verdicts.end(), [&](const Verdict& verdict) {
    return verdict.metric == metric && verdict.kind == VerdictKind::kAgrees;
  });
}

bool all_equal(const Values& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const Value& value) { return !value || same(value, common(values)); });
}

// Whether the measured value lies within the prediction, or is as good as it (metrics/compare.h):
// in brief, one number speaks for both.
bool measured_as_predicted(const Values& values) {
  const Value& expected = values[kTheory] ? values[kTheory] : values[kModel];
  if (!expected || expected->low != expected->high || !values[kMeasured]) return false;
  return std::fabs(values[kMeasured]->low - expected->low) <= metrics::kNegligible * expected->low;
}

/// How the sources of one metric stand to each other, over all cases.
struct Agreement {
  std::vector<Values> values = {};
  bool equal = true;
  bool nearly = true;     // equal, or measured as good as predicted
  bool agreed = true;     // equal, or intervals that fit each other
  bool predicted = true;  // theory and model can both be true

  Agreement(const std::string& metric, const Cases& cases) {
    for (const CaseRecord* record : cases) {
      const Values& one = values.emplace_back(values_in(*record, metric));
      const bool alike = all_equal(one);
      const bool agrees = !alike && agree(*record, metric);
      equal = equal && alike;
      nearly = nearly && (alike || (agrees && measured_as_predicted(one)));
      agreed = agreed && (alike || agrees);
      predicted =
          predicted && (!one[kModel] || !one[kTheory] || overlap(*one[kModel], *one[kTheory]));
    }
  }

  [[nodiscard]] bool any(std::size_t source) const {
    return std::any_of(values.begin(), values.end(),
                       [&](const Values& one) { return one[source].has_value(); });
  }
  [[nodiscard]] bool folds(Detail detail) const {
    if (detail == Detail::kFolded) return equal;
    return detail == Detail::kBrief && (nearly || (agreed && !any(kMeasured)));
  }
  [[nodiscard]] bool theory_speaks_for_model(Detail detail) const {
    return detail == Detail::kBrief && (agreed || predicted) && any(kTheory);
  }
};

bool is_plain(const CaseRecord& record, const Shown& shown) {
  if (record.status != CaseStatus::kOk || !record.findings.empty()) return false;
  const auto needs_words = [&](const Verdict& verdict) {
    if (verdict.target || verdict.kind == VerdictKind::kDisagrees) return true;
    const auto& metrics = shown.metrics;
    return shown.side_by_side() && verdict.kind == VerdictKind::kExplained &&
           std::find(metrics.begin(), metrics.end(), verdict.metric) != metrics.end();
  };
  return std::none_of(record.verdicts.begin(), record.verdicts.end(), needs_words);
}

// `rows` and `cols` of `{rows} x {cols} floats`.
std::vector<std::string> names_in_braces(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at)) {
    const std::size_t end = std::min(text.find('}', at), text.size());
    names.emplace_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return names;
}

bool any_timed(const Cases& cases) {
  return std::any_of(cases.begin(), cases.end(),
                     [](const CaseRecord* record) { return record->timing.has_value(); });
}

}  // namespace

Cases cases_of(const std::vector<Section>& sections) {
  Cases all;
  for (const Section& section : sections) {
    all.insert(all.end(), section.cases.begin(), section.cases.end());
  }
  return all;
}

std::vector<std::string> metrics_of(const RunRecord& run, const Lab* lab) {
  if (lab != nullptr && !lab->headline.empty()) return lab->headline;
  std::set<std::string> there;
  for (const CaseRecord& record : run.cases) {
    for (const Observation& one : record.observations) {
      if (one.has_value()) there.insert(one.metric);
    }
  }
  return {there.begin(), there.end()};
}

Shown headline_of(const RunRecord& run, const Lab& lab, Detail detail) {
  Shown shown{lab.headline, detail, std::string(metric::kEffectiveBandwidth)};
  shown.peak = metrics::pin_rate(run.environment) / 1e9;
  if (lab.screen) shown.sizes = names_in_braces(lab.screen->size);
  if (shown.side_by_side() || !any_timed(cases_of(sections_of(run)))) return shown;
  for (const std::string_view rate : {metric::kMovedBandwidth, metric::kEffectiveBandwidth}) {
    if (std::erase(shown.metrics, rate) > 0) shown.rate = rate;
  }
  return shown;
}

MetricFigures figures_of(const std::string& metric, const Cases& cases, Detail detail) {
  const Agreement all(metric, cases);
  const bool target = has_target(cases);
  MetricFigures figures{metric};
  figures.folded = !target && all.folds(detail);
  figures.varies = std::any_of(all.values.begin(), all.values.end(), [&](const Values& one) {
    return !same(common(one), common(all.values.front()));
  });
  if (figures.folded) figures.lines.emplace_back();
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const std::string_view name = target && i == kTheory ? "target" : kNames[i];
    // Theory and the model answer for a metric that was asked for by name, GPU or not.
    if (!all.any(i) && (detail != Detail::kAsked || i == kMeasured)) continue;
    const bool spoken_for = figures.folded || (i == kModel && all.theory_speaks_for_model(detail));
    if (spoken_for) {
      figures.lines.back().of.push_back(name);
      continue;
    }
    FigureLine& line = figures.lines.emplace_back(FigureLine{{name}});
    for (const Values& one : all.values) line.values.push_back(one[i]);
  }
  if (figures.folded) {
    for (const Values& one : all.values) figures.lines[0].values.push_back(common(one));
  }
  return figures;
}

bool same_values(const FigureLine& a, const FigureLine& b) {
  return std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [](const Value& x, const Value& y) { return same(x, y); });
}

std::vector<MetricFigures> all_figures(const Cases& cases, const Shown& shown) {
  std::vector<MetricFigures> all;
  for (const std::string& metric : shown.metrics) {
    const bool known = std::any_of(cases.begin(), cases.end(), [&](const CaseRecord* record) {
      return common(values_in(*record, metric)).has_value();
    });
    if (known || shown.asked()) all.push_back(figures_of(metric, cases, shown.detail));
  }
  return all;
}

std::vector<MetricFigures> worth_showing(std::vector<MetricFigures> all, const Shown& shown) {
  if (shown.side_by_side() || all.empty()) return all;
  const auto constant = [](const MetricFigures& figures) { return !figures.varies; };
  // Of what stays the same everywhere, such as in one case alone, the first kind is the lesson.
  if (!std::all_of(all.begin(), all.end(), constant)) std::erase_if(all, constant);
  const auto kind_of = [](const MetricFigures& one) {
    return heading_of(title_of(one.metric)).above;
  };
  const std::string kind = kind_of(all.front());
  std::erase_if(all, [&](const MetricFigures& one) { return kind_of(one) != kind; });
  return all;
}

bool has_target(const Cases& cases) {
  return std::any_of(cases.begin(), cases.end(),
                     [](const CaseRecord* record) { return read(*record).has_target; });
}

bool all_plain(const Cases& cases, const Shown& shown) {
  return std::all_of(cases.begin(), cases.end(),
                     [&](const CaseRecord* record) { return is_plain(*record, shown); });
}

std::string title_of(const std::string& metric) {
  const metrics::Metric* row = metrics::find(metric);
  return row == nullptr || row->title.empty() ? metric : std::string(row->title);
}

std::string unit_of(const std::string& metric) {
  const metrics::Metric* row = metrics::find(metric);
  return row == nullptr ? std::string() : std::string(row->unit);
}

Heading heading_of(const std::string& title) {
  const std::size_t comma = title.find(", ");
  if (comma != std::string::npos) return {title.substr(0, comma), title.substr(comma + 2)};
  const std::size_t space = title.rfind(' ');
  if (space == std::string::npos) return {"", title};
  return {title.substr(0, space), title.substr(space + 1)};
}

}  // namespace lab::reading
