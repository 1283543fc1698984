#include "metrics/line_shares.h"

#include <algorithm>
#include <string_view>

#include "harness/core/metric_keys.h"

namespace lab::metrics {
namespace {

/// What a line, or all of them, have of the counts that waits are reckoned by.
struct Counted {
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
  double Counted::*count;
};
constexpr Row kRows[] = {
    {metric::kInstructions, &Counted::instructions},
    {metric::kGlobalLoadRequests, &Counted::load_requests},
    {metric::kGlobalLoadLines, &Counted::load_lines},
    {metric::kGlobalLoadSectors, &Counted::load_sectors},
    {metric::kGlobalStoreRequests, &Counted::store_requests},
    {metric::kGlobalStoreLines, &Counted::store_lines},
    {metric::kGlobalStoreSectors, &Counted::store_sectors},
    {metric::kGlobalStoreBytes, &Counted::store_bytes},
    {metric::kGlobalAtomicSectors, &Counted::atomic_sectors},
    {metric::kGlobalReductionSectors, &Counted::atomic_sectors},
    {metric::kSharedLoadRequests, &Counted::shared_requests},
    {metric::kSharedAtomicRequests, &Counted::shared_requests},
    {metric::kSharedLoadWavefronts, &Counted::wavefronts},
    {metric::kSharedStoreWavefronts, &Counted::wavefronts},
    {metric::kSharedAtomicWavefronts, &Counted::wavefronts},
};

Counted counted(const std::vector<LineObservation>& all) {
  Counted sum;
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
  double Counted::*by;
};
constexpr Shared<TimeCounts> kCounts[] = {
    {&TimeCounts::dram_read_bytes, &Counted::load_sectors},
    {&TimeCounts::dram_write_bytes, &Counted::store_sectors},
    {&TimeCounts::l2_read_sectors, &Counted::load_sectors},
    {&TimeCounts::load_requests, &Counted::load_requests},
    {&TimeCounts::load_lines, &Counted::load_lines},
    {&TimeCounts::load_sectors, &Counted::load_sectors},
    {&TimeCounts::store_requests, &Counted::store_requests},
    {&TimeCounts::store_bytes, &Counted::store_bytes},
    {&TimeCounts::store_lines, &Counted::store_lines},
    {&TimeCounts::store_sectors, &Counted::store_sectors},
    {&TimeCounts::atomic_sectors, &Counted::atomic_sectors},
    {&TimeCounts::shared_wavefronts, &Counted::wavefronts},
};
constexpr Shared<WarpFacts> kWaits[] = {
    {&WarpFacts::instructions, &Counted::instructions},
    {&WarpFacts::issue_cycles, &Counted::instructions},
    {&WarpFacts::other_cycles, &Counted::instructions},
    {&WarpFacts::barriers, &Counted::instructions},
    {&WarpFacts::fp64, &Counted::instructions},
    {&WarpFacts::special, &Counted::instructions},
    {&WarpFacts::global_rounds, &Counted::load_requests},
    {&WarpFacts::global_hidden, &Counted::load_requests},
    {&WarpFacts::shared_rounds, &Counted::shared_requests},
    {&WarpFacts::shared_hidden, &Counted::shared_requests},
};
constexpr Shared<HotFacts> kHot[] = {
    {&HotFacts::float_adds, &Counted::atomic_sectors},
    {&HotFacts::integer_adds, &Counted::atomic_sectors},
    {&HotFacts::stores, &Counted::store_requests},
    {&HotFacts::loads, &Counted::load_requests},
};

template <typename Of, std::size_t N>
void take(const Shared<Of> (&parts)[N], const Counted& line, const Counted& all, Of& from) {
  for (const Shared<Of>& part : parts) {
    const double whole = all.*part.by;
    if (whole > 0) from.*part.number *= std::max(0.0, 1 - line.*part.by / whole);
  }
}

double time_without(Launched launched, const Counted& line, const Counted& all) {
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
  const Counted all = counted(everything);
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
