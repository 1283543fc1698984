#include "harness/ncu/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "harness/ncu/observe.h"
#include "metrics/values.h"

namespace lab::ncu {

namespace {

// A condition: what it is called, and the beginnings of the keys that it affects.
struct Condition {
  std::string_view name;
  std::string_view what;
  std::string_view bears_on;  // empty: on everything
};

constexpr std::string_view kTimes = "duration_ns cycles occupancy dram_bandwidth";
constexpr std::string_view kCaches = "l1_ l2_ dram_ duration_ns cycles";

constexpr Condition kConditions[] = {
    {"arch", "the architecture", ""},
    {"gpu", "the GPU", ""},
    {"driver", "the driver", kTimes},
    {"cubin", "the machine code (CUBIN)", ""},
    {"carveout", "the L1 data store's share for shared memory", kCaches},
    {"cache", "cache control", kCaches},
    {"clocks", "clock control", kTimes},
    {"timing", "how launches were timed", metric::kDurationNs},
};

// Why two readings of one launch differ, by the beginning of the key.
struct Jitter {
  std::string_view keys;
  std::string_view cause;
};
constexpr Jitter kJitter[] = {
    {"shared_ l1_bank_conflicts l1_arbitration_conflicts l1_global_conflicts l1_data_",
     "arbitration: cycles that an access loses to other traffic of the L1 data stage count too, "
     "and "
     "no two passes lose the same"},
    {"dram_write",
     "write-back: L2 writes dirty lines when it needs their place, not when the "
     "kernel stores; ncu's replay also writes memory back between passes"},
    {"dram_",
     "replay: ncu saves and restores memory between passes; the counter takes in all "
     "traffic of the chip"},
    {"l2_",
     "jitter between passes: requests of several SMs merge, and L2 serves the chip's own "
     "traffic too"},
    {"l1_",
     "jitter between passes: which access finds its line in L1 depends on the order in "
     "which warps come"},
    {metric::kDurationNs,
     "clocks and launch: the counter runs from one idle to the next, at the clock of "
     "the moment"},
    {metric::kCycles, "clocks: those of SM and memory move against each other"},
};
constexpr std::string_view kAnyPass = "jitter between passes: each reads a launch of its own";

bool begins_with_one_of(std::string_view key, std::string_view beginnings) {
  const auto all = split(beginnings, ' ');
  return std::any_of(all.begin(), all.end(), [&](std::string_view beginning) {
    return key.substr(0, beginning.size()) == beginning;
  });
}

std::optional<std::string> find(const Conditions& conditions, std::string_view name) {
  const auto found = conditions.find(std::string(name));
  if (found == conditions.end() || found->second.empty()) return {};
  return found->second;
}

bool differ(const Conditions& ours, const Conditions& theirs, std::string_view name) {
  const auto a = find(ours, name);
  const auto b = find(theirs, name);
  return a && b && *a != *b;
}

// The text of a fact that all cases share; `several` where they differ.
std::string shared_fact(const RunRecord& run, const std::string& name) {
  std::string value;
  for (const CaseRecord& record : run.cases) {
    const auto facts = facts_text(record);
    const auto fact = facts.find(name);
    if (fact == facts.end()) continue;
    if (!value.empty() && value != fact->second) return "several";
    value = fact->second;
  }
  return value;
}

bool has_run(CaseStatus status) {
  return status == CaseStatus::kOk || status == CaseStatus::kWrong ||
         status == CaseStatus::kFinding;
}

// One hash for the machine code of all cases that ran.
std::string cubins(const RunRecord& run) {
  std::set<std::string> hashes;
  for (const CaseRecord& record : run.cases) {
    const std::string& hash = record.facts.cubin_sha256;
    if (!hash.empty() && has_run(record.status)) hashes.insert(hash);
  }
  if (hashes.empty()) return {};
  return sha256_hex(fmt::format("{}", fmt::join(hashes, "\n"))).substr(0, 12);
}

}  // namespace

std::vector<Pair> pairs_of(const CaseRecord& record, std::string_view chip) {
  std::vector<Pair> pairs;
  const auto add = [&](const std::string& key, SourceOf source, const std::string& their_name) {
    const auto ours = metrics::value_of(record, key, source);
    const auto theirs = metrics::value_of(record, their_name, SourceOf::kNcu);
    if (ours && theirs) pairs.push_back({key, source, *ours, *theirs});
  };
  for (const metrics::Metric& metric : metrics::catalogue()) {
    for (const auto source : {SourceOf::kCupti, SourceOf::kSass}) {
      const std::string name = name_in_record(metric, source, chip);
      if (!name.empty()) add(std::string(metric.key), source, name);
    }
  }
  for (const Observation& observation : record.observations) {
    const bool ours =
        observation.source == SourceOf::kCupti || observation.source == SourceOf::kSass;
    if (ours && metrics::find(observation.metric) == nullptr) {
      add(observation.metric, observation.source, observation.metric);
    }
  }
  return pairs;
}

Conditions our_conditions(const RunRecord& run) {
  Conditions out;
  for (const char* name : {"gpu", "driver"}) {
    if (const auto value = find(run.environment, name)) out[name] = *value;
  }
  const std::string cache = shared_fact(run, "counter_cache");
  if (!cache.empty()) out["cache"] = cache == "cold" ? "flushed before each pass" : "left warm";
  const std::string clocks = shared_fact(run, "counter_clocks");
  out["clocks"] = clocks.empty() ? "left alone" : clocks;
  const std::string carveout = shared_fact(run, "carveout");
  if (!carveout.empty()) out["carveout"] = carveout;
  const std::string cubin = cubins(run);
  if (!cubin.empty()) out["cubin"] = cubin;
  return out;
}

Conditions their_conditions(const RunRecord& run) {
  Conditions out;
  for (const auto& [key, value] : run.environment) {
    if (key.rfind(kConditionPrefix, 0) == 0) out[key.substr(kConditionPrefix.size())] = value;
  }
  return out;
}

std::vector<std::string> unlike(const Conditions& ours, const Conditions& theirs,
                                const SideNames& names) {
  std::vector<std::string> sentences;
  for (const Condition& condition : kConditions) {
    const auto a = find(ours, condition.name);
    const auto b = find(theirs, condition.name);
    if (!a || (b && *a == *b)) continue;
    if (b) {
      sentences.push_back(
          fmt::format("{}: {} {}, {} {}", condition.what, names.first, *a, names.second, *b));
    } else {
      sentences.push_back(
          fmt::format("{}: {} {}, {} not known", condition.what, names.first, *a, names.second));
    }
  }
  return sentences;
}

std::string cause_of(std::string_view key, const Conditions& ours, const Conditions& theirs) {
  for (const Condition& condition : kConditions) {
    if (!differ(ours, theirs, condition.name)) continue;
    if (condition.bears_on.empty() || begins_with_one_of(key, condition.bears_on)) {
      return fmt::format("{} differs: {} against {}", condition.what, *find(ours, condition.name),
                         *find(theirs, condition.name));
    }
  }
  const auto* metric = metrics::find(key);
  if (metric != nullptr && metric->metric_class == metrics::Class::kExact &&
      metric->band.cause.empty()) {
    return {};
  }
  if (metric != nullptr && metric->metric_class == metrics::Class::kExact) {
    return std::string(metric->band.cause);
  }
  for (const Jitter& row : kJitter) {
    if (begins_with_one_of(key, row.keys)) return std::string(row.cause);
  }
  return std::string(kAnyPass);
}

}  // namespace lab::ncu
