#include "metrics/change.h"

#include <algorithm>
#include <array>
#include <vector>

#include "harness/core/metric_keys.h"
#include "metrics/catalogue.h"
#include "metrics/values.h"

namespace lab::metrics {

namespace {

// Of shares and rates more is better.
constexpr std::array<std::string_view, 4> kMore = {"efficiency", "hit_rate", "occupancy",
                                                   "bandwidth"};
// Resources that a kernel takes or is given are not a cost by themselves; hits say nothing without
// the requests that they are of.
constexpr std::array<std::string_view, 7> kNeither = {
    metric::kRegistersPerThread,  metric::kSharedBytesPerBlock, metric::kL1Carveout,
    metric::kL1LoadHitSectors,    metric::kL2HitSectors,        metric::kNeededBytes,
    metric::kDramMeanChannelBytes};

}  // namespace

Aim aim_of(std::string_view key) {
  if (find(key) == nullptr) return Aim::kNeither;
  if (std::find(kNeither.begin(), kNeither.end(), key) != kNeither.end()) return Aim::kNeither;
  const bool more = std::any_of(kMore.begin(), kMore.end(), [&](std::string_view word) {
    return key.find(word) != std::string_view::npos;
  });
  return more ? Aim::kMore : Aim::kLess;
}

std::string_view name_of(Change change) {
  switch (change) {
    case Change::kSame:
      return "same";
    case Change::kBetter:
      return "better";
    case Change::kWorse:
      return "worse";
    case Change::kDiffers:
      return "differs";
    case Change::kUnclear:
      break;
  }
  return "unclear";
}

Change change_of(Aim aim, const Sampled& before, const Sampled& after) {
  if (before.value == after.value) return Change::kSame;
  if (before.low <= after.high && after.low <= before.high) return Change::kUnclear;
  if (aim == Aim::kNeither) return Change::kDiffers;
  return (after.value < before.value) == (aim == Aim::kLess) ? Change::kBetter : Change::kWorse;
}

std::optional<Sampled> sampled_of(const CaseRecord& record, std::string_view key) {
  for (const Verdict& verdict : record.verdicts) {
    if (verdict.metric != key || !verdict.measured) continue;
    Sampled sampled{*verdict.measured, *verdict.measured, *verdict.measured, true};
    const Observation* from =
        find_observation(record, key, verdict.measured_source.value_or(SourceOf::kCupti));
    if (from != nullptr) {
      sampled.low = std::min(sampled.low, from->min.value_or(sampled.low));
      sampled.high = std::max(sampled.high, from->max.value_or(sampled.high));
    }
    return sampled;
  }
  const auto model = value_of(record, key, SourceOf::kModel);
  if (!model) return {};
  return Sampled{*model, *model, *model, false};
}

std::optional<Sampled> sampled_time(const CaseRecord& record) {
  if (!record.timing) return {};
  const Timing& timing = *record.timing;
  constexpr std::size_t kFewest = 4;
  Sampled sampled{timing.median_ns, timing.min_ns, timing.max_ns, true};
  if (timing.samples_ns.size() < kFewest) return sampled;
  std::vector<double> sorted = timing.samples_ns;
  std::sort(sorted.begin(), sorted.end());
  sampled.low = sorted[sorted.size() / 4];
  sampled.high = sorted[sorted.size() - 1 - sorted.size() / 4];
  return sampled;
}

}  // namespace lab::metrics
