#include "tools/report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "harness/reading/case_reading.h"
#include "metrics/catalogue.h"
#include "metrics/ceilings.h"
#include "tools/report/html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

constexpr const char* kBandwidth = "effective_bandwidth";

std::optional<double> numeric_param(const CaseRecord& record, const std::string& name) {
  const auto found = record.params.all().find(name);
  if (found == record.params.all().end()) return {};
  const auto* number = std::get_if<std::int64_t>(&found->second);
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

// Where the greatest is so far from the least that the least would lie on the axis.
bool spans_far(const std::vector<double>& values) {
  constexpr double kFar = 64;
  if (values.size() < 2) return false;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *least > 0 && *most / *least > kFar;
}

std::string series_json(const Sweep& sweep, const Series& series, const std::string& metric) {
  const Section& section = sweep.cases;
  const std::string name =
      series.name == "theory" && has_target(section) ? "target" : std::string(series.name);
  std::string points;
  for (const CaseRecord* record : section.cases) {
    const auto y = series.value(*record, metric);
    if (!y) continue;
    points +=
        fmt::format("{}{{\"x\":{},\"y\":{}", points.empty() ? "" : ",",
                    script_number(*numeric_param(*record, sweep.param)), script_number(y->low));
    if (y->low != y->high) points += fmt::format(",\"high\":{}", script_number(y->high));
    points += "}";
  }
  return fmt::format("{{\"name\":{},\"points\":[{}]}}", script_string(name), points);
}

// What stays as it is along the curve, of what varies in the section.
std::string at_text(const Section& section, const Sweep& sweep) {
  std::vector<std::string> others = section.varying;
  std::erase(others, sweep.param);
  const std::string text = params_text(*sweep.cases.cases.front(), others);
  return text.empty() ? text : " at " + text;
}

std::string curve_json(const Section& whole, const Sweep& sweep, const std::string& metric) {
  const Section& section = sweep.cases;
  std::vector<double> x;
  std::vector<double> y;
  for (const CaseRecord* record : section.cases) {
    x.push_back(*numeric_param(*record, sweep.param));
    for (const Series& one : series_in(section, {metric})) {
      if (const auto value = one.value(*record, metric)) y.push_back(value->low);
    }
  }
  std::string series;
  for (const Series& one : series_in(section, {metric})) {
    series += (series.empty() ? "" : ",") + series_json(sweep, one, metric);
  }
  return fmt::format(
      "{{\"kind\":\"curve\",\"id\":{},\"title\":{},\"unit\":{},\"x\":{},\"log_x\":{},\"log_y\":{},"
      "\"series\":[{}]}}",
      script_string(curve_id(whole, metric)),
      script_string(title_of(metric) + at_text(whole, sweep)), script_string(unit_of(metric)),
      script_string(sweep.param), wants_log(x), spans_far(y), series);
}

// ---- of a whole run ----

struct Bar {
  std::string label;
  double value = 0;
};

std::vector<Bar> bars_of(const std::vector<Section>& sections, const std::string& metric) {
  std::vector<Bar> bars;
  for (const Section& section : sections) {
    const CaseRecord& first = *section.cases.front();
    constexpr double kNsPerUs = 1000;
    const auto value =
        metric.empty()
            ? (first.timing ? std::optional(first.timing->median_ns / kNsPerUs) : std::nullopt)
            : metrics::best_value(first, metric);
    if (value) bars.push_back({name_of(section), *value});
  }
  return bars;
}

// Bars say something where the variants' first cases do the same: same values of the parameters
// that they share.
bool comparable(const std::vector<Section>& sections) {
  const Params& one = sections.front().cases.front()->params;
  return std::all_of(sections.begin(), sections.end(), [&](const Section& section) {
    const auto& all = section.cases.front()->params.all();
    return std::all_of(all.begin(), all.end(), [&](const auto& param) {
      const auto same = one.all().find(param.first);
      return same == one.all().end() || same->second == param.second;
    });
  });
}

std::optional<RunChart> bars_chart(const std::vector<Section>& sections,
                                   const std::vector<std::string>& metrics) {
  if (sections.size() < 2 || !comparable(sections)) return {};
  std::string metric;  // empty: the time
  std::vector<Bar> bars = bars_of(sections, metric);
  for (std::size_t i = 0; bars.size() < 2 && i < metrics.size(); ++i) {
    metric = metrics[i];
    bars = bars_of(sections, metric);
  }
  if (bars.size() < 2) return {};
  std::string labels;
  std::string values;
  for (const Bar& bar : bars) {
    labels += (labels.empty() ? "" : ",") + script_string(bar.label);
    values += (values.empty() ? "" : ",") + script_number(bar.value);
  }
  const std::string title = metric.empty() ? "time" : title_of(metric);
  return RunChart{
      "chart-bars", title + " of each variant's first case",
      fmt::format("{{\"kind\":\"bars\",\"id\":\"chart-bars\",\"title\":{},\"unit\":{},"
                  "\"labels\":[{}],\"values\":[{}]}}",
                  script_string(title + ", first case of each variant"),
                  script_string(metric.empty() ? "\u00b5s" : unit_of(metric)), labels, values)};
}

struct Dot {
  double x = 0;
  double y = 0;
  std::string name;
};

std::string dots_json(const std::vector<Dot>& dots) {
  std::string out;
  for (const Dot& dot : dots) {
    out += fmt::format("{}{{\"x\":{},\"y\":{}", out.empty() ? "" : ",", script_number(dot.x),
                       script_number(dot.y));
    if (!dot.name.empty()) out += ",\"name\":" + script_string(dot.name);
    out += "}";
  }
  return out;
}

std::string case_name(const CaseRecord& record) {
  return record.variant + " " + record.params.text();
}

// Each exact metric of each case: theory across, what was measured (else the model) upwards. What
// agrees lies on the line. Equal points are drawn once.
std::optional<RunChart> agreement_chart(const RunRecord& run) {
  constexpr std::size_t kFewest = 8;
  constexpr std::size_t kMost = 2000;
  std::vector<Dot> dots;
  bool measured = false;
  for (const CaseRecord& record : run.cases) {
    for (const Verdict& verdict : record.verdicts) {
      const metrics::Metric* row = metrics::find(verdict.metric);
      if (row == nullptr || row->metric_class != metrics::Class::kExact) continue;
      const auto theory = theory_of(record, verdict.metric);
      const auto value = metrics::best_value(record, verdict.metric);
      if (!theory || theory->low != theory->high || !value) continue;
      if (theory->low <= 0 || *value <= 0) continue;
      measured = measured || verdict.measured.has_value();
      const bool known = std::any_of(dots.begin(), dots.end(), [&](const Dot& dot) {
        return dot.x == theory->low && dot.y == *value;
      });
      if (known || dots.size() == kMost) continue;
      dots.push_back({theory->low, *value, title_of(verdict.metric) + ": " + case_name(record)});
    }
  }
  if (dots.size() < kFewest) return {};
  double least = dots.front().x;
  double most = dots.front().x;
  for (const Dot& dot : dots) {
    least = std::min({least, dot.x, dot.y});
    most = std::max({most, dot.x, dot.y});
  }
  const bool target = std::any_of(run.cases.begin(), run.cases.end(), [](const CaseRecord& record) {
    return reading::read(record).has_target;
  });
  const std::string across = target ? "theory or target" : "theory";
  const std::string upwards = measured ? "measured" : "model";
  return RunChart{
      "chart-agreement", upwards + " against " + across + ", all cases",
      fmt::format(
          "{{\"kind\":\"points\",\"id\":\"chart-agreement\",\"title\":{},\"x\":{},\"y\":{},"
          "\"log_x\":true,\"log_y\":true,\"lines\":[{{\"name\":\"equal\",\"points\":[{}]}}],"
          "\"points\":[{}]}}",
          script_string(fmt::format("{} against {}, exact counts", upwards, across)),
          script_string(across), script_string(upwards),
          dots_json({{least, least, ""}, {most, most, ""}}), dots_json(dots))};
}

double ceiling(const metrics::Machine& machine, std::string_view name) {
  for (const Ceiling& one : machine.ceilings) {
    if (one.name == name) return one.value;
  }
  return 0;
}

// Warp instructions per second over warp instructions per byte of DRAM (an instruction roofline:
// Ding, Williams, 2019). Under the slope memory is the bound, under the flat part the issue.
std::optional<RunChart> roofline_chart(const RunRecord& run, const metrics::Machine& machine) {
  constexpr double kGiga = 1e9;
  constexpr double kMega = 1e6;
  // As many bytes read as written.
  const auto ns_per_byte = metrics::dram_ns(0.5, 0.5, machine.ceilings);
  const double bytes_per_s = ns_per_byte.value_or(0) > 0 ? 1e9 / *ns_per_byte : 0;
  const double issue_per_s =
      ceiling(machine, "instructions") * machine.size.sms * ceiling(machine, "sm_clock") * kMega;
  if (bytes_per_s <= 0 || issue_per_s <= 0) return {};
  std::vector<Dot> dots;
  for (const CaseRecord& record : run.cases) {
    const auto instructions = measured_of(record, "instructions");
    const auto read = measured_of(record, "dram_read_bytes");
    const auto written = measured_of(record, "dram_write_bytes");
    if (!record.timing || !instructions || !read || !written) continue;
    const double bytes = read->low + written->low;
    if (bytes <= 0 || instructions->low <= 0) continue;
    dots.push_back({instructions->low / bytes, instructions->low / record.timing->median_ns,
                    case_name(record)});
  }
  if (dots.size() < 2) return {};
  const double ridge = issue_per_s / bytes_per_s;
  double least = ridge;
  double most = ridge;
  for (const Dot& dot : dots) {
    least = std::min(least, dot.x);
    most = std::max(most, dot.x);
  }
  const std::vector<Dot> roof = {{least, least * bytes_per_s / kGiga, ""},
                                 {ridge, issue_per_s / kGiga, ""},
                                 {2 * most, issue_per_s / kGiga, ""}};
  return RunChart{
      "chart-roofline", "instruction roofline",
      fmt::format("{{\"kind\":\"points\",\"id\":\"chart-roofline\",\"title\":{},\"x\":{},\"y\":{},"
                  "\"log_x\":true,\"log_y\":true,\"lines\":[{{\"name\":{},\"points\":[{}]}}],"
                  "\"points\":[{}]}}",
                  script_string("Roofline of warp instructions"),
                  script_string("warp instructions per byte of DRAM"),
                  script_string("10^9 warp instructions per second"),
                  script_string("ceilings, " + machine.origin), dots_json(roof), dots_json(dots))};
}

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
  const Section& section = sweep.cases;
  std::vector<std::string> curves;
  for (const std::string& metric : metrics) {
    if (!series_in(section, {metric}).empty()) curves.push_back(metric);
  }
  const bool known = std::find(metrics.begin(), metrics.end(), kBandwidth) != metrics.end();
  const bool measured = std::any_of(
      section.cases.begin(), section.cases.end(),
      [](const CaseRecord* record) { return measured_of(*record, kBandwidth).has_value(); });
  if (measured && !known) curves.emplace_back(kBandwidth);
  return curves;
}

std::string curve_id(const Section& section, const std::string& metric) {
  return fmt::format("chart-{}-{}", section.variant, metric);
}

std::vector<RunChart> run_charts(const RunRecord& run, const std::vector<Section>& sections,
                                 const std::vector<std::string>& metrics,
                                 const metrics::Machine& machine) {
  std::vector<RunChart> charts;
  for (auto chart :
       {bars_chart(sections, metrics), agreement_chart(run), roofline_chart(run, machine)}) {
    if (chart) charts.push_back(std::move(*chart));
  }
  return charts;
}

std::string charts_json(const std::vector<Section>& sections,
                        const std::vector<std::string>& metrics,
                        const std::vector<RunChart>& of_run) {
  std::string charts;
  for (const RunChart& chart : of_run) charts += (charts.empty() ? "" : ",\n") + chart.json;
  for (const Section& section : sections) {
    const auto sweep = sweep_of(section);
    if (!sweep) continue;
    for (const std::string& metric : curves_of(*sweep, metrics)) {
      charts += (charts.empty() ? "" : ",\n") + curve_json(section, *sweep, metric);
    }
  }
  return "[" + charts + "]";
}

}  // namespace lab::report
