#include "metrics/time_terms.h"

#include "metrics/ceilings.h"

namespace lab::metrics {

namespace {

// Shares next to 1 and 0 are of edges.
constexpr double kNearlyAll = 0.99;

double lines_of(const StoreFacts& stores) {
  return stores.lines > 0 ? stores.sectors / stores.lines : kLineBytes / kSectorBytes;
}

// A line has its place in L2 even where loads use a part of it.
double footprint(const TimeCounts& counts) {
  const double bytes = counts.dram_read_bytes + counts.dram_write_bytes;
  constexpr double kSparse = 0.75;
  if (kSectorBytes * counts.l2_read_sectors >= kSparse * counts.dram_read_bytes) return bytes;
  const double lines =
      counts.l2_read_sectors * counts.load_lines / std::max(1.0, counts.load_sectors);
  return bytes + std::max(0.0, kLineBytes * lines - counts.dram_read_bytes);
}

}  // namespace

double filled_up(const Demand& demand) {
  const StoreFacts& stores = demand.facts.stores;
  const double written = demand.counts.dram_write_bytes;
  if (stores.filled <= 0 || stores.empty_bytes <= 0 || written <= 0) return 0;
  const double often = stores.stored_bytes / stores.distinct_bytes;
  const double full = std::min(1.0, demand.counts.store_bytes / often / written);
  if (full > kNearlyAll) return 0;
  const double empty = stores.empty_bytes / stores.partly / kSectorBytes;
  return std::min(1.0, (1 - full) / empty) * stores.filled / stores.partly;
}

double l2_reads(const Demand& demand, const Rates& rates) {
  const TimeCounts& counts = demand.counts;
  const double distinct = counts.dram_read_bytes / kSectorBytes;
  double kept = counts.l2_read_sectors;
  if (distinct > 0) {
    const double once = std::min(kept, rates.sms * distinct);
    const double lost = 1 - std::min(1.0, rule::kL1Bytes / counts.dram_read_bytes);
    kept = once + (kept - once) * lost;
  }
  const double past = demand.facts.past_l1;
  return past * counts.load_sectors + (1 - past) * kept;
}

// What fits in L2 is there from the launch before; what is larger evicts itself.
double dram_time(const Demand& demand, const Rates& rates) {
  if (footprint(demand.counts) <= rates.kept * rates.l2_bytes) return 0;
  const double written = demand.counts.dram_write_bytes;
  const double part = filled_up(demand);
  const double read = demand.counts.dram_read_bytes + part * written;
  const double both = std::min(read, written);
  const double bytes = 2 * both / rates.dram_copy + (read - both) / rates.dram_read +
                       (written - both) / rates.dram_write;
  const double sectors = lines_of(demand.facts.stores);
  if (part <= 0 && sectors >= kNearlyAll * kLineBytes / kSectorBytes) return bytes;
  const double lines = written / kSectorBytes / sectors;
  return overlapped({bytes, lines / rates.dirty_lines});
}

double l2_load_time(const Demand& demand, const Rates& rates) {
  const TimeCounts& counts = demand.counts;
  const double sectors = l2_reads(demand, rates);
  const double in_line = std::max(1.0, counts.load_sectors / std::max(1.0, counts.load_lines));
  return std::max({sectors / rates.l2_sectors, sectors / in_line / rates.load_lines,
                   demand.facts.hot.loads * rates.l2_part});
}

Stores stores_to_l2(const Demand& demand) {
  const StoreFacts& facts = demand.facts.stores;
  const TimeCounts& counts = demand.counts;
  Stores stores{counts.store_lines, counts.store_sectors,
                counts.store_bytes >= kNearlyAll * kSectorBytes * counts.store_sectors};
  constexpr double kMerged = 0.9;
  if (facts.sent_sectors <= 0 || facts.merged_sectors >= kMerged * facts.sent_sectors) {
    return stores;
  }
  stores.lines *= facts.merged_lines / facts.sent_lines;
  stores.sectors *= facts.merged_sectors / facts.sent_sectors;
  stores.whole = facts.merged_whole >= kNearlyAll * facts.merged_sectors;
  return stores;
}

double l2_store_time(const Demand& demand, const Rates& rates) {
  const Stores stores = stores_to_l2(demand);
  const double whole = stores.sectors / rates.l2_sectors;
  if (stores.whole) return whole;
  return std::max({whole, stores.lines / rates.part_lines, stores.sectors / rates.part_sectors});
}

double same_address_time(const HotFacts& hot, const Rates& rates) {
  return std::max({hot.float_adds * rates.float_add, hot.integer_adds * rates.integer_add,
                   hot.stores * rule::kStoreNs});
}

}  // namespace lab::metrics
