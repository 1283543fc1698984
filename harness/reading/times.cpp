#include "harness/reading/times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/core/numbers.h"
#include "harness/reading/case_reading.h"
#include "metrics/expected.h"
#include "metrics/time_flaws.h"
#include "metrics/values.h"

namespace lab::reading {

namespace {

constexpr double kNsPerUs = 1000;

std::optional<double> in_us(const std::optional<double>& ns) {
  return ns ? std::optional(*ns / kNsPerUs) : std::nullopt;
}

std::optional<double> expected_us(const CaseRecord& record) {
  return record.expected ? in_us(record.expected->ns) : std::nullopt;
}

bool has_values(const NumberLine& line) {
  return std::any_of(line.values.begin(), line.values.end(),
                     [](const auto& value) { return value.has_value(); });
}

// The GPU of the first case that has an expected time.
std::string_view expected_on(const Cases& cases) {
  for (const CaseRecord* record : cases) {
    if (record->expected && record->expected->ns) return record->expected->gpu;
  }
  return {};
}

// A caveat says that the time may be far off: one that was measured may say that it is not.
bool is_refuted(const CaseRecord& record) {
  constexpr double kNear = 1.15;
  if (!record.timing || record.timing->median_ns <= 0) return false;
  return std::abs(std::log(*record.expected->ns / record.timing->median_ns)) <= std::log(kNear);
}

std::string short_us(double ns) { return brief_text(ns / kNsPerUs) + " us"; }

}  // namespace

std::string gpu_in_words(std::string_view gpu) {
  for (const std::string_view maker : {"NVIDIA ", "GeForce ", "Tesla "}) {
    if (gpu.starts_with(maker)) gpu.remove_prefix(maker.size());
  }
  // Letters that are called by a name that begins with a vowel.
  constexpr std::string_view kVowels = "AEFHILMNORSX8";
  const bool vowel = !gpu.empty() && kVowels.find(gpu.front()) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", gpu);
}

Times times_of(const Cases& cases) {
  NumberLine bound{"bound", "us"};
  NumberLine expected{"expected", "us"};
  NumberLine measured{"measured", "us"};
  for (const CaseRecord* record : cases) {
    if (has_mistake(*record)) {
      for (NumberLine* line : {&bound, &expected, &measured}) line->values.emplace_back();
      continue;
    }
    bound.values.push_back(in_us(metrics::bound_ns(*record)));
    expected.values.push_back(expected_us(*record));
    measured.values.push_back(
        in_us(record->timing ? std::optional(record->timing->median_ns) : std::nullopt));
  }
  Times times;
  times.measured = has_values(measured);
  if (!times.measured) {
    if (!has_values(expected)) return {};
    times.title = "expected on " + gpu_in_words(expected_on(cases));
    expected.name = "us";
    times.lines = {std::move(expected)};
    return times;
  }
  times.title = "time, us";
  times.lines = {std::move(bound), std::move(expected), std::move(measured)};
  std::erase_if(times.lines, [](const NumberLine& line) { return !has_values(line); });
  return times;
}

std::string expected_text(const CaseRecord& record) {
  if (!record.expected) return {};
  const ExpectedTime& expected = *record.expected;
  if (!expected.ns) return fmt::format("no time is expected: {}", expected.reason);
  std::string text = fmt::format("{} on {}", short_us(*expected.ns), gpu_in_words(expected.gpu));
  if (record.kernel_facts && record.kernel_facts->managed) text += " without page migration";
  if (expected.within) text += fmt::format(", within {:.0f} %", 100 * *expected.within);
  if (!expected.calibrated) text += fmt::format(" ({}: not calibrated)", expected.origin);
  text += ": " + expected.reason;
  if (expected.off && !is_refuted(record)) {
    text += fmt::format("; not in the rules: {}", metrics::told(*expected.off));
  }
  return text;
}

std::vector<ToldTime> told_times(const Section& section) {
  std::set<std::tuple<std::optional<TimeTerm>, std::optional<TimeFlaw>, std::string>> known;
  std::vector<ToldTime> told;
  for (const CaseRecord* record : section.cases) {
    if (!record->expected || has_mistake(*record)) continue;
    const ExpectedTime& expected = *record->expected;
    const bool fresh =
        known.emplace(expected.sets, expected.off, expected.sets ? "" : expected.reason).second;
    if (fresh) told.push_back({record, expected_text(*record)});
  }
  return told;
}

std::vector<NumberLine> rate_lines(const Cases& cases, const Shown& shown) {
  constexpr double kPercent = 100;
  const bool plain = shown.rate == metric::kEffectiveBandwidth;
  NumberLine rates{plain ? "GB/s" : title_of(shown.rate), "GB/s"};
  NumberLine shares{"of peak", "%"};
  bool any = false;
  for (const CaseRecord* record : cases) {
    const auto rate = has_mistake(*record) ? std::nullopt : metrics::measured(*record, shown.rate);
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

std::vector<Section> fastest_first(std::vector<Section> sections) {
  const auto time_of = [](const Section& section) {
    const auto& timing = section.cases.front()->timing;
    return timing ? timing->median_ns : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(sections.begin(), sections.end(),
                   [&](const Section& a, const Section& b) { return time_of(a) < time_of(b); });
  return sections;
}

std::optional<Slowest> slowest_of(const std::vector<Section>& sections) {
  constexpr double kShortestNs = 5000;  // below it the launch is what is timed
  constexpr double kApart = 1.5;
  Slowest slowest;
  for (const Section& section : sections) {
    const CaseRecord& record = *section.cases.front();
    const auto rate = metrics::measured(record, metric::kEffectiveBandwidth);
    if (has_mistake(record) || !rate || !record.timing || record.timing->median_ns < kShortestNs)
      continue;
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
