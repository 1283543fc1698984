#include "harness/reading/times.h"

#include <algorithm>

#include "harness/core/metric_keys.h"
#include "metrics/expected.h"
#include "metrics/values.h"

namespace lab::reading {

std::vector<NumberLine> time_lines(const Cases& cases) {
  constexpr double kNsPerUs = 1000;
  NumberLine bound{"bound", "us"};
  NumberLine measured{"measured", "us"};
  const auto in_us = [](const std::optional<double>& ns) {
    return ns ? std::optional(*ns / kNsPerUs) : std::nullopt;
  };
  for (const CaseRecord* record : cases) {
    bound.values.push_back(in_us(metrics::bound_ns(*record)));
    measured.values.push_back(
        in_us(record->timing ? std::optional(record->timing->median_ns) : std::nullopt));
  }
  std::vector<NumberLine> lines = {std::move(bound), std::move(measured)};
  const auto empty = [](const NumberLine& line) {
    return std::none_of(line.values.begin(), line.values.end(),
                        [](const auto& value) { return value.has_value(); });
  };
  if (empty(lines.back())) return {};
  std::erase_if(lines, empty);
  return lines;
}

std::vector<NumberLine> rate_lines(const Cases& cases, const Shown& shown) {
  constexpr double kPercent = 100;
  const bool plain = shown.rate == metric::kEffectiveBandwidth;
  NumberLine rates{plain ? "GB/s" : title_of(shown.rate), "GB/s"};
  NumberLine shares{"of peak", "%"};
  bool any = false;
  for (const CaseRecord* record : cases) {
    const auto rate = metrics::measured(*record, shown.rate);
    any = any || rate;
    rates.values.push_back(rate ? std::optional(rate->value) : std::nullopt);
    const bool share = rate && shown.peak > 0;
    shares.values.push_back(share ? std::optional(kPercent * rate->value / shown.peak)
                                  : std::nullopt);
  }
  if (!any) return {};
  std::vector<NumberLine> lines = {std::move(rates)};
  if (shown.peak > 0) lines.push_back(std::move(shares));
  return lines;
}

std::optional<metrics::TimeBound> time_against(const CaseRecord& record,
                                               const metrics::Machine& machine) {
  return metrics::time_bound(record, machine.ceilings, machine.size);
}

std::optional<Slowest> slowest_of(const std::vector<Section>& sections) {
  constexpr double kShortestNs = 5000;  // below it the launch is what is timed
  constexpr double kApart = 1.5;
  Slowest slowest;
  for (const Section& section : sections) {
    const CaseRecord& record = *section.cases.front();
    const auto rate = metrics::measured(record, metric::kEffectiveBandwidth);
    if (!rate || !record.timing || record.timing->median_ns < kShortestNs) continue;
    if (slowest.section == nullptr || rate->value < slowest.rate) {
      slowest.section = &section;
      slowest.rate = rate->value;
    }
    slowest.most = std::max(slowest.most, rate->value);
  }
  const bool near = slowest.section == nullptr || slowest.most < kApart * slowest.rate;
  return near ? std::nullopt : std::optional(slowest);
}

}  // namespace lab::reading
