#include "harness/reading/charts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/metric_view.h"
#include "metrics/catalogue.h"
#include "metrics/ceilings.h"

namespace lab::reading {

namespace {

constexpr std::string_view kBandwidth = metric::kEffectiveBandwidth;

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

// Of the time where `metric` is empty.
Bars bars_with(const std::vector<Section>& sections, const std::string& metric) {
  constexpr double kNsPerUs = 1000;
  std::vector<std::pair<double, std::string>> all;
  for (const Section& section : sections) {
    const CaseRecord& first = *section.cases.front();
    if (has_mistake(first)) continue;
    const auto time =
        first.timing ? std::optional(first.timing->median_ns / kNsPerUs) : std::nullopt;
    const auto value = metric.empty() ? time : best_value(first, metric);
    if (value) all.emplace_back(*value, name_of(section));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Bars bars{metric};
  for (auto& [value, label] : all) {
    bars.labels.push_back(std::move(label));
    bars.values.push_back(value);
  }
  bars.log = spans_far(bars.values);
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

std::string case_name(const CaseRecord& record) {
  return record.variant + " " + record.params.text();
}

bool is_exact(const std::string& metric) {
  const metrics::Metric* row = metrics::find(metric);
  return row != nullptr && row->metric_class == metrics::Class::kExact;
}

// A point of a verdict; empty where a value is missing, is not a number, or has no logarithm.
std::optional<Dot> dot_of(const CaseRecord& record, const Verdict& verdict) {
  if (!is_exact(verdict.metric)) return {};
  const Value theory = view_of(record, verdict.metric).theory();
  const auto value = best_value(record, verdict.metric);
  if (!theory || theory->low != theory->high || !value) return {};
  if (theory->low <= 0 || *value <= 0) return {};
  return Dot{theory->low, *value, title_of(verdict.metric) + ": " + case_name(record)};
}

// Warp instructions per second over those per byte; empty: not all of it was measured.
std::optional<Dot> issue_dot(const CaseRecord& record, std::string name) {
  const auto instructions = view_of(record, "instructions").measured();
  const auto read = view_of(record, metric::kDramReadBytes).measured();
  const auto written = view_of(record, metric::kDramWriteBytes).measured();
  if (has_mistake(record) || !record.timing || !instructions || !read || !written) return {};
  const double bytes = read->value + written->value;
  if (bytes <= 0 || instructions->value <= 0) return {};
  return Dot{instructions->value / bytes, instructions->value / record.timing->median_ns,
             std::move(name)};
}

double ceiling(const metrics::Machine& machine, std::string_view name) {
  for (const Ceiling& one : machine.ceilings) {
    if (one.name == name) return one.value;
  }
  return 0;
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
  std::vector<std::string> curves;
  for (const std::string& metric : metrics) {
    if (!curve_of(sweep, metric).lines.empty()) curves.push_back(metric);
  }
  const bool known = std::find(metrics.begin(), metrics.end(), kBandwidth) != metrics.end();
  const auto& cases = sweep.cases.cases;
  const bool measured = std::any_of(cases.begin(), cases.end(), [](const CaseRecord* record) {
    return view_of(*record, kBandwidth).measured().has_value();
  });
  if (measured && !known) curves.emplace_back(kBandwidth);
  return curves;
}

Curve curve_of(const Sweep& sweep, const std::string& metric) {
  Curve curve;
  curve.lines = figures_of(metric, sweep.cases.cases, Detail::kEverySource).lines;
  for (const CaseRecord* record : sweep.cases.cases) {
    curve.x.push_back(*numeric_param(*record, sweep.param));
  }
  std::vector<double> y;
  for (const FigureLine& line : curve.lines) {
    for (const Value& value : line.values) {
      if (value) y.push_back(value->low);
    }
  }
  curve.log_x = wants_log(curve.x);
  curve.log_y = spans_far(y);
  return curve;
}

std::optional<Bars> bars_of(const std::vector<Section>& sections,
                            const std::vector<std::string>& metrics) {
  if (sections.size() < 2 || !comparable(sections)) return {};
  Bars bars = bars_with(sections, "");
  for (std::size_t i = 0; bars.values.size() < 2 && i < metrics.size(); ++i) {
    bars = bars_with(sections, metrics[i]);
  }
  return bars.values.size() < 2 ? std::nullopt : std::optional(bars);
}

std::optional<Dots> agreement_of(const RunRecord& run) {
  constexpr std::size_t kFewest = 8;
  constexpr std::size_t kMost = 2000;
  Dots all;
  bool measured = false;
  bool target = false;
  for (const CaseRecord& record : run.cases) {
    target = target || read(record).has_target;
    if (has_mistake(record)) continue;
    for (const Verdict& verdict : record.verdicts) {
      auto dot = dot_of(record, verdict);
      if (!dot) continue;
      measured = measured || verdict.measured.has_value();
      const bool known = std::any_of(all.dots.begin(), all.dots.end(), [&](const Dot& other) {
        return other.x == dot->x && other.y == dot->y;
      });
      if (!known && all.dots.size() < kMost) all.dots.push_back(std::move(*dot));
    }
  }
  if (all.dots.size() < kFewest) return {};
  double least = all.dots.front().x;
  double most = least;
  for (const Dot& dot : all.dots) {
    least = std::min({least, dot.x, dot.y});
    most = std::max({most, dot.x, dot.y});
  }
  all.line = {{least, least}, {most, most}};
  all.across = target ? "theory or target" : "theory";
  all.upwards = measured ? "measured" : "model";
  return all;
}

std::optional<Dots> roofline_of(const std::vector<Section>& sections,
                                const metrics::Machine& machine) {
  constexpr double kGiga = 1e9;
  constexpr double kMega = 1e6;
  // As many bytes read as written.
  const auto ns_per_byte = metrics::dram_ns(0.5, 0.5, machine.ceilings);
  const double bytes_per_s = ns_per_byte.value_or(0) > 0 ? 1e9 / *ns_per_byte : 0;
  const double issue_per_s =
      ceiling(machine, "instructions") * machine.size.sms * ceiling(machine, "sm_clock") * kMega;
  if (bytes_per_s <= 0 || issue_per_s <= 0) return {};
  Dots all;
  const bool several = sections.size() > 1;
  for (const Section& section : sections) {
    for (const CaseRecord* record : section.cases) {
      auto dot = issue_dot(*record, several ? name_of(section) : record->params.text());
      if (dot) all.dots.push_back(std::move(*dot));
      if (several) break;
    }
  }
  if (all.dots.size() < 2) return {};
  const double ridge = issue_per_s / bytes_per_s;
  double least = ridge;
  double most = ridge;
  for (const Dot& dot : all.dots) {
    least = std::min(least, dot.x);
    most = std::max(most, dot.x);
  }
  all.line = {{least, least * bytes_per_s / kGiga},
              {ridge, issue_per_s / kGiga},
              {2 * most, issue_per_s / kGiga}};
  all.across = "warp instructions per byte of DRAM";
  all.upwards = "10^9 warp instructions per second";
  return all;
}

std::string name_of(const Section& section) {
  return section.variant.empty() ? section.cases.front()->kernel : section.variant;
}

}  // namespace lab::reading
