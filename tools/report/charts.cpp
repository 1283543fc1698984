#include "tools/report/charts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/core/unicode.h"
#include "harness/reading/charts.h"
#include "tools/report/html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

using Json = nlohmann::json;

// A canvas would turn the label around that holds a mark that does.
Json text_json(std::string_view text) { return safe_text(text); }

// Of the parameters that vary in the section, those that stay the same along the curve.
std::string at_text(const Section& section, const reading::Sweep& sweep) {
  std::vector<std::string> others = section.varying;
  std::erase(others, sweep.param);
  const std::string text = params_text(*sweep.cases.cases.front(), others);
  return text.empty() ? text : " at " + text;
}

Json line_json(const std::vector<double>& x, const reading::FigureLine& line) {
  Json points = Json::array();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const reading::Value& y = line.values[i];
    if (!y) continue;
    points.push_back({{"x", x[i]}, {"y", y->low}});
    if (y->low != y->high) points.back()["high"] = y->high;
  }
  return {{"name", line.of.front()}, {"points", std::move(points)}};
}

Json curve_json(const Section& whole, const reading::Sweep& sweep, const std::string& metric) {
  const reading::Curve curve = reading::curve_of(sweep, metric);
  Json series = Json::array();
  for (const reading::FigureLine& line : curve.lines) series.push_back(line_json(curve.x, line));
  return {{"kind", "curve"},
          {"id", text_json(curve_id(whole, metric))},
          {"title", text_json(reading::title_of(metric) + at_text(whole, sweep))},
          {"unit", reading::unit_of(metric)},
          {"x", text_json(sweep.param)},
          {"log_x", curve.log_x},
          {"log_y", curve.log_y},
          {"series", std::move(series)}};
}

RunChart bars_chart(const reading::Bars& bars) {
  const bool time = bars.metric.empty();
  const std::string title = time ? "time" : reading::title_of(bars.metric);
  Json labels = Json::array();
  for (const std::string& label : bars.labels) labels.push_back(text_json(label));
  return {"chart-bars", title + " of one case of each variant",
          Json{{"kind", "bars"},
               {"id", "chart-bars"},
               {"title", text_json(title + ", one case of each variant")},
               {"unit", time ? "\u00b5s" : reading::unit_of(bars.metric)},
               {"log", bars.log},
               {"labels", std::move(labels)},
               {"values", bars.values}}
              .dump()};
}

Json dots_json(const std::vector<reading::Dot>& dots) {
  Json list = Json::array();
  for (const reading::Dot& dot : dots) {
    list.push_back({{"x", dot.x}, {"y", dot.y}});
    if (!dot.name.empty()) list.back()["name"] = text_json(dot.name);
  }
  return list;
}

Json points_json(const std::string& id, const std::string& title, const std::string& line,
                 const reading::Dots& all) {
  const Json against = {{"name", text_json(line)}, {"points", dots_json(all.line)}};
  return Json{{"kind", "points"},
              {"id", id},
              {"title", title},
              {"x", all.across},
              {"y", all.upwards},
              {"log_x", true},
              {"log_y", true},
              {"lines", Json::array({against})},
              {"points", dots_json(all.dots)}};
}

}  // namespace

std::string curve_id(const Section& section, const std::string& metric) {
  return fmt::format("chart-{}-{}", section.variant, metric);
}

std::vector<RunChart> run_charts(const RunRecord& run, const std::vector<Section>& sections,
                                 const std::vector<std::string>& metrics,
                                 const metrics::Machine& machine) {
  std::vector<RunChart> charts;
  if (const auto bars = reading::bars_of(sections, metrics)) charts.push_back(bars_chart(*bars));
  if (const auto all = reading::agreement_of(run)) {
    const std::string axes = fmt::format("{} against {}", all->upwards, all->across);
    charts.push_back(
        {"chart-agreement", axes + ", all cases",
         points_json("chart-agreement", axes + ", exact counts", "equal", *all).dump()});
  }
  if (const auto all = reading::roofline_of(sections, machine)) {
    Json roofline = points_json("chart-roofline", "Roofline of warp instructions",
                                "ceilings, " + machine.origin, *all);
    roofline["named"] = true;
    charts.push_back({"chart-roofline", "instruction roofline", roofline.dump()});
  }
  return charts;
}

std::string charts_json(const std::vector<Section>& sections,
                        const std::vector<std::string>& metrics,
                        const std::vector<RunChart>& of_run) {
  std::vector<std::string> charts;
  for (const RunChart& chart : of_run) charts.push_back(chart.json);
  for (const Section& section : sections) {
    const auto sweep = reading::sweep_of(section);
    if (!sweep) continue;
    for (const std::string& metric : reading::curves_of(*sweep, metrics)) {
      charts.push_back(curve_json(section, *sweep, metric).dump());
    }
  }
  return script_json(fmt::format("[{}]", fmt::join(charts, ",\n")));
}

}  // namespace lab::report
