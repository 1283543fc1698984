#include "metrics/evidence.h"

#include <algorithm>
#include <cmath>

#include "harness/core/text.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

std::string detail_of(const CaseRecord& record, std::string_view key, SourceOf source) {
  const auto* observation = find_observation(record, key, source);
  if (observation == nullptr || observation->has_value()) return {};
  const auto& missing = std::get<Missing>(observation->value);
  return missing.text();
}

bool was_on_gpu(const CaseRecord& record) {
  return std::any_of(record.observations.begin(), record.observations.end(),
                     [](const Observation& o) {
                       return o.source == SourceOf::kCupti || o.source == SourceOf::kSass;
                     });
}

std::string why_not_measured(const CaseRecord& record, std::string_view key) {
  for (const auto source : {SourceOf::kCupti, SourceOf::kSass}) {
    if (auto detail = detail_of(record, key, source); !detail.empty()) return detail;
  }
  return was_on_gpu(record) ? "not collected" : "no GPU";
}

std::string why_not_modelled(const CaseRecord& record, std::string_view key) {
  if (auto detail = detail_of(record, key, SourceOf::kModel); !detail.empty()) return detail;
  if (!record.reason.empty()) return record.reason;
  return "the model has no value";
}

}  // namespace

bool same(double a, double b) {
  return a == b || std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

bool same(const Interval& a, const Interval& b) {
  return same(a.low, b.low) && same(a.high, b.high);
}

bool holds(const Interval& interval, double value) {
  return same(value, interval.low) || same(value, interval.high) ||
         (value > interval.low && value < interval.high);
}

Evidence gather(const CaseRecord& record, std::string_view key, const TheoryRow* theory_row) {
  Evidence evidence;
  evidence.key = key;
  evidence.row = find(key);
  evidence.theory_row = theory_row;
  const auto* theory = find_observation(record, key, SourceOf::kTheory);
  if (theory != nullptr && theory->has_value()) evidence.theory = interval_of(*theory);
  const auto* model = find_observation(record, key, SourceOf::kModel);
  if (model != nullptr && model->has_value()) {
    evidence.model = interval_of(*model);
  } else {
    evidence.not_modelled = why_not_modelled(record, key);
  }
  const auto first = measured(record, key);
  if (first) evidence.hardware.push_back({first->source, first->value});
  for (const auto source : {SourceOf::kCupti, SourceOf::kSass, SourceOf::kNcu}) {
    if (first && source == first->source) continue;
    if (const auto value = value_of(record, key, source)) {
      evidence.hardware.push_back({source, *value});
    }
  }
  if (!first) evidence.not_measured = why_not_measured(record, key);
  return evidence;
}

std::string text(const Interval& interval) {
  if (same(interval.low, interval.high)) return number_text(interval.low);
  return number_text(interval.low) + " to " + number_text(interval.high);
}

}  // namespace lab::metrics
