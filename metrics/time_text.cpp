#include "metrics/time_text.h"

#include <fmt/format.h>

#include <array>

#include "harness/core/text.h"
#include "metrics/ceilings.h"

namespace lab::metrics {

namespace {

constexpr double kPercent = 100;

/// What sentences are made from.
struct Told {
  const Demand& demand;
  const Shape& shape;
  const Rates& rates;
};

std::string whole(double value) { return number_text(std::round(value)); }
std::string short_number(double value) {
  return value < 10 ? fmt::format("{:.2g}", value) : whole(value);
}

std::string tell_starts(const Told& t) {
  return fmt::format("each SM starts {} blocks one after the other, one every {} cycles",
                     whole(std::ceil(t.shape.blocks / t.rates.sms)), t.rates.block_start);
}

std::string tell_life(const Told& t) {
  const WarpFacts& warp = t.demand.facts.warp;
  return fmt::format(
      "a warp issues {} instructions and waits {} times for global and {} times for shared memory, "
      "and an SM has room for {} blocks at once",
      whole(warp.instructions), short_number(warp.global_rounds), short_number(warp.shared_rounds),
      whole(t.shape.resident));
}

std::string tell_dram(const Told& t) {
  const TimeCounts& counts = t.demand.counts;
  const double fetched = filled_up(t.demand) * counts.dram_write_bytes;
  std::string text = fmt::format("DRAM moves {} bytes at {} GB/s",
                                 whole(counts.dram_read_bytes + counts.dram_write_bytes + fetched),
                                 whole(t.rates.dram_copy));
  if (fetched > 0) {
    text += fmt::format(", {} of them to fill up sectors that are stored in part", whole(fetched));
  }
  return text;
}

std::string tell_l2_loads(const Told& t) {
  const double of_part = t.demand.facts.hot.loads;
  if (of_part > 0 && l2_load_time(t.demand, t.rates) <= of_part * t.rates.l2_part) {
    return fmt::format("{} loads of lines past L1 are in one part of L2, {} ns each",
                       whole(of_part), short_number(t.rates.l2_part));
  }
  return fmt::format("L2 sends {} sectors at {} GB/s", whole(l2_reads(t.demand, t.rates)),
                     whole(kSectorBytes * t.rates.l2_sectors));
}

std::string tell_l2_stores(const Told& t) {
  const Stores stores = stores_to_l2(t.demand);
  if (stores.whole) return fmt::format("L2 takes {} sectors", whole(stores.sectors));
  const TimeCounts& counts = t.demand.counts;
  return fmt::format(
      "a store touches {} lines and fills its sectors to {} %; L2 takes {} such lines, or {} "
      "sectors, per ns",
      short_number(per(counts.store_lines, counts.store_requests)),
      whole(kPercent * per(counts.store_bytes, kSectorBytes * counts.store_sectors)),
      whole(t.rates.part_lines), whole(t.rates.part_sectors));
}

std::string tell_same_address(const Told& t) {
  const HotFacts& hot = t.demand.facts.hot;
  const double time = same_address_time(hot, t.rates);
  const auto tell = [](double times, std::string_view what, double ns) {
    return fmt::format("{} {}, one after the other, {} ns each", whole(times), what, ns);
  };
  if (time <= hot.float_adds * t.rates.float_add) {
    return tell(hot.float_adds, "atomic operations on one address", t.rates.float_add);
  }
  if (time <= hot.integer_adds * t.rates.integer_add) {
    return tell(hot.integer_adds, "atomic operations in one part of L2", t.rates.integer_add);
  }
  return tell(hot.stores, "stores to one sector", rule::kStoreNs);
}

std::string tell_atomics(const Told& t) {
  return fmt::format("L2 does {} atomic operations, {} per ns",
                     whole(t.demand.counts.atomic_sectors), whole(t.rates.adds));
}

std::string tell_fills(const Told& t) {
  return fmt::format("L1 takes {} sectors from L2, {} per cycle and SM",
                     whole(l2_reads(t.demand, t.rates)), rule::kFillSectors);
}

std::string tell_tags(const Told& t) {
  const TimeCounts& counts = t.demand.counts;
  return fmt::format("L1 looks up {} lines for a load and {} for a store",
                     short_number(per(counts.load_lines, counts.load_requests)),
                     short_number(per(counts.store_lines, counts.store_requests)));
}

std::string tell_data(const Told& t) {
  const TimeCounts& counts = t.demand.counts;
  return fmt::format(
      "L1 passes {} wavefronts of shared memory and {} of global memory, {:.2g} per cycle and SM",
      whole(counts.shared_wavefronts),
      whole(counts.load_lines * t.demand.facts.data_cycles + counts.store_lines),
      t.rates.wavefronts);
}

std::string tell_issue(const Told& t) {
  return fmt::format("{} instructions per warp, {:.2g} per cycle and SM",
                     whole(t.demand.facts.warp.instructions), t.rates.instructions);
}

std::string tell_fp64(const Told& t) {
  return fmt::format("{} instructions per warp in double precision, {} per cycle and SM",
                     whole(t.demand.facts.warp.fp64), t.rates.fp64);
}

std::string tell_special(const Told& t) {
  return fmt::format("{} special functions per warp, {} per cycle and SM",
                     whole(t.demand.facts.warp.special), t.rates.special);
}

std::string tell_launch(const Told& t) {
  return fmt::format(
      "a launch that does nothing takes {:.2g} us between two events, of which {:.2g} us are the "
      "kernel's own time, as Nsight Compute has it",
      t.rates.empty_launch / 1000, rule::kEmptyKernelNs / 1000);
}

// By Term.
constexpr std::array kTellers = {&tell_starts,    &tell_life,         &tell_dram,    &tell_l2_loads,
                                 &tell_l2_stores, &tell_same_address, &tell_atomics, &tell_fills,
                                 &tell_tags,      &tell_data,         &tell_issue,   &tell_fp64,
                                 &tell_special,   &tell_launch};
static_assert(kTellers.size() == kWordsOf<Term>.size(), "a term has no sentence");

}  // namespace

std::string what_takes(Term term, const Demand& demand, const Shape& shape, const Rates& rates) {
  return kTellers.at(static_cast<std::size_t>(term))({demand, shape, rates});
}

}  // namespace lab::metrics
