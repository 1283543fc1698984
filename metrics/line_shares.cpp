#include "metrics/line_shares.h"

#include <algorithm>
#include <string_view>

#include "harness/core/metric_keys.h"

namespace lab::metrics {
namespace {

/// The counts that waits are reckoned by, of a line or of all of them.
struct Weights {
  double instructions = 0;
  double load_requests = 0;
  double load_lines = 0;
  double load_sectors = 0;
  double store_requests = 0;
  double store_lines = 0;
  double store_sectors = 0;
  double store_bytes = 0;
  double atomic_sectors = 0;
  double shared_requests = 0;
  double wavefronts = 0;
};

struct Row {
  std::string_view metric;
  double Weights::*count;
};
constexpr Row kRows[] = {
    {metric::kInstructions, &Weights::instructions},
    {metric::kGlobalLoadRequests, &Weights::load_requests},
    {metric::kGlobalLoadLines, &Weights::load_lines},
    {metric::kGlobalLoadSectors, &Weights::load_sectors},
    {metric::kGlobalStoreRequests, &Weights::store_requests},
    {metric::kGlobalStoreLines, &Weights::store_lines},
    {metric::kGlobalStoreSectors, &Weights::store_sectors},
    {metric::kGlobalStoreBytes, &Weights::store_bytes},
    {metric::kGlobalAtomicSectors, &Weights::atomic_sectors},
    {metric::kGlobalReductionSectors, &Weights::atomic_sectors},
    {metric::kSharedLoadRequests, &Weights::shared_requests},
    {metric::kSharedAtomicRequests, &Weights::shared_requests},
    {metric::kSharedLoadWavefronts, &Weights::wavefronts},
    {metric::kSharedStoreWavefronts, &Weights::wavefronts},
    {metric::kSharedAtomicWavefronts, &Weights::wavefronts},
};

Weights counted(const std::vector<LineObservation>& all) {
  Weights sum;
  for (const LineObservation& one : all) {
    if (one.source != SourceOf::kModel) continue;
    for (const Row& row : kRows) {
      if (row.metric == one.metric) sum.*row.count += one.value;
    }
  }
  return sum;
}

/// A number of the launch, and the count that it is parted by.
template <typename Of>
struct Shared {
  double Of::*number;
  double Weights::*by;
};
constexpr Shared<TimeCounts> kCounts[] = {
    {&TimeCounts::dram_read_bytes, &Weights::load_sectors},
    {&TimeCounts::dram_write_bytes, &Weights::store_sectors},
    {&TimeCounts::l2_read_sectors, &Weights::load_sectors},
    {&TimeCounts::load_requests, &Weights::load_requests},
    {&TimeCounts::load_lines, &Weights::load_lines},
    {&TimeCounts::load_sectors, &Weights::load_sectors},
    {&TimeCounts::store_requests, &Weights::store_requests},
    {&TimeCounts::store_bytes, &Weights::store_bytes},
    {&TimeCounts::store_lines, &Weights::store_lines},
    {&TimeCounts::store_sectors, &Weights::store_sectors},
    {&TimeCounts::atomic_sectors, &Weights::atomic_sectors},
    {&TimeCounts::shared_wavefronts, &Weights::wavefronts},
};
constexpr Shared<WarpFacts> kWaits[] = {
    {&WarpFacts::instructions, &Weights::instructions},
    {&WarpFacts::issue_cycles, &Weights::instructions},
    {&WarpFacts::other_cycles, &Weights::instructions},
    {&WarpFacts::barriers, &Weights::instructions},
    {&WarpFacts::fp64, &Weights::instructions},
    {&WarpFacts::special, &Weights::instructions},
    {&WarpFacts::global_rounds, &Weights::load_requests},
    {&WarpFacts::global_hidden, &Weights::load_requests},
    {&WarpFacts::shared_rounds, &Weights::shared_requests},
    {&WarpFacts::shared_hidden, &Weights::shared_requests},
};
constexpr Shared<HotFacts> kHot[] = {
    {&HotFacts::float_adds, &Weights::atomic_sectors},
    {&HotFacts::integer_adds, &Weights::atomic_sectors},
    {&HotFacts::stores, &Weights::store_requests},
    {&HotFacts::loads, &Weights::load_requests},
};

template <typename Of, std::size_t N>
void take(const Shared<Of> (&parts)[N], const Weights& line, const Weights& all, Of& from) {
  for (const Shared<Of>& part : parts) {
    const double whole = all.*part.by;
    if (whole > 0) from.*part.number *= std::max(0.0, 1 - line.*part.by / whole);
  }
}

double time_without(Launched launched, const Weights& line, const Weights& all) {
  take(kCounts, line, all, launched.counts);
  take(kWaits, line, all, launched.facts.warp);
  take(kHot, line, all, launched.facts.hot);
  return launched.time().ns;
}

}  // namespace

std::optional<TimeShares> time_shares(const Launched& launched, const LinesCounts& lines) {
  std::vector<LineObservation> everything;
  for (const auto& [number, counts] : lines) {
    everything.insert(everything.end(), counts.begin(), counts.end());
  }
  const Weights all = counted(everything);
  const double whole = launched.time().ns;
  const double rest = time_without(launched, all, all);
  TimeShares shares;
  double sum = 0;
  for (const auto& [number, counts] : lines) {
    const double saved = std::max(0.0, whole - time_without(launched, counted(counts), all));
    shares.lines[number] = saved;
    sum += saved;
  }
  if (whole <= 0 || sum <= 0) return {};
  shares.rest = rest / whole;
  for (auto& [number, share] : shares.lines) share *= (1 - shares.rest) / sum;
  return shares;
}

}  // namespace lab::metrics
