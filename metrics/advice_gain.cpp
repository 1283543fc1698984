#include "metrics/advice_gain.h"

#include <algorithm>
#include <cmath>

#include "metrics/ceilings.h"

namespace lab::metrics {
namespace {

// A launch of so many rounds of blocks shows what its blocks take.
constexpr double kFillingRounds = 4;
// Many launches in one are of so many.
constexpr double kManyRounds = 32;

double times_to_fill(const Shape& shape, const Rates& rates) {
  const double places = rates.sms * shape.resident;
  if (shape.blocks >= kFillingRounds * places) return 1;
  return std::ceil(kManyRounds * places / shape.blocks);
}

// Bytes of the sectors that the stores touch which they leave out.
double gaps(const TimeCounts& counts) {
  return std::max(0.0, kSectorBytes * counts.store_sectors - counts.store_bytes);
}

// Of the sectors that were stored in part, `left` still are; the others fill their lines.
void fill_sectors(double left, StoreFacts& stores) {
  constexpr double kLineSectors = 4;
  constexpr double kSome = 0.01;
  stores.partly *= left;
  stores.filled *= left;
  stores.empty_bytes *= left;
  if (stores.lines > 0) {
    const double of_line = stores.sectors / stores.lines;
    stores.lines = stores.sectors / (kLineSectors - (kLineSectors - of_line) * left);
  }
  if (left < kSome) stores.sent_sectors = 0;  // none is left that others could complete
}

}  // namespace

KernelTime FullLaunch::time() const {
  KernelTime one = launched.time();
  one.ns /= times;
  for (TermTime& term : one.terms) term.ns /= times;
  return one;
}

std::optional<FullLaunch> full_launch_of(const CaseRecord& record, const Machine& machine) {
  const auto launched = launched_on(record, machine);
  if (!launched) return {};
  FullLaunch full{*launched, times_to_fill(launched->shape, launched->rates)};
  full.launched.counts *= full.times;
  full.launched.shape.blocks *= full.times;
  HotFacts& hot = full.launched.facts.hot;
  for (double HotFacts::*one :
       {&HotFacts::float_adds, &HotFacts::integer_adds, &HotFacts::stores, &HotFacts::loads}) {
    hot.*one *= full.times;
  }
  return full;
}

FullLaunch with_loads(FullLaunch launch, const Saved& saved) {
  TimeCounts& counts = launch.launched.counts;
  counts.load_sectors -= saved.sectors * launch.times;
  counts.load_lines -= saved.lines * launch.times;
  counts.l2_read_sectors = std::min(counts.l2_read_sectors, counts.load_sectors);
  // DRAM reads no more than is loaded: data asked for again came from a cache before, too.
  counts.dram_read_bytes = std::min(counts.dram_read_bytes, kSectorBytes * counts.load_sectors);
  return launch;
}

FullLaunch with_stores(FullLaunch launch, const Saved& saved) {
  TimeCounts& counts = launch.launched.counts;
  const double before = gaps(counts);
  counts.store_sectors -= saved.sectors * launch.times;
  counts.store_lines -= saved.lines * launch.times;
  counts.dram_write_bytes = std::min(counts.dram_write_bytes, kSectorBytes * counts.store_sectors);
  if (before > 0) fill_sectors(gaps(counts) / before, launch.launched.facts.stores);
  return launch;
}

FullLaunch with_additions(FullLaunch launch, double share) {
  HotFacts& hot = launch.launched.facts.hot;
  hot.float_adds *= 1 - share;
  hot.integer_adds *= 1 - share;
  TimeCounts& counts = launch.launched.counts;
  counts.atomic_sectors *= 1 - share;
  counts.result_sectors *= 1 - share;
  return launch;
}

FullLaunch with_wavefronts(FullLaunch launch, double saved) {
  launch.launched.counts.shared_wavefronts -= saved * launch.times;
  return launch;
}

double most_of_measured(double measured_ns, const KernelTime& before, const KernelTime& after) {
  double saved = 0;
  for (const TermTime& was : before.terms) {
    for (const TermTime& now : after.terms) {
      if (now.term == was.term) saved = std::max(saved, was.ns - now.ns);
    }
  }
  return std::max(0.0, std::min(saved, measured_ns - after.ns) / measured_ns);
}

}  // namespace lab::metrics
