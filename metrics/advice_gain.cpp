#include "metrics/advice_gain.h"

#include <algorithm>
#include <optional>

#include "harness/core/metric_keys.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

Interval modelled(const CaseRecord& record, std::string_view key) {
  const Observation* found = find_observation(record, key, SourceOf::kModel);
  return found != nullptr && found->has_value() ? interval_of(*found) : Interval{};
}

double by_lines(const CaseRecord& record, std::string_view key) {
  double sum = 0;
  for (const LineObservation& one : record.lines) {
    if (one.source == SourceOf::kModel && one.metric == key) sum += one.value;
  }
  return sum;
}

// The bytes that the stores leave out of the sectors that they touch.
double gaps(const Accesses& stores, double sectors) {
  return std::max(0.0, sectors * kSectorBytes - stores.bytes);
}

double l2_sectors(const Traffic& traffic) {
  const double read = traffic.scattered_loads ? traffic.loads.sectors : traffic.l2_read;
  // A sector that comes in part is read, merged and written. On an H200 12.6, 16.8 and 16.8 million
  // such sectors took 112, 154 and 270 us (labs 2 and 4: update_aos, numbers_one, read_coalesced);
  // twice the rate of reads is 105, 140 and 140 us.
  const double merged = gaps(traffic.stores, traffic.stores.sectors) / kSectorBytes;
  return read + traffic.stores.sectors + merged;
}

// Sectors that DRAM gets: those that come in no order leave L2 with what they have, where there are
// more than it keeps.
double written_sectors(const Traffic& traffic, double l2_bytes) {
  const bool kept = !traffic.scattered_stores || traffic.l2_written * kSectorBytes <= l2_bytes;
  return kept ? traffic.l2_written : traffic.stores.sectors;
}

double dram_read_bytes(const Traffic& traffic, double written, double l2_bytes) {
  const bool kept = !traffic.scattered_loads || traffic.dram_read <= l2_bytes;
  // A sector with gaps is filled up from DRAM: with a stride of 2 half of the bytes are gaps, and
  // all sectors have some.
  const double filled = std::min(2 * gaps(traffic.stores, written), written * kSectorBytes);
  return (kept ? traffic.dram_read : traffic.dram_read_most) + filled;
}

// Where L2's rate was not measured: a sector per SM and clock. An H200 reaches 92 % of that, an
// H100 81 %.
std::optional<double> time_of_l2(double sectors, const Machine& machine) {
  if (const auto measured = l2_ns(sectors, machine.ceilings)) return measured;
  return per_sm_ns(sectors, "shared_wavefronts", machine.size.sms, machine.ceilings);
}

}  // namespace

Traffic traffic_of(const CaseRecord& record) {
  Traffic traffic;
  const auto accesses = [&](std::string_view sectors, std::string_view lines,
                            std::string_view bytes) {
    return Accesses{by_lines(record, sectors), by_lines(record, lines), by_lines(record, bytes)};
  };
  traffic.loads =
      accesses(metric::kGlobalLoadSectors, metric::kGlobalLoadLines, metric::kGlobalLoadBytes);
  traffic.stores =
      accesses(metric::kGlobalStoreSectors, metric::kGlobalStoreLines, metric::kGlobalStoreBytes);
  traffic.l2_read = modelled(record, metric::kL2ReadSectors).low;
  traffic.l2_written = modelled(record, metric::kL2WriteSectors).low;
  const Interval read = modelled(record, metric::kDramReadBytes);
  traffic.dram_read = read.low;
  traffic.dram_read_most = read.high;
  for (const std::string_view key : {metric::kSharedLoadWavefronts, metric::kSharedStoreWavefronts,
                                     metric::kSharedAtomicWavefronts}) {
    traffic.shared_wavefronts += modelled(record, key).low;
  }
  traffic.instructions = modelled(record, metric::kInstructions).low;
  return traffic;
}

Traffic with_loads(Traffic traffic, double sectors_saved, double lines_saved) {
  Accesses& loads = traffic.loads;
  loads.sectors -= sectors_saved;
  loads.lines -= lines_saved;
  traffic.l2_read = std::min(traffic.l2_read, loads.sectors);
  // DRAM reads no more than is loaded: data asked for again came from a cache before, too.
  traffic.dram_read = std::min(traffic.dram_read, loads.sectors * kSectorBytes);
  return traffic;
}

Traffic with_stores(Traffic traffic, double sectors_saved, double lines_saved) {
  Accesses& stores = traffic.stores;
  stores.sectors -= sectors_saved;
  stores.lines -= lines_saved;
  traffic.l2_written = std::min(traffic.l2_written, stores.sectors);
  return traffic;
}

std::vector<Use> expected_uses(const Traffic& traffic, const Machine& machine) {
  std::vector<Use> uses;
  const auto add = [&](Resource resource, const std::optional<double>& ns) {
    if (ns) uses.push_back({resource, *ns});
  };
  const auto per_sm = [&](double count, std::string_view ceiling) {
    return per_sm_ns(count, ceiling, machine.size.sms, machine.ceilings);
  };
  const double written = written_sectors(traffic, machine.size.l2_bytes);
  add(Resource::kDram, dram_ns(dram_read_bytes(traffic, written, machine.size.l2_bytes),
                               written * kSectorBytes, machine.ceilings));
  add(Resource::kL2, time_of_l2(l2_sectors(traffic), machine));
  add(Resource::kL1, per_sm(traffic.shared_wavefronts + traffic.loads.lines + traffic.stores.lines,
                            "shared_wavefronts"));
  add(Resource::kIssue, per_sm(traffic.instructions, "instructions"));
  std::stable_sort(uses.begin(), uses.end(),
                   [](const Use& a, const Use& b) { return a.least_ns > b.least_ns; });
  return uses;
}

double most_of_measured(double measured_ns, const std::vector<Use>& before,
                        const std::vector<Use>& after) {
  double saved = 0;
  for (const Use& was : before) {
    for (const Use& is : after) {
      if (is.resource == was.resource) saved = std::max(saved, was.least_ns - is.least_ns);
    }
  }
  return std::max(0.0, std::min(saved, measured_ns - after.front().least_ns) / measured_ns);
}

}  // namespace lab::metrics
