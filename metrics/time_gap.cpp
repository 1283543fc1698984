#include "metrics/time_gap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

struct Slow {
  const CaseRecord& record;
  const Machine& machine;
  double took_ns = 0;

  [[nodiscard]] double blocks() const { return static_cast<double>(record.launch.grid.count()); }

  /// 0: not known.
  [[nodiscard]] double ceiling(std::string_view name) const {
    for (const Ceiling& one : machine.ceilings) {
      if (one.name == name) return one.value;
    }
    return 0;
  }

  /// Measured; without counters what the model says, else theory.
  [[nodiscard]] std::optional<double> value(std::string_view key) const {
    if (const auto found = measured(record, key)) return found->value;
    const auto modelled = value_of(record, key, SourceOf::kModel);
    return modelled ? modelled : value_of(record, key, SourceOf::kTheory);
  }

  /// Blocks that are on the GPU at once, as the driver said; 0: it did not.
  [[nodiscard]] double places() const {
    return machine.size.sms * record.facts.blocks_per_sm.value_or(0);
  }
};

using Clause = std::optional<std::string>;

std::string count_text(double count) { return number_text(count); }

// Most of the time is that of an empty kernel.
Clause is_launch(const Slow& gap) {
  constexpr double kFewLaunches = 3;
  const double launch = gap.ceiling("launch");
  if (launch <= 0 || gap.took_ns > kFewLaunches * launch) return {};
  return fmt::format("a launch of an empty kernel takes {:.2g} us by itself", launch / 1000);
}

Clause few_blocks(const Slow& gap) {
  const double sms = gap.machine.size.sms;
  if (gap.record.kernel.empty() || sms <= 0 || gap.blocks() >= sms) return {};
  return fmt::format("{} block{} leave{} {} of {} SMs without work", count_text(gap.blocks()),
                     gap.blocks() == 1 ? "" : "s", gap.blocks() == 1 ? "s" : "",
                     count_text(sms - gap.blocks()), count_text(sms));
}

// A block cannot end before its data has come. Where it is there for little longer than a load
// takes, nothing but more loads under way makes the kernel faster: a thread's own, or more threads.
// (Where many are under way, each takes two to three times as long as one alone.)
Clause is_latency(const Slow& gap, double loads) {
  constexpr double kRounds = 2;  // fewer blocks than that tell little of how long one is there
  const double latency = gap.ceiling("dram_latency");
  const double places = gap.places();
  if (latency <= 0 || places <= 0 || gap.blocks() < kRounds * places) return {};
  const double life_ns = gap.took_ns * places / gap.blocks();
  const double cycles = life_ns * gap.ceiling("sm_clock") / 1e3;
  if (cycles > loads * latency) return {};
  return fmt::format(
      "latency: a block is there for {} cycles, and one load from DRAM takes {} of them; more "
      "bytes per thread would be under way at once",
      count_text(std::round(cycles)), count_text(std::round(latency)));
}

Clause is_latency_alone(const Slow& gap) { return is_latency(gap, 4); }
Clause is_mostly_latency(const Slow& gap) { return is_latency(gap, 10); }

// Whether these sectors are at least a quarter of what the kernel asks of global memory.
bool are_many(const Slow& gap, double sectors) {
  constexpr double kPart = 0.25;
  const double loaded = gap.value(metric::kGlobalLoadSectors).value_or(0);
  const double stored = gap.value(metric::kGlobalStoreSectors).value_or(0);
  return sectors > 0 && sectors >= kPart * (loaded + stored);
}

Clause atomics(const Slow& gap) {
  const double sectors = gap.value(metric::kGlobalReductionSectors).value_or(0) +
                         gap.value(metric::kGlobalAtomicSectors).value_or(0);
  if (!are_many(gap, sectors)) return {};
  return "L2 does the atomics on one address one after the other";
}

Clause partly_written(const Slow& gap) {
  const auto efficiency = gap.value(metric::kGlobalStoreEfficiency);
  if (!are_many(gap, gap.value(metric::kGlobalStoreSectors).value_or(0))) return {};
  if (!efficiency || *efficiency > kReached) return {};
  return fmt::format(
      "stores fill {:.2g} of the sectors that they touch: L2 merges each with the rest of its "
      "sector, which it may have to read first",
      *efficiency);
}

struct Direction {
  std::string_view name;
  std::string_view sectors;  ///< of a request
  std::string_view all_sectors;
  std::string_view efficiency;
};
constexpr std::array kDirections = {
    Direction{"load", metric::kGlobalLoadSectorsPerRequest, metric::kGlobalLoadSectors,
              metric::kGlobalLoadEfficiency},
    Direction{"store", metric::kGlobalStoreSectorsPerRequest, metric::kGlobalStoreSectors,
              metric::kGlobalStoreEfficiency},
};

// A request's lines go through the tag stage of L1 one after the other.
Clause spread(const Slow& gap) {
  constexpr double kMany = 8;  // twice what 4 bytes per lane take side by side
  for (const Direction& way : kDirections) {
    const double sectors = gap.value(way.sectors).value_or(0);
    const double efficiency = gap.value(way.efficiency).value_or(1);
    if (sectors < kMany || efficiency > kReached) continue;
    if (!are_many(gap, gap.value(way.all_sectors).value_or(0))) continue;
    return fmt::format("a {} touches {:.3g} sectors, which L1 serves a few at a time", way.name,
                       sectors);
  }
  return {};
}

Clause few_warps(const Slow& gap) {
  constexpr double kHalf = 0.5;
  const auto occupancy = gap.value(metric::kOccupancy);
  if (!occupancy || *occupancy >= kHalf) return {};
  return fmt::format("{:.0f} % of the warps that an SM can hold were there to hide latency",
                     100 * *occupancy);
}

// The SMs that have no block of the last round wait for those that have one.
Clause last_round(const Slow& gap) {
  constexpr double kLonger = 1.1;
  const double places = gap.places();
  if (places <= 0 || gap.blocks() < places) return {};
  const double rounds = gap.blocks() / places;
  if (std::ceil(rounds) < kLonger * rounds) return {};
  return fmt::format("the last of {} rounds of blocks fills {:.0f} % of the GPU",
                     count_text(std::ceil(rounds)), 100 * (rounds - std::floor(rounds)));
}

struct GapRule {
  TimeGap gap;
  Clause (*clause)(const Slow&);
};
// The strongest first: what one leaves out, the next may explain.
constexpr GapRule kRules[] = {
    {TimeGap::kLaunch, is_launch},
    {TimeGap::kFewBlocks, few_blocks},
    {TimeGap::kLatency, is_latency_alone},
    {TimeGap::kAtomics, atomics},
    {TimeGap::kPartlyWritten, partly_written},
    {TimeGap::kSpread, spread},
    {TimeGap::kLatency, is_mostly_latency},
    {TimeGap::kFewWarps, few_warps},
    {TimeGap::kLastRound, last_round},
};

}  // namespace

std::optional<TimeGapCause> time_gap_cause(const CaseRecord& record, double least_ns,
                                           const Machine& machine) {
  if (!record.timing || record.timing->median_ns <= 0) return {};
  const Slow slow{record, machine, record.timing->median_ns};
  if (least_ns >= kReached * slow.took_ns) return {};
  for (const GapRule& rule : kRules) {
    if (Clause clause = rule.clause(slow)) return TimeGapCause{rule.gap, *std::move(clause)};
  }
  return TimeGapCause{
      TimeGap::kUnknown,
      "none of the mechanisms that counts show; lab run --stalls says what its warps wait for"};
}

}  // namespace lab::metrics
