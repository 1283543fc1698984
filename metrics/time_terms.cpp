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

double kept_bytes(const Rates& rates) { return rates.kept * rates.l2_bytes; }

// The lanes of a load lie further apart, all in all, than L2 keeps: what one brings is gone before
// another asks for its neighbour.
bool roams(const Demand& demand, const Rates& rates) {
  constexpr double kLanes = 32;
  return demand.facts.line_gap * kLineBytes * kLanes >= kept_bytes(rates) &&
         lines_of_load(demand.counts) >= 2;
}

// Bytes of sectors that L2 asks DRAM for again: of loads that roam over more than it keeps, as many
// as it lacks. DRAM sends two sectors for one.
double fetched_again(const Demand& demand, const Rates& rates) {
  const TimeCounts& counts = demand.counts;
  const double kept = kept_bytes(rates);
  const double all = footprint(counts);
  if (all <= kept || !roams(demand, rates)) return 0;
  const double again =
      std::max(0.0, kSectorBytes * counts.l2_read_sectors - counts.dram_read_bytes);
  return 2 * again * (1 - kept / all);
}

// By how much DRAM takes longer for what loads bring.
double scattered(const Demand& demand, const Rates& rates) {
  constexpr double kPieces = 2.5;  // sectors of a line
  const TimeCounts& counts = demand.counts;
  if (!roams(demand, rates)) return 1;
  if (per(counts.load_sectors, counts.load_lines) >= kPieces) return 1;
  return 1 + rule::kScattered * (1 - 1 / lines_of_load(counts));
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

bool is_pushed_out(const Demand& demand, const Rates& rates) {
  return demand.facts.restored_bytes + demand.facts.copied_bytes > rates.l2_bytes;
}

double lines_of_load(const TimeCounts& counts) {
  return std::max(1.0, per(counts.load_lines, counts.load_requests));
}

double fresh_part(const Demand& demand, const Rates& rates) {
  const TimeCounts& counts = demand.counts;
  const double touched = counts.dram_read_bytes + counts.dram_write_bytes;
  if (demand.facts.restored_bytes < kNearlyAll * touched || is_pushed_out(demand, rates)) return 0;
  return std::min(1.0, per(counts.dram_read_bytes / kSectorBytes, counts.l2_read_sectors));
}

// What fits in L2 is there from the launch before, or from what was put back since; what is larger
// evicts itself.
double dram_time(const Demand& demand, const Rates& rates) {
  const TimeCounts& counts = demand.counts;
  const bool fits = footprint(counts) <= kept_bytes(rates);
  if (fits && !is_pushed_out(demand, rates)) return 0;
  const double part = filled_up(demand);
  const double read =
      (counts.dram_read_bytes + part * counts.dram_write_bytes + fetched_again(demand, rates)) *
      scattered(demand, rates);
  const double left = rule::kDirtyOfL2 * rates.l2_bytes;
  const double dirty = std::max(
      0.0, std::min(demand.facts.restored_bytes, left) - std::min(counts.dram_write_bytes, left));
  const double written = dirty + (fits ? 0 : counts.dram_write_bytes);
  const double both = std::min(read, written);
  const double bytes = 2 * both / rates.dram_copy + (read - both) / rates.dram_read +
                       (written - both) / rates.dram_write;
  const double sectors = lines_of(demand.facts.stores);
  if (fits || (part <= 0 && sectors >= kNearlyAll * kLineBytes / kSectorBytes)) return bytes;
  const double lines = counts.dram_write_bytes / kSectorBytes / sectors;
  return overlapped({bytes, lines / rates.dirty_lines});
}

double l2_load_time(const Demand& demand, const Rates& rates) {
  const TimeCounts& counts = demand.counts;
  const double sectors = l2_reads(demand, rates);
  const double in_line = std::max(1.0, counts.load_sectors / std::max(1.0, counts.load_lines));
  const double lines = rates.load_lines * (1 + (rule::kAtRandom - 1) * (1 - demand.facts.past_l1));
  return std::max({sectors / rates.l2_sectors, sectors / in_line / lines,
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
