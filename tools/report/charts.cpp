#include <nlohmann/json.hpp>

#include "harness/core/unicode.h"
#include "harness/page/fields.h"
#include "tools/report/html.h"
#include "tools/report/report.h"

namespace lab::report {

namespace {

using Json = nlohmann::json;

// A canvas would turn the label around that holds a mark that does.
Json text_json(std::string_view text) { return safe_text(text); }

Json points_json(const std::vector<page::Point>& points) {
  Json list = Json::array();
  for (const page::Point& point : points) {
    list.push_back({{"x", point.x}, {"y", point.y}});
    if (point.high != point.y) list.back()["high"] = point.high;
    if (!point.name.empty()) list.back()["name"] = text_json(point.name);
  }
  return list;
}

Json series_json(const std::vector<page::Series>& all) {
  Json list = Json::array();
  for (const page::Series& series : all) {
    list.push_back({{"name", text_json(series.name)}, {"points", points_json(series.points)}});
  }
  return list;
}

void add_bars(const page::Chart& chart, Json& json) {
  json["unit"] = chart.y.title;
  json["log"] = chart.y.log;
  json["labels"] = json["values"] = Json::array();
  for (const page::Point& point : chart.series.front().points) {
    json["labels"].push_back(text_json(point.name));
    json["values"].push_back(point.y);
  }
}

Json chart_json(const page::Chart& chart) {
  const bool curve = chart.kind == page::ChartKind::kSteps || chart.kind == page::ChartKind::kCurve;
  Json json = {{"kind", curve ? "curve" : word_of(chart.kind)},
               {"id", text_json(chart.id)},
               {"title", text_json(chart.title)}};
  if (chart.kind == page::ChartKind::kBars) {
    add_bars(chart, json);
    return json;
  }
  json["x"] = text_json(chart.x.title);
  json["log_x"] = chart.x.log;
  json["log_y"] = chart.y.log;
  if (curve) {
    json["unit"] = chart.y.title;
    json["series"] = series_json(chart.series);
    return json;
  }
  json["y"] = chart.y.title;
  json["points"] = points_json(chart.series.front().points);
  json["lines"] = series_json(chart.against);
  if (chart.named) json["named"] = true;
  return json;
}

void add_charts(const std::vector<page::Block>& blocks, Json& list) {
  for (const page::Block& block : blocks) {
    if (const auto* chart = std::get_if<page::Chart>(&block.is)) list.push_back(chart_json(*chart));
    if (const auto* fold = std::get_if<page::Fold>(&block.is)) add_charts(fold->blocks, list);
  }
}

}  // namespace

std::string charts_json(const page::Page& page) {
  Json list = Json::array();
  add_charts(page.blocks, list);
  return script_json(list.dump());
}

}  // namespace lab::report
