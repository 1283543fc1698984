#include "metrics/values.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <variant>

#include "harness/core/metric_keys.h"
#include "harness/core/text.h"

namespace lab::metrics {
namespace {

using Value = std::variant<double, Missing>;

// A value with what decides whether it may be combined with another.
struct Part {
  Value value = Missing{};
  int pass = 0;        // 0: of no hardware pass
  bool steady = true;  // equal in every pass
  bool there = false;  // the source knows the metric, if only why it is missing
};

bool is_hardware(SourceOf source) {
  return source == SourceOf::kCupti || source == SourceOf::kSass || source == SourceOf::kNcu;
}

// `shared_atomic_requests` for any metric of shared atomics, and so on.
std::string requests_key(std::string_view key) {
  const auto first = key.find('_');
  const auto second = key.find('_', first + 1);
  return std::string(key.substr(0, second)) + "_requests";
}

// True where some source saw no access of the kind that `key` is about.
bool has_no_access(const CaseRecord& record, std::string_view key) {
  const auto requests = requests_key(key);
  for (const auto source : {SourceOf::kSass, SourceOf::kCupti, SourceOf::kModel}) {
    if (const auto count = value_of(record, requests, source)) return *count == 0;
  }
  return false;
}

Part part_of(const CaseRecord& record, std::string_view key, SourceOf source);

std::string key_list(const Derivation& rule) {
  std::string list;
  for (const auto part : rule.parts) list += (list.empty() ? "" : " and ") + std::string(part);
  return list;
}

bool one_pass(const std::vector<Part>& parts) {
  int pass = 0;
  for (const auto& part : parts) {
    if (part.steady || part.pass == 0) continue;
    if (pass != 0 && pass != part.pass) return false;
    pass = part.pass;
  }
  return true;
}

// Nsight Compute does not say which pass a value is from: two with jitter may be of two.
bool passes_known(const std::vector<Part>& parts, SourceOf source) {
  if (source != SourceOf::kNcu) return true;
  return std::count_if(parts.begin(), parts.end(),
                       [](const Part& part) { return !part.steady && part.pass == 0; }) < 2;
}

Value combine(const Metric& metric, const std::vector<Part>& parts, SourceOf source) {
  for (const auto& part : parts) {
    if (const auto* missing = std::get_if<Missing>(&part.value)) return *missing;
  }
  if (!one_pass(parts)) {
    return Missing{NoValue::kDifferentPasses,
                   key_list(metric.derived) +
                       " were read in different passes, whose values do not "
                       "belong together"};
  }
  if (!passes_known(parts, source)) {
    return Missing{NoValue::kPassesUnknown,
                   "Nsight Compute does not say in which passes it read " +
                       key_list(metric.derived) +
                       "; values of different passes do not belong together"};
  }
  if (metric.derived.rule == Rule::kSum) {
    double sum = 0;
    for (const auto& part : parts) sum += std::get<double>(part.value);
    return sum;
  }
  const double divisor = metric.derived.factor * std::get<double>(parts[1].value);
  if (divisor == 0) {
    return Missing{NoValue::kNoAccess,
                   "the kernel has none: " + std::string(metric.derived.parts[1]) + " is 0"};
  }
  return std::get<double>(parts[0].value) / divisor;
}

Part derived_part(const CaseRecord& record, const Metric& metric, SourceOf source) {
  std::vector<Part> parts;
  Part result;
  for (const auto key : metric.derived.parts) {
    parts.push_back(part_of(record, key, source));
    auto& part = parts.back();
    result.there = result.there || part.there;
    result.steady = result.steady && part.steady;
    result.pass = std::max(result.pass, part.pass);
    if (metric.derived.rule == Rule::kSum && std::holds_alternative<Missing>(part.value) &&
        has_no_access(record, key)) {
      part.value = 0.0;
      part.steady = true;
    }
    // A part that no counter has is a property of the program: the model's, else theory's.
    const auto* row = find(key);
    if (is_hardware(source) && !part.there && row->cupti.empty() && row->sass.empty()) {
      for (const auto other : {SourceOf::kModel, SourceOf::kTheory}) {
        const auto value = value_of(record, key, other);
        if (!value || !std::holds_alternative<Missing>(part.value)) continue;
        part.value = *value;
        part.steady = true;
      }
    }
  }
  if (result.there) result.value = combine(metric, parts, source);
  return result;
}

Part part_of(const CaseRecord& record, std::string_view key, SourceOf source) {
  const auto* row = find(key);
  Part part;
  part.steady = row == nullptr || row->metric_class == Class::kExact;
  if (key == metric::kDurationNs && source == SourceOf::kCupti && record.timing) {
    part.value = record.timing->median_ns;
    part.there = true;
    return part;
  }
  if (const auto* observation = find_observation(record, key, source)) {
    part.value = observation->value;
    part.pass = observation->pass;
    part.there = true;
    // The hardware's counters of requests take in some instructions that ask for nothing.
    const bool patched_first = is_hardware(source) && part.steady && observation->has_value() &&
                               row != nullptr && row->measured == SourceOf::kSass;
    const auto patched = value_of(record, key, SourceOf::kSass);
    if (patched_first && patched) part.value = *patched;
    return part;
  }
  if (row != nullptr && row->derived.rule != Rule::kNone) {
    return derived_part(record, *row, source);
  }
  part.value = Missing{NoValue::kNotCollected, std::string(key) + " was not collected"};
  return part;
}

// A counter that was not read is not what others of its source add up to.
bool has_counter(const Metric& metric, SourceOf source) {
  return is_hardware(source) && !(source == SourceOf::kSass ? metric.sass : metric.cupti).empty();
}

void derive_one(CaseRecord& record, const Metric& metric, SourceOf source) {
  if (has_counter(metric, source)) return;
  const auto* old = find_observation(record, metric.key, source);
  if (old != nullptr && old->has_value()) return;
  const auto part = derived_part(record, metric, source);
  if (!part.there) return;
  Observation observation;
  observation.metric = metric.key;
  observation.source = source;
  observation.value = part.value;
  observation.pass = part.pass;
  if (old == nullptr) {
    record.observations.push_back(std::move(observation));
  } else {
    record.observations[static_cast<std::size_t>(old - record.observations.data())] = observation;
  }
}

}  // namespace

const Observation* find_observation(const CaseRecord& record, std::string_view key,
                                    SourceOf source) {
  const auto found =
      std::find_if(record.observations.begin(), record.observations.end(),
                   [&](const Observation& o) { return o.source == source && o.metric == key; });
  return found == record.observations.end() ? nullptr : &*found;
}

std::optional<double> value_of(const CaseRecord& record, std::string_view key, SourceOf source) {
  const auto* observation = find_observation(record, key, source);
  if (observation == nullptr || !observation->has_value()) return {};
  return observation->number();
}

Interval interval_of(const Observation& prediction) {
  const double value = prediction.number();
  const Metric* row = find(prediction.metric);
  const bool of_instructions = row != nullptr && row->model == InModel::kCounted &&
                               (row->metric_class == Class::kExact || row->band.open_above);
  if (prediction.source == SourceOf::kModel && of_instructions) return {value, value};
  return {prediction.min.value_or(value), prediction.max.value_or(value)};
}

std::optional<Interval> formula_value(const Observation* theory, const Verdict* verdict) {
  if (theory != nullptr && theory->has_value()) return interval_of(*theory);
  if (verdict == nullptr) return {};
  const auto low = verdict->theory ? verdict->theory : verdict->target;
  if (!low) return {};
  return Interval{*low, verdict->theory_high.value_or(*low)};
}

std::string cell_text(const Interval& interval) {
  const std::string low = number_text(interval.low);
  return interval.low == interval.high ? low : low + ".." + number_text(interval.high);
}

std::optional<Measured> measured(const CaseRecord& record, std::string_view key) {
  const auto* row = find(key);
  const bool raw_sass = row == nullptr && key.find("__sass_") != std::string_view::npos;
  const bool sass_first = raw_sass || (row != nullptr && row->measured == SourceOf::kSass);
  const auto first = sass_first ? SourceOf::kSass : SourceOf::kCupti;
  const auto second = sass_first ? SourceOf::kCupti : SourceOf::kSass;
  if (const auto value = value_of(record, key, first)) return Measured{*value, first, false};
  if (const auto value = value_of(record, key, second)) return Measured{*value, second, true};
  if (const auto value = value_of(record, key, SourceOf::kNcu)) {
    return Measured{*value, SourceOf::kNcu, true};
  }
  return {};
}

std::optional<double> best_value(const CaseRecord& record, std::string_view key) {
  for (const Verdict& verdict : record.verdicts) {
    if (verdict.metric == key && verdict.measured) return verdict.measured;
  }
  return value_of(record, key, SourceOf::kModel);
}

void note_measured(CaseRecord& record) {
  std::set<std::string_view> there;
  for (const Verdict& verdict : record.verdicts) there.insert(verdict.metric);
  std::vector<Verdict> unjudged;
  for (const Observation& observation : record.observations) {
    if (!there.insert(observation.metric).second) continue;
    unjudged.emplace_back();
    unjudged.back().metric = observation.metric;
    unjudged.back().kind = VerdictKind::kNone;
  }
  std::move(unjudged.begin(), unjudged.end(), std::back_inserter(record.verdicts));
  for (Verdict& verdict : record.verdicts) {
    const auto found = measured(record, verdict.metric);
    verdict.measured = found ? std::optional(found->value) : std::nullopt;
    verdict.measured_source = found ? std::optional(found->source) : std::nullopt;
  }
}

void derive(CaseRecord& record) {
  for (const auto& metric : catalogue()) {
    if (metric.derived.rule == Rule::kNone) continue;
    for (const auto source :
         {SourceOf::kModel, SourceOf::kCupti, SourceOf::kSass, SourceOf::kNcu}) {
      derive_one(record, metric, source);
    }
  }
}

}  // namespace lab::metrics
