#include "metrics/expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "harness/core/text.h"
#include "metrics/ceilings.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

// Theory's interval, else the model's.
std::optional<Interval> predicted(const CaseRecord& record, std::string_view key) {
  for (const auto source : {SourceOf::kTheory, SourceOf::kModel}) {
    const auto* found = find_observation(record, key, source);
    if (found != nullptr && found->has_value()) return interval_of(*found);
  }
  return {};
}

// The sum of the lower ends of those that are predicted; empty where none is.
template <std::size_t N>
std::optional<double> least(const CaseRecord& record, const std::array<const char*, N>& keys) {
  std::optional<double> sum;
  for (const char* key : keys) {
    if (const auto value = predicted(record, key)) sum = sum.value_or(0) + value->low;
  }
  return sum;
}

bool warm(const CaseRecord& record) {
  return record.timing && record.timing->cache != Cache::kCold;
}

// What L2 holds when the kernel ends is written later, in place of what was there: launch for
// launch, each sector that was stored to goes to DRAM once.
double written(const CaseRecord& record, const std::optional<Interval>& bytes) {
  if (!bytes) return 0;
  const auto sectors = predicted(record, "l2_write_sectors");
  const double once = sectors ? kSectorBytes * sectors->low : bytes->low;
  return std::clamp(once, bytes->low, bytes->high);
}

std::optional<double> dram(const CaseRecord& record, const Machine& machine) {
  const auto read = predicted(record, "dram_read_bytes");
  const auto write = predicted(record, "dram_write_bytes");
  if (!read && !write) return {};
  const double kept = warm(record) ? machine.size.l2_bytes : 0;
  const double read_bytes = read ? read->low : 0;
  return dram_ns(std::max(0.0, read_bytes - kept), std::max(0.0, written(record, write) - kept),
                 machine.ceilings);
}

std::vector<Use> uses(const CaseRecord& record, const Machine& machine) {
  std::vector<Use> all;
  const auto add = [&](std::string_view resource, const std::optional<double>& ns) {
    if (ns) all.push_back({resource, *ns});
  };
  const auto per_sm = [&](const std::optional<double>& count, std::string_view name) {
    return count ? per_sm_ns(*count, name, machine.size.sms, machine.ceilings) : std::nullopt;
  };
  add("DRAM", dram(record, machine));
  if (const auto sectors = least(record, std::array{"l2_read_sectors", "l2_write_sectors"})) {
    add("L2", l2_ns(*sectors, machine.ceilings));
  }
  add("shared memory",
      per_sm(least(record, std::array{"shared_load_wavefronts", "shared_store_wavefronts",
                                      "shared_atomic_wavefronts"}),
             "shared_wavefronts"));
  add("instruction issue", per_sm(least(record, std::array{"instructions"}), "instructions"));
  std::stable_sort(all.begin(), all.end(),
                   [](const Use& a, const Use& b) { return a.least_ns > b.least_ns; });
  return all;
}

std::string microseconds(double ns) { return fmt::format("{:.4g}", ns / 1000); }

}  // namespace

std::vector<Expected> expected_time(const CaseRecord& record, const Machine& machine) {
  const std::vector<Use> all = uses(record, machine);
  if (all.empty() || all.front().least_ns <= 0) return {};
  std::string names;
  std::string numbers;
  for (const Use& use : all) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", use.resource);
    numbers += fmt::format("{}{} {} us", numbers.empty() ? "" : ", ", use.resource,
                           microseconds(use.least_ns));
  }
  const double ns = all.front().least_ns;
  const std::string reason =
      fmt::format("at least: {}; ceilings of {}, {}", numbers, machine.gpu, machine.origin);
  std::vector<Expected> expected = {
      {"duration_ns", ns, fmt::format("max of time by {}", names), reason}};
  if (const auto needed = value_of(record, "needed_bytes", SourceOf::kTheory)) {
    expected.push_back(
        {"effective_bandwidth", *needed / ns, "needed_bytes / duration_ns",
         fmt::format("at most: {} bytes in {} us", number_text(*needed), microseconds(ns))});
  }
  return expected;
}

}  // namespace lab::metrics
