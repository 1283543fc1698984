#include "metrics/ceilings.h"

#include <algorithm>
#include <array>

#include "harness/core/metric_keys.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

constexpr double kNsPerSecond = 1e9;

// Empty also where it is not a rate to divide by.
std::optional<double> ceiling(const std::vector<Ceiling>& ceilings, std::string_view name) {
  for (const Ceiling& one : ceilings) {
    if (one.name == name && one.value > 0) return one.value;
  }
  return {};
}

std::optional<double> at_rate(double bytes, std::string_view name,
                              const std::vector<Ceiling>& ceilings) {
  if (bytes <= 0) return 0.0;
  const auto rate = ceiling(ceilings, name);
  if (!rate) return {};
  return bytes / *rate * kNsPerSecond;
}

// The sum of those that were measured; empty where none was.
template <std::size_t N>
std::optional<double> sum_of(const CaseRecord& record,
                             const std::array<std::string_view, N>& keys) {
  std::optional<double> sum;
  for (const std::string_view key : keys) {
    if (const auto value = measured(record, key)) sum = sum.value_or(0) + value->value;
  }
  return sum;
}

struct Time {
  double ns = 0;
  std::string method;
  bool warm = false;  ///< L2 held what an earlier launch left, unlike for the counters
};

std::optional<Time> time_of(const CaseRecord& record) {
  const auto profiled = measured(record, metric::kDurationNs);
  if (profiled && profiled->value > 0) return Time{profiled->value, "profiler", false};
  if (!record.timing || record.timing->median_ns <= 0) return {};
  const bool cold_counters = record.facts.counter_cache.value_or(Cache::kCold) == Cache::kCold;
  const bool cold_loop = record.timing->cache == Cache::kCold;
  return Time{record.timing->median_ns, method_text(*record.timing), cold_counters && !cold_loop};
}

std::optional<double> dram_of(const CaseRecord& record, const std::vector<Ceiling>& ceilings,
                              double kept_bytes) {
  const auto read = measured(record, metric::kDramReadBytes);
  const auto write = measured(record, metric::kDramWriteBytes);
  if (!read && !write) return {};
  return dram_ns(std::max(0.0, (read ? read->value : 0) - kept_bytes),
                 std::max(0.0, (write ? write->value : 0) - kept_bytes), ceilings);
}

std::optional<double> wavefronts_of(const CaseRecord& record) {
  const auto hardware =
      sum_of(record, std::array{metric::kSharedLoadWavefronts, metric::kSharedStoreWavefronts,
                                metric::kSharedAtomicWavefronts});
  if (hardware) return hardware;
  return sum_of(record,
                std::array{metric::kSharedLoadWavefrontsSass, metric::kSharedStoreWavefrontsSass,
                           metric::kSharedAtomicWavefrontsSass});
}

}  // namespace

std::optional<double> cold_time_of(const CaseRecord& record) {
  const auto time = time_of(record);
  return time && !time->warm ? std::optional(time->ns) : std::nullopt;
}

std::optional<double> dram_ns(double read_bytes, double write_bytes,
                              const std::vector<Ceiling>& ceilings) {
  const double both = std::min(read_bytes, write_bytes);
  const auto copied = at_rate(2 * both, "dram_copy", ceilings);
  const auto read = at_rate(read_bytes, "dram_read", ceilings);
  const auto written = at_rate(write_bytes, "dram_write", ceilings);
  const auto read_alone = at_rate(read_bytes - both, "dram_read", ceilings);
  const auto written_alone = at_rate(write_bytes - both, "dram_write", ceilings);
  if (!copied || !read_alone || !written_alone) return {};
  const double at_once = *copied + *read_alone + *written_alone;
  return read && written ? std::min(at_once, *read + *written) : at_once;
}

std::optional<double> l2_ns(double sectors, const std::vector<Ceiling>& ceilings) {
  return at_rate(sectors * kSectorBytes, "l2_read", ceilings);
}

std::optional<double> per_sm_ns(double count, std::string_view name, double sms,
                                const std::vector<Ceiling>& ceilings) {
  const auto rate = ceiling(ceilings, name);
  const auto mhz = ceiling(ceilings, "sm_clock");
  if (!rate || !mhz || sms <= 0) return {};
  return count / (*rate * sms * *mhz) * 1e3;  // a clock of 1 MHz is 1000 ns long
}

std::string_view name_of(Resource resource) { return word_of(resource); }

std::optional<TimeBound> time_bound(const CaseRecord& record, const std::vector<Ceiling>& ceilings,
                                    const GpuSize& gpu) {
  const auto time = time_of(record);
  if (!time) return {};
  TimeBound bound;
  bound.measured_ns = time->ns;
  bound.method = time->method;
  const auto add = [&](Resource resource, const std::optional<double>& ns) {
    if (ns) bound.uses.push_back({resource, *ns});
  };
  add(Resource::kDram, dram_of(record, ceilings, time->warm ? gpu.l2_bytes : 0));
  if (const auto sectors =
          sum_of(record, std::array{metric::kL2ReadSectors, metric::kL2WriteSectors})) {
    add(Resource::kL2, l2_ns(*sectors, ceilings));
  }
  if (const auto wavefronts = wavefronts_of(record)) {
    add(Resource::kSharedMemory, per_sm_ns(*wavefronts, "shared_wavefronts", gpu.sms, ceilings));
  }
  if (const auto instructions = measured(record, metric::kInstructions)) {
    add(Resource::kIssue, per_sm_ns(instructions->value, "instructions", gpu.sms, ceilings));
  }
  if (bound.uses.empty()) return {};
  std::stable_sort(bound.uses.begin(), bound.uses.end(),
                   [](const Use& a, const Use& b) { return a.least_ns > b.least_ns; });
  return bound;
}

}  // namespace lab::metrics
