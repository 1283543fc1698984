#include "tools/cli/text/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/reading/case_reading.h"
#include "metrics/compare.h"
#include "metrics/expected.h"
#include "metrics/values.h"
#include "tools/cli/text/cells.h"

namespace lab::cli {

namespace {

using Value = std::optional<metrics::Interval>;

/// What each source says of a metric in one case.
enum : std::size_t { kTheory, kModel, kMeasured };
using Values = std::array<Value, 3>;

Values values_in(const CaseRecord& record, const std::string& metric) {
  const std::vector<MetricView> views = metric_views(record);
  const MetricView* view = find_view(views, metric);
  if (view == nullptr) return {};
  const auto measured = view->measured();
  return {view->theory(), view->model(),
          measured ? Value(metrics::Interval{measured->value, measured->value}) : std::nullopt};
}

// As the comparison does: sums and quotients of doubles differ in their last bits.
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

// What everybody who says something says; the first where they differ.
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

// What was measured lies within the prediction, or is as good as (metrics/compare.h): one number
// in brief speaks for both.
bool measured_as_predicted(const Values& values) {
  const Value& expected = values[kTheory] ? values[kTheory] : values[kModel];
  if (!expected || expected->low != expected->high || !values[kMeasured]) return false;
  return std::fabs(values[kMeasured]->low - expected->low) <= metrics::kNegligible * expected->low;
}

Cell brief_cell(const Value& value) {
  if (!value || value->low != value->high) return interval_cell(value);
  return {brief_text(value->low)};
}

bool has_target(const Cases& cases) {
  return std::any_of(cases.begin(), cases.end(),
                     [](const CaseRecord* record) { return reading::read(*record).has_target; });
}

}  // namespace

MetricFigures figures_of(const std::string& metric, const Cases& cases, const Shown& shown) {
  std::vector<Values> of_cases;
  bool equal = true;
  bool agreed = true;  // equal, or intervals that fit each other
  for (const CaseRecord* record : cases) {
    of_cases.push_back(values_in(*record, metric));
    equal = equal && (all_equal(of_cases.back()) ||
                      (measured_as_predicted(of_cases.back()) && agree(*record, metric)));
    agreed = agreed && (all_equal(of_cases.back()) || agree(*record, metric));
  }
  const bool predicted_alike =
      std::all_of(of_cases.begin(), of_cases.end(), [](const Values& values) {
        return !values[kModel] || !values[kTheory] || overlap(*values[kModel], *values[kTheory]);
      });
  const auto any = [&](std::size_t source) {
    return std::any_of(of_cases.begin(), of_cases.end(),
                       [&](const Values& values) { return values[source].has_value(); });
  };
  MetricFigures figures{metric, title_of(metric)};
  figures.varies = std::any_of(of_cases.begin(), of_cases.end(), [&](const Values& values) {
    return !same(common(values), common(of_cases.front()));
  });
  if (!shown.side_by_side && (equal || (agreed && !any(kMeasured)))) {
    Figures line;
    for (const Values& values : of_cases) line.cells.push_back(brief_cell(common(values)));
    figures.lines = {std::move(line)};
    return figures;
  }
  const std::array<std::string, 3> names = {has_target(cases) ? "target" : "theory", "model",
                                            "measured"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    // What was asked for by name is theory's and the model's to say, GPU or not.
    if (!any(i) && !(shown.asked && i != kMeasured)) continue;
    const bool said_by_theory =
        i == kModel && (agreed || predicted_alike) && any(kTheory) && !shown.side_by_side;
    if (said_by_theory) continue;
    Figures line{names[i]};
    for (const Values& values : of_cases) line.cells.push_back(interval_cell(values[i]));
    figures.lines.push_back(std::move(line));
  }
  return figures;
}

std::vector<MetricFigures> all_figures(const Cases& cases, const Shown& shown) {
  std::vector<MetricFigures> all;
  for (const std::string& metric : shown.metrics) {
    const bool known = std::any_of(cases.begin(), cases.end(), [&](const CaseRecord* record) {
      return common(values_in(*record, metric)).has_value();
    });
    if (known || shown.asked) all.push_back(figures_of(metric, cases, shown));
  }
  return all;
}

std::vector<MetricFigures> worth_showing(std::vector<MetricFigures> all, const Shown& shown) {
  if (shown.asked || shown.side_by_side) return all;
  const auto constant = [](const MetricFigures& figures) { return !figures.varies; };
  if (all.empty()) return all;
  // Of what stays the same everywhere, such as in one case alone, the first kind is the lesson.
  if (!std::all_of(all.begin(), all.end(), constant)) {
    all.erase(std::remove_if(all.begin(), all.end(), constant), all.end());
  }
  const std::string kind = heading_of(all.front().title).above;
  const auto other = [&](const MetricFigures& one) { return heading_of(one.title).above != kind; };
  all.erase(std::remove_if(all.begin(), all.end(), other), all.end());
  return all;
}

std::vector<Figures> time_figures(const Cases& cases) {
  constexpr double kNsPerUs = 1000;
  const auto timed = [](const CaseRecord* record) { return record->timing.has_value(); };
  if (std::none_of(cases.begin(), cases.end(), timed)) return {};
  Figures bound{"bound"};
  Figures measured{"measured"};
  bool any = false;
  for (const CaseRecord* record : cases) {
    const auto least = metrics::bound_ns(*record);
    any = any || least;
    bound.cells.push_back(least ? Cell{brief_text(*least / kNsPerUs)} : number_cell({}));
    measured.cells.push_back(timed(record) ? Cell{brief_text(record->timing->median_ns / kNsPerUs)}
                                           : number_cell({}));
  }
  std::vector<Figures> all = {std::move(measured)};
  if (any) all.insert(all.begin(), std::move(bound));
  return all;
}

std::vector<Figures> rate_figures(const Cases& cases, const Shown& shown) {
  constexpr double kPercent = 100;
  const bool plain = shown.rate == "effective_bandwidth";
  Figures rates{plain ? "GB/s" : title_of(shown.rate)};
  Figures shares{"of peak"};
  bool any = false;
  for (const CaseRecord* record : cases) {
    const auto rate = metrics::measured(*record, shown.rate);
    any = any || rate;
    rates.cells.push_back(rate ? Cell{brief_text(rate->value)} : number_cell({}));
    shares.cells.push_back(
        rate && shown.peak > 0
            ? Cell{fmt::format("{} %", brief_text(kPercent * rate->value / shown.peak))}
            : number_cell({}));
  }
  if (!any) return {};
  std::vector<Figures> all = {std::move(rates)};
  if (shown.peak > 0) all.push_back(std::move(shares));
  return all;
}

bool is_plain(const CaseRecord& record, const Shown& shown) {
  if (record.status != CaseStatus::kOk || !record.findings.empty()) return false;
  const auto needs_words = [&](const Verdict& verdict) {
    if (verdict.target || verdict.kind == VerdictKind::kDisagrees) return true;
    const auto& metrics = shown.metrics;
    return shown.side_by_side && verdict.kind == VerdictKind::kExplained &&
           std::find(metrics.begin(), metrics.end(), verdict.metric) != metrics.end();
  };
  return std::none_of(record.verdicts.begin(), record.verdicts.end(), needs_words);
}

Tone tone_of(reading::Mood mood) {
  switch (mood) {
    case reading::Mood::kGood:
      return Tone::kGood;
    case reading::Mood::kNote:
      return Tone::kNote;
    case reading::Mood::kBad:
      return Tone::kBad;
    case reading::Mood::kNeutral:
      return Tone::kDim;
  }
  return Tone::kPlain;
}

Cell outcome_cell(const CaseRecord& record) {
  const reading::CaseReading read = reading::read(record);
  return {reading::outcome_text(read), tone_of(reading::mood_of(read.outcome))};
}

std::string values_of(const CaseRecord& record, const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const std::string& name : names) {
    const auto found = record.params.all().find(name);
    if (found == record.params.all().end()) continue;
    values.push_back(fmt::format("{}={}", name, param_text(found->second)));
  }
  return fmt::format("{}", fmt::join(values, " "));
}

}  // namespace lab::cli
