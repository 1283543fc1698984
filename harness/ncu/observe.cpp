#include "harness/ncu/observe.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "harness/core/metric_keys.h"
#include "metrics/counter_names.h"

namespace lab::ncu {

namespace {

struct Known {
  std::string_view name;  // as ncu writes it
  std::string_view key;
  double scale;
};

// Names that only Nsight Compute has: its launch metrics, and labels of its sections.
constexpr Known kOwnNames[] = {
    {"launch__registers_per_thread", metric::kRegistersPerThread, 1},
    {"Registers Per Thread", metric::kRegistersPerThread, 1},
    {"sm__maximum_warps_per_active_cycle_pct", metric::kTheoreticalOccupancy, 0.01},
    {"Theoretical Occupancy", metric::kTheoreticalOccupancy, 0.01},
    {"Achieved Occupancy", metric::kOccupancy, 0.01},
    {"Duration", metric::kDurationNs, 1},
};

struct Target {
  std::string key;
  double scale = 1;
  bool label = false;  // a counter of the same key comes first
};

SourceOf preferred(const metrics::Metric& metric) {
  if (metric.sass.empty()) return SourceOf::kCupti;
  if (metric.cupti.empty()) return SourceOf::kSass;
  return metric.measured;
}

std::map<std::string, Target, std::less<>> targets(std::string_view chip) {
  std::map<std::string, Target, std::less<>> out;
  for (const metrics::Metric& metric : metrics::catalogue()) {
    const auto name = counter_name(metric, preferred(metric), chip);
    if (!name.name.empty()) out[name.name] = {std::string(metric.key), metric.scale};
  }
  for (const Known& own : kOwnNames) {
    const bool label = own.name.find(' ') != std::string_view::npos || own.name == "Duration";
    out[std::string(own.name)] = {std::string(own.key), own.scale, label};
  }
  return out;
}

std::optional<Target> target_of(const std::string& name,
                                const std::map<std::string, Target, std::less<>>& known) {
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  // The device's properties are not metrics of a kernel.
  if (name.find("__") == std::string::npos || name.rfind("device__", 0) == 0) return {};
  return Target{name};
}

// All launches' values of one name.
struct Gathered {
  Target target;
  std::vector<double> numbers;
  std::optional<Missing> missing;
  bool sum = false;
};

bool is_sum(std::string_view name) {
  return name.size() > 4 && name.substr(name.size() - 4) == ".sum";
}

bool is_exact(const std::string& key) {
  const auto* metric = metrics::find(key);
  return metric != nullptr && metric->metric_class == metrics::Class::kExact;
}

void gather(const MetricValue& value, const Target& target, Gathered& into) {
  into.target = target;
  into.sum = is_sum(value.name);
  if (const auto* missing = std::get_if<Missing>(&value.value)) {
    into.missing = *missing;
  } else if (value.rounded && is_exact(target.key)) {
    into.missing = Missing{NoValue::kRounded, "Nsight Compute printed it as " + *value.rounded +
                                                  "; --print-units base prints all digits"};
  } else {
    into.numbers.push_back(std::get<double>(value.value) * target.scale);
  }
}

// How many passes Nsight Compute took for a launch; 0: the report does not say.
double passes_of(const KernelLaunch& launch) {
  for (const MetricValue& value : launch.values) {
    const auto* passes = std::get_if<double>(&value.value);
    if (value.name == "profiler__replayer_passes" && passes != nullptr) return *passes;
  }
  return 0;
}

Observation observation_of(const Gathered& all, bool library) {
  Observation out;
  out.metric = all.target.key;
  out.source = SourceOf::kNcu;
  if (all.numbers.empty() || all.missing) {
    out.value =
        all.missing.value_or(Missing{NoValue::kNotAvailable, "Nsight Compute has no value for it"});
    return out;
  }
  std::vector<double> numbers = all.numbers;
  std::sort(numbers.begin(), numbers.end());
  if (numbers.size() == 1) {
    out.value = numbers.front();
  } else if (library && all.sum) {
    double sum = 0;
    for (const double number : numbers) sum += number;
    out.value = sum;
  } else if (library) {
    out.value =
        Missing{NoValue::kSeveralLaunches, "a library's call of several launches has no one value"};
  } else {
    const std::size_t middle = numbers.size() / 2;
    out.value =
        numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
    out.min = numbers.front();
    out.max = numbers.back();
    out.samples = static_cast<int>(numbers.size());
  }
  return out;
}

}  // namespace

Observed observe(const Report& report, const Match& match, bool library, std::string_view chip) {
  const auto known = targets(chip);
  std::map<std::string, Gathered> by_key;
  Observed out;
  for (const std::size_t at : match.launches) {
    std::set<std::string> seen;
    // A counter has all digits; a section's label is the second choice.
    for (const bool labels : {false, true}) {
      for (const MetricValue& value : report.launches[at].values) {
        const auto target = target_of(value.name, known);
        if (!target) {
          out.nameless += labels && value.name.rfind("device__", 0) != 0 ? 1 : 0;
        } else if (target->label == labels && seen.insert(target->key).second) {
          gather(value, *target, by_key[target->key]);
        }
      }
    }
  }
  const bool one_pass =
      match.launches.size() == 1 && passes_of(report.launches[match.launches.front()]) == 1;
  const int pass = one_pass ? 1 : 0;
  for (const auto& [key, gathered] : by_key) {
    // A counter for which we have no row and ncu has no value is of no use.
    if (gathered.numbers.empty() && metrics::find(key) == nullptr) continue;
    out.observations.push_back(observation_of(gathered, library));
    out.observations.back().pass = pass;
  }
  return out;
}

std::string name_in_record(const metrics::Metric& metric, SourceOf source, std::string_view chip) {
  const auto name = counter_name(metric, source, chip);
  if (name.name.empty()) return {};
  return source == preferred(metric) ? std::string(metric.key) : name.name;
}

void replace_ncu(CaseRecord& record, std::vector<Observation> observations) {
  auto& all = record.observations;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const Observation& o) { return o.source == SourceOf::kNcu; }),
            all.end());
  all.insert(all.end(), std::make_move_iterator(observations.begin()),
             std::make_move_iterator(observations.end()));
}

std::string chip_of(const RunRecord& run) {
  const auto chip = run.environment.find("gpu_chip");
  if (chip != run.environment.end() && !chip->second.empty()) return chip->second;
  constexpr std::pair<std::string_view, std::string_view> kUsual[] = {
      {"sm_75", "TU102"},  {"sm_80", "GA100"},  {"sm_86", "GA102"},  {"sm_87", "GA10B"},
      {"sm_89", "AD102"},  {"sm_90", "GH100"},  {"sm_100", "GB100"}, {"sm_103", "GB110"},
      {"sm_110", "GB10B"}, {"sm_120", "GB202"}, {"sm_121", "GB20B"}};
  for (const auto& [arch, usual] : kUsual) {
    if (run.arch == arch) return std::string(usual);
  }
  return "GH100";
}

}  // namespace lab::ncu
