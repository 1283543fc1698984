#include "harness/reading/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/reading/case_name.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/metric_view.h"
#include "metrics/catalogue.h"
#include "metrics/ceilings.h"

namespace lab::reading {

namespace {

constexpr std::string_view kBandwidth = metric::kEffectiveBandwidth;

std::optional<double> numeric_param(const CaseRecord& record, const std::string& name) {
  const ParamValue* const value = param_of(record, name);
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? std::nullopt : std::optional(static_cast<double>(*number));
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return value >= 1 && std::frexp(value, &exponent) == 0.5;
}

// 1, 2, 4, 8, ...: on an even axis all but the last would stand at its beginning.
bool wants_log(const std::vector<double>& values) {
  constexpr double kFar = 16;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return values.size() > 3 && *least > 0 && *most / *least >= kFar &&
         std::all_of(values.begin(), values.end(), is_power_of_two);
}

// Tells whether the greatest is so far from the least that the least would lie on the axis.
bool spans_far(const std::vector<double>& values) {
  constexpr double kFar = 64;
  if (values.size() < 2) return false;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *least > 0 && *most / *least > kFar;
}

// Draws the times if `metric` is empty.
page::Chart bars_with(const std::vector<Section>& sections, const std::string& metric) {
  constexpr double kNsPerUs = 1000;
  page::Series series;
  for (const Section& section : sections) {
    const CaseRecord& first = *section.cases.front();
    if (has_mistake(first)) continue;
    const auto time =
        first.timing ? std::optional(first.timing->median_ns / kNsPerUs) : std::nullopt;
    const auto value = metric.empty() ? time : best_value(first, metric);
    if (value) series.points.push_back({0, *value, *value, name_of(section)});
  }
  std::stable_sort(series.points.begin(), series.points.end(),
                   [](const page::Point& a, const page::Point& b) { return a.y < b.y; });
  const std::string title = metric.empty() ? "time" : title_of(metric);
  page::Chart chart{page::ChartKind::kBars, "chart-bars", title + ", one case of each variant"};
  chart.says = title + " of one case of each variant";
  std::vector<double> values;
  for (const page::Point& point : series.points) values.push_back(point.y);
  chart.y = {metric.empty() ? "\u00b5s" : unit_of(metric), spans_far(values)};
  chart.series = {std::move(series)};
  return chart;
}

// Bars say something where the variants' first cases do the same: same values of the parameters
// that they share.
bool comparable(const std::vector<Section>& sections) {
  const Params& one = sections.front().cases.front()->params;
  return std::all_of(sections.begin(), sections.end(), [&](const Section& section) {
    return agree(section.cases.front()->params, one);
  });
}

bool is_exact(const std::string& metric) {
  const metrics::Metric* row = metrics::find(metric);
  return row != nullptr && row->metric_class == metrics::Class::kExact;
}

// A point of a verdict; empty where a value is missing, is not a number, or has no logarithm.
std::optional<page::Point> point_of(const CaseRecord& record, const Verdict& verdict) {
  if (!is_exact(verdict.metric)) return {};
  const Value theory = view_of(record, verdict.metric).theory();
  const auto value = best_value(record, verdict.metric);
  if (!theory || theory->low != theory->high || !value) return {};
  if (theory->low <= 0 || *value <= 0) return {};
  return page::Point{theory->low, *value, *value,
                     title_of(verdict.metric) + ": " + title_of(record, " ")};
}

// Warp instructions per second over those per byte; empty: not all of it was measured.
std::optional<page::Point> issue_point(const CaseRecord& record, std::string name) {
  const auto instructions = view_of(record, "instructions").measured();
  const auto read = view_of(record, metric::kDramReadBytes).measured();
  const auto written = view_of(record, metric::kDramWriteBytes).measured();
  if (has_mistake(record) || !record.timing || !instructions || !read || !written) return {};
  const double bytes = read->value + written->value;
  if (bytes <= 0 || instructions->value <= 0) return {};
  const double rate = instructions->value / record.timing->median_ns;
  return page::Point{instructions->value / bytes, rate, rate, std::move(name)};
}

double ceiling(const metrics::Machine& machine, std::string_view name) {
  for (const Ceiling& one : machine.ceilings) {
    if (one.name == name) return one.value;
  }
  return 0;
}

std::vector<FigureLine> lines_along(const Sweep& sweep, const std::string& metric) {
  return figures_of(metric, sweep.cases.cases, Detail::kEverySource).lines;
}

// Names the parameters that vary in the section and stay the same along the curve.
std::string at_text(const Section& section, const Sweep& sweep) {
  std::vector<std::string> others = section.varying;
  std::erase(others, sweep.param);
  const std::string text = values_of(*sweep.cases.cases.front(), others);
  return text.empty() ? text : " at " + text;
}

// Points, and a line that they are held against.
page::Chart points_chart(std::string id, std::string title, page::Series points,
                         page::Series against) {
  page::Chart chart{page::ChartKind::kPoints, std::move(id), std::move(title)};
  chart.series = {std::move(points)};
  chart.against = {std::move(against)};
  chart.x.log = chart.y.log = true;
  return chart;
}

page::Point on_line(double x, double y) { return {x, y, y}; }

}  // namespace

std::optional<Sweep> sweep_of(const Section& section) {
  constexpr std::size_t kFewest = 3;
  std::optional<Sweep> longest;
  for (const std::string& name : section.varying) {
    // The cases by what else varies, in their order.
    std::map<std::string, std::vector<const CaseRecord*>> groups;
    for (const CaseRecord* record : section.cases) {
      if (!numeric_param(*record, name)) continue;
      Params others;
      for (const auto& [other, value] : record->params.all()) {
        if (other != name) others.set(other, value);
      }
      groups[others.json()].push_back(record);
    }
    for (auto& [others, cases] : groups) {
      if (cases.size() < kFewest || (longest && cases.size() <= longest->cases.cases.size()))
        continue;
      longest = Sweep{name, {section.variant, std::move(cases), {name}, section.fixed}};
    }
  }
  return longest;
}

std::vector<std::string> curves_of(const Sweep& sweep, const std::vector<std::string>& metrics) {
  std::vector<std::string> curves;
  for (const std::string& metric : metrics) {
    if (!lines_along(sweep, metric).empty()) curves.push_back(metric);
  }
  const bool known = std::find(metrics.begin(), metrics.end(), kBandwidth) != metrics.end();
  const auto& cases = sweep.cases.cases;
  const bool measured = std::any_of(cases.begin(), cases.end(), [](const CaseRecord* record) {
    return view_of(*record, kBandwidth).measured().has_value();
  });
  if (measured && !known) curves.emplace_back(kBandwidth);
  return curves;
}

page::Chart curve_chart(const Section& section, const Sweep& sweep, const std::string& metric) {
  page::Chart chart{page::ChartKind::kCurve, fmt::format("chart-{}-{}", section.variant, metric),
                    title_of(metric) + at_text(section, sweep),
                    title_of(metric) + " over " + sweep.param};
  std::vector<double> x;
  for (const CaseRecord* record : sweep.cases.cases) {
    x.push_back(*numeric_param(*record, sweep.param));
  }
  std::vector<double> y;
  for (const FigureLine& line : lines_along(sweep, metric)) {
    page::Series& series = chart.series.emplace_back();
    series.name = line.of.front();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Value& value = line.values[i];
      if (!value) continue;
      series.points.push_back({x[i], value->low, value->high});
      y.push_back(value->low);
    }
  }
  chart.x = {sweep.param, wants_log(x)};
  chart.y = {unit_of(metric), spans_far(y)};
  return chart;
}

std::optional<page::Chart> bars_chart(const std::vector<Section>& sections,
                                      const std::vector<std::string>& metrics) {
  if (sections.size() < 2 || !comparable(sections)) return {};
  const auto is_one = [](const page::Chart& bars) { return bars.series[0].points.size() < 2; };
  page::Chart bars = bars_with(sections, "");
  for (std::size_t i = 0; is_one(bars) && i < metrics.size(); ++i) {
    bars = bars_with(sections, metrics[i]);
  }
  return is_one(bars) ? std::nullopt : std::optional(std::move(bars));
}

std::optional<page::Chart> agreement_chart(const RunRecord& run) {
  constexpr std::size_t kFewest = 8;
  constexpr std::size_t kMost = 2000;
  std::vector<page::Point> all;
  bool measured = false;
  bool target = false;
  for (const CaseRecord& record : run.cases) {
    target = target || read(record).has_target;
    if (has_mistake(record)) continue;
    for (const Verdict& verdict : record.verdicts) {
      auto point = point_of(record, verdict);
      if (!point) continue;
      measured = measured || verdict.measured.has_value();
      const bool known = std::any_of(all.begin(), all.end(), [&](const page::Point& other) {
        return other.x == point->x && other.y == point->y;
      });
      if (!known && all.size() < kMost) all.push_back(std::move(*point));
    }
  }
  if (all.size() < kFewest) return {};
  double least = all.front().x;
  double most = least;
  for (const page::Point& point : all) {
    least = std::min({least, point.x, point.y});
    most = std::max({most, point.x, point.y});
  }
  const std::string across = target ? "theory or target" : "theory";
  const std::string upwards = measured ? "measured" : "model";
  const std::string axes = fmt::format("{} against {}", upwards, across);
  page::Chart chart =
      points_chart("chart-agreement", axes + ", exact counts", {"cases", std::move(all)},
                   {"equal", {on_line(least, least), on_line(most, most)}});
  chart.says = axes + ", all cases";
  chart.x.title = across;
  chart.y.title = upwards;
  return chart;
}

std::optional<page::Chart> roofline_chart(const std::vector<Section>& sections,
                                          const metrics::Machine& machine) {
  constexpr double kGiga = 1e9;
  constexpr double kMega = 1e6;
  // A copy reads as many bytes as it writes.
  const auto ns_per_byte = metrics::dram_ns(0.5, 0.5, machine.ceilings);
  const double bytes_per_s = ns_per_byte.value_or(0) > 0 ? 1e9 / *ns_per_byte : 0;
  const double issue_per_s =
      ceiling(machine, "instructions") * machine.size.sms * ceiling(machine, "sm_clock") * kMega;
  if (bytes_per_s <= 0 || issue_per_s <= 0) return {};
  std::vector<page::Point> all;
  const bool several = sections.size() > 1;
  for (const Section& section : sections) {
    for (const CaseRecord* record : section.cases) {
      auto point = issue_point(*record, several ? name_of(section) : record->params.text());
      if (point) all.push_back(std::move(*point));
      if (several) break;
    }
  }
  if (all.size() < 2) return {};
  const double ridge = issue_per_s / bytes_per_s;
  double least = ridge;
  double most = ridge;
  for (const page::Point& point : all) {
    least = std::min(least, point.x);
    most = std::max(most, point.x);
  }
  page::Chart chart =
      points_chart("chart-roofline", "Roofline of warp instructions", {"cases", std::move(all)},
                   {"ceilings, " + machine.origin,
                    {on_line(least, least * bytes_per_s / kGiga),
                     on_line(ridge, issue_per_s / kGiga), on_line(2 * most, issue_per_s / kGiga)}});
  chart.says = "instruction roofline";
  chart.x.title = "warp instructions per byte of DRAM";
  chart.y.title = "10^9 warp instructions per second";
  chart.named = true;
  return chart;
}

}  // namespace lab::reading
