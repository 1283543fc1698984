#include "metrics/expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "metrics/ceilings.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

// Predictions of a case: theory's, and where it has none the model's.
struct Predictions {
  const CaseRecord& record;

  [[nodiscard]] std::optional<Interval> of(std::string_view key) const {
    for (const auto source : {SourceOf::kTheory, SourceOf::kModel}) {
      const auto* found = find_observation(record, key, source);
      if (found != nullptr && found->has_value()) return interval_of(*found);
    }
    return {};
  }
};

// The sum of the lower ends of those that are predicted; empty where none is.
template <std::size_t N>
std::optional<double> least(const Predictions& all, const std::array<std::string_view, N>& keys) {
  std::optional<double> sum;
  for (const std::string_view key : keys) {
    if (const auto value = all.of(key)) sum = sum.value_or(0) + value->low;
  }
  return sum;
}

bool warm(const CaseRecord& record) {
  return record.timing && record.timing->cache != Cache::kCold;
}

// Sectors that L2 still holds when the kernel ends are written to DRAM later, when others take
// their place: launch for launch, each sector that was stored to goes to DRAM once.
double written(const Predictions& all, const std::optional<Interval>& bytes) {
  if (!bytes) return 0;
  const auto sectors = all.of(metric::kL2WriteSectors);
  const double once = sectors ? kSectorBytes * sectors->low : bytes->low;
  return std::clamp(once, bytes->low, bytes->high);
}

struct Moved {
  double read = 0;
  double written = 0;
};

std::optional<Moved> dram_bytes(const Predictions& all, const Machine& machine) {
  const auto read = all.of(metric::kDramReadBytes);
  const auto write = all.of(metric::kDramWriteBytes);
  if (!read && !write) return {};
  const Moved moved{read ? read->low : 0, written(all, write)};
  // A loop over more than L2 holds finds nothing of the round before.
  const bool kept = warm(all.record) && moved.read + moved.written <= machine.size.l2_bytes;
  return kept ? Moved{} : moved;
}

std::vector<Use> uses(const Predictions& all, const Machine& machine) {
  std::vector<Use> made;
  const auto add = [&](Resource resource, const std::optional<double>& ns) {
    if (ns) made.push_back({resource, *ns});
  };
  const auto per_sm = [&](const std::optional<double>& count, std::string_view name) {
    return count ? per_sm_ns(*count, name, machine.size.sms, machine.ceilings) : std::nullopt;
  };
  if (const auto moved = dram_bytes(all, machine)) {
    add(Resource::kDram, dram_ns(moved->read, moved->written, machine.ceilings));
  }
  if (const auto sectors =
          least(all, std::array{metric::kL2ReadSectors, metric::kL2WriteSectors})) {
    add(Resource::kL2, l2_ns(*sectors, machine.ceilings));
  }
  add(Resource::kSharedMemory,
      per_sm(least(all, std::array{metric::kSharedLoadWavefronts, metric::kSharedStoreWavefronts,
                                   metric::kSharedAtomicWavefronts}),
             "shared_wavefronts"));
  add(Resource::kIssue, per_sm(least(all, std::array{metric::kInstructions}), "instructions"));
  std::stable_sort(made.begin(), made.end(),
                   [](const Use& a, const Use& b) { return a.least_ns > b.least_ns; });
  return made;
}

// Four digits; more would be written with an exponent.
std::string microseconds(double ns) {
  constexpr double kFourDigits = 1e6;
  return ns < kFourDigits ? fmt::format("{:.4g}", ns / 1000) : fmt::format("{:.0f}", ns / 1000);
}

constexpr std::array<std::string_view, 3> kMetrics = {
    metric::kDurationNs, metric::kEffectiveBandwidth, metric::kMovedBandwidth};

bool is_expected_time(std::string_view metric) {
  return std::find(kMetrics.begin(), kMetrics.end(), metric) != kMetrics.end();
}

}  // namespace

std::optional<double> bound_ns(const CaseRecord& record) {
  return value_of(record, metric::kDurationNs, SourceOf::kTheory);
}

void drop_expected_time(CaseRecord& record) {
  record.expected.reset();
  std::erase_if(record.observations, [](const Observation& one) {
    return one.source == SourceOf::kTheory && is_expected_time(one.metric);
  });
  for (Verdict& verdict : record.verdicts) {
    if (!is_expected_time(verdict.metric)) continue;
    verdict.theory = {};
    verdict.kind = VerdictKind::kNone;
  }
}

std::vector<Expected> expected_time(const CaseRecord& record, const Machine& machine) {
  const Predictions predictions{record};
  const std::vector<Use> all = uses(predictions, machine);
  if (all.empty() || all.front().least_ns <= 0) return {};
  std::string names;
  std::string numbers;
  for (const Use& use : all) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(use.resource));
    numbers += fmt::format("{}{} {} us", numbers.empty() ? "" : ", ", name_of(use.resource),
                           microseconds(use.least_ns));
  }
  const double ns = all.front().least_ns;
  const std::string reason =
      fmt::format("at least: {}; ceilings of {}, {}", numbers, machine.gpu, machine.origin);
  std::vector<Expected> expected = {
      {std::string(metric::kDurationNs), ns, fmt::format("max of time by {}", names), reason}};
  // A rate at the least time is what no kernel exceeds. With nothing measured beside it, it would
  // read like a result.
  if (!record.timing && !measured(record, metric::kDurationNs)) return expected;
  const auto add_rate = [&](std::string_view metric, std::string_view bytes_key, double bytes) {
    expected.push_back(
        {std::string(metric), bytes / ns, fmt::format("{} / duration_ns", bytes_key),
         fmt::format("at most: {} bytes in {} us", number_text(bytes), microseconds(ns))});
  };
  if (const auto needed = value_of(record, metric::kNeededBytes, SourceOf::kTheory)) {
    add_rate(metric::kEffectiveBandwidth, metric::kNeededBytes, *needed);
  }
  // A loop over what L2 keeps moves nothing: no rate.
  const auto moved = dram_bytes(predictions, machine);
  if (moved && moved->read + moved->written > 0) {
    add_rate(metric::kMovedBandwidth, metric::kMovedBytes, moved->read + moved->written);
  }
  return expected;
}

}  // namespace lab::metrics
