#include "metrics/kernel_time.h"

#include <algorithm>
#include <cmath>

#include "harness/core/chip.h"
#include "harness/core/metric_keys.h"
#include "metrics/ceilings.h"
#include "metrics/time_rules.h"
#include "metrics/time_terms.h"
#include "metrics/values.h"

namespace lab::metrics {

namespace {

double ceiling_or(const Machine& machine, std::string_view name, double fallback) {
  for (const Ceiling& one : machine.ceilings) {
    if (one.name == name && one.value > 0) return one.value;
  }
  return fallback;
}

constexpr double kPerNs = 1e-9;

/// What a rate grows with from one GPU to the next, where nobody measured it.
enum class With : std::uint8_t {
  kNothing,  ///< cycles, or per SM and cycle
  kClock,    ///< ns that are cycles of L2
  kL2,   ///< L2's rate of reads where it was measured, else SMs and clock: slices come with both
  kBus,  ///< the memory's width
};

double scale_of(With with, const Rates& rates) {
  const double clock = rule::kClockNs / rates.cycle_ns;
  switch (with) {
    case With::kNothing:
      return 1;
    case With::kClock:
      return 1 / clock;
    case With::kL2:
      if (rates.l2_sectors > 0) return rates.l2_sectors / rule::kL2Sectors;
      return clock * rates.sms / rule::kSms;
    case With::kBus:
      return rates.bus_words;
  }
  return 1;
}

/// A ceiling as the rate that rules reckon with. The unit is what one of the ceiling's is of it.
struct RateRow {
  std::string_view ceiling;
  double Rates::*rate;
  double unit;
  double instead;  ///< an H200's, per what it grows with
  With with;
};
constexpr RateRow kRateRows[] = {
    {"l2_read", &Rates::l2_sectors, kPerNs / kSectorBytes, rule::kL2Sectors, With::kL2},
    {"shared_wavefronts", &Rates::wavefronts, 1, 1, With::kNothing},
    {"instructions", &Rates::instructions, 1, 4, With::kNothing},
    {"shared_latency", &Rates::shared_latency, 1, rule::kSharedLatency, With::kNothing},
    {"l1_latency", &Rates::l1_latency, 1, rule::kL1Latency, With::kNothing},
    {"l2_latency", &Rates::l2_latency, 1, rule::kL2Latency, With::kNothing},
    {"dram_latency", &Rates::dram_latency, 1, rule::kDramLatency, With::kNothing},
    {"empty_launch", &Rates::empty_launch, 1, rule::kEmptyLaunchNs, With::kNothing},
    {"block_start", &Rates::block_start, 1, rule::kBlockStart, With::kNothing},
    {"block_life", &Rates::block_life, 1, rule::kBlockLife, With::kNothing},
    {"barrier", &Rates::barrier, 1, rule::kBarrier, With::kNothing},
    {"l2_lines", &Rates::load_lines, kPerNs, rule::kLoadLines, With::kL2},
    {"part_lines", &Rates::part_lines, kPerNs, rule::kPartLines, With::kL2},
    {"part_sectors", &Rates::part_sectors, kPerNs, rule::kPartSectors, With::kL2},
    {"dirty_lines", &Rates::dirty_lines, kPerNs, 1 / rule::kDirtyLineNs, With::kBus},
    {"adds", &Rates::adds, kPerNs, rule::kAtomics, With::kL2},
    {"add_float_one", &Rates::float_add, 1, rule::kFloatAddNs, With::kClock},
    {"add_integer_one", &Rates::integer_add, 1, rule::kIntegerAddNs, With::kClock},
    {"l2_part", &Rates::l2_part, 1, rule::kPartNs, With::kClock},
    {"l2_kept", &Rates::kept, 1, rule::kKept, With::kNothing},
    {"doubles", &Rates::fp64, 1, rule::kFp64OfOthers, With::kNothing},
    {"special", &Rates::special, 1, rule::kSpecial, With::kNothing},
};

double fp64_rate(std::string_view arch) {
  if (arch.empty()) return rule::kFp64[1].rate;
  for (const rule::Fp64Rate& one : rule::kFp64) {
    if (plain_arch(arch) == one.arch) return one.rate;
  }
  return rule::kFp64OfOthers;
}

/// A launch on the SM that gets most of its blocks.
struct Fullest {
  double blocks = 0;
  double places = 0;  ///< blocks that are there at once
  double rounds = 0;  ///< how often its places are filled
  double share = 0;   ///< of the launch's counts
};

Fullest fullest(const Shape& shape, const Rates& rates) {
  Fullest one;
  one.blocks = std::ceil(shape.blocks / rates.sms);
  const double room = std::max(1.0, shape.resident);
  one.places = std::min(one.blocks, room);
  one.rounds = std::ceil(one.blocks / room);
  one.share = one.blocks / shape.blocks;
  return one;
}

/// Times of the whole launch, but for those of one block.
struct Parts {
  double dram = 0;
  double l2_loads = 0;
  double l2_stores = 0;
  double l2_data = 0;  ///< of what loads bring and stores take away
  double same_address = 0;
  double atomics = 0;
  double fills = 0;
  double tags = 0;
  double data = 0;
  double issue = 0;
  double fp64 = 0;
  double special = 0;
  // Of one block: until the next can start, its start and end, until its loads from global memory
  // are there, and the rest.
  double start = 0;
  double begin = 0;
  double far = 0;
  double near = 0;

  [[nodiscard]] double outside() const {
    return overlapped({dram, std::max(l2_data, l2_stores), same_address, atomics, fills});
  }
  /// What a block that loads waits for: nobody waits for stores.
  [[nodiscard]] double answers() const {
    return overlapped({dram, l2_loads, same_address, atomics, fills});
  }
  [[nodiscard]] double l1() const { return std::max(tags, data); }
  [[nodiscard]] double units() const { return std::max({issue, fp64, special}); }
  [[nodiscard]] double life() const { return begin + far + near; }
};

// Where a warp's loads find their data.
double load_latency(const Demand& demand, const Shape& shape, const Rates& rates, double rounds) {
  const TimeCounts& counts = demand.counts;
  const double asked = demand.facts.warp.global_rounds * shape.blocks * shape.warps;
  const bool fits = counts.dram_read_bytes <= rule::kL1Bytes && rounds > 1;
  const bool again = asked > 2 * counts.l2_read_sectors;
  if (demand.facts.past_l1 < 0.5 && (fits || again)) return rates.l1_latency;
  // Of what many SMs read, the first brings it for the others.
  const bool once = kSectorBytes * counts.l2_read_sectors <= 4 * counts.dram_read_bytes;
  const bool from_dram = dram_time(demand, rates) > 0 && once;
  constexpr double kOtherPlace = 16;  // lines apart
  const bool apart = from_dram && demand.facts.line_gap >= kOtherPlace;
  const double slowest =
      1 + (apart ? rule::kSlowestPlace : rule::kSlowestLine) * (1 - 1 / lines_of_load(counts));
  if (from_dram) return slowest * rates.dram_latency;
  return slowest * rates.l2_latency + rule::kFreshCycles * fresh_part(demand, rates);
}

void add_sm(const Demand& demand, const Shape& shape, const Rates& rates, Parts& parts) {
  const TimeCounts& counts = demand.counts;
  const KernelFacts& facts = demand.facts;
  const Fullest sm = fullest(shape, rates);
  const double cycles = sm.share * rates.cycle_ns;
  const double warps = shape.blocks * shape.warps;
  const double stored = rule::kStoredLine * counts.store_lines;
  const double loaded = counts.load_lines * facts.data_cycles;
  parts.tags = (counts.load_lines * facts.tag_cycles + stored) * cycles;
  parts.fills = l2_reads(demand, rates) / rule::kFillSectors * cycles;
  parts.data = (counts.shared_wavefronts + loaded + counts.store_lines) * cycles / rates.wavefronts;
  parts.issue = facts.warp.instructions * warps * cycles / rates.instructions;
  parts.fp64 = facts.warp.fp64 * warps * cycles / rates.fp64;
  parts.special = facts.warp.special * warps * cycles / rates.special;
}

void add_block(const Demand& demand, const Shape& shape, const Rates& rates, Parts& parts) {
  const WarpFacts& warp = demand.facts.warp;
  const TimeCounts& counts = demand.counts;
  const double per_cycle = std::max(demand.facts.tag_cycles, demand.facts.data_cycles);
  const double own = (counts.load_lines * per_cycle + rule::kStoredLine * counts.store_lines) /
                     (shape.blocks * shape.warps);
  const double latency = load_latency(demand, shape, rates, fullest(shape, rates).rounds);
  const double far = std::max(0.0, warp.global_rounds * latency - warp.global_hidden) +
                     warp.global_atomic_rounds * rule::kGlobalAtomic;
  const double shared =
      std::max(0.0, warp.shared_rounds * rates.shared_latency - warp.shared_hidden) +
      warp.shared_atomic_rounds * rule::kSharedAtomic;
  const double barrier = rates.barrier * (rule::kBarrierHalf + shape.warps / rule::kBarrierPerWarp);
  parts.far = (far + own) * rates.cycle_ns;
  // A request with conflicts is there when the last of its wavefronts is.
  const double conflicts = std::max(0.0, counts.shared_wavefronts - counts.shared_requests) /
                           (shape.blocks * shape.warps);
  parts.near =
      (warp.issue_cycles + warp.other_cycles + shared + conflicts + warp.barriers * barrier) *
      rates.cycle_ns;
}

/// The time in which one SM's unit starts `blocks` that take each other's places, each for its
/// life, its start included: a closed queue of as many customers as there are places, with one
/// server (mean value analysis: M. Reiser and S. S. Lavenberg, Journal of the ACM 27, 1980, page
/// 313).
double turns(double blocks, double places, double life, double start) {
  double queue = 0;
  double each = 0;
  for (int present = 1; present <= places; ++present) {
    const double started = start * (1 + queue);
    each = (std::max(0.0, life - start) + started) / present;
    queue = started / each;
  }
  return blocks * each;
}

/// What a block takes beyond its life since its own warps ask for the same at the same time: its
/// share of the SM's work. A barrier parts what is asked for before it from the rest.
double own_work(const Parts& parts, const WarpFacts& warp, const Fullest& sm) {
  const double answers = warp.global_rounds > 0 ? parts.answers() : 0;
  const double all =
      warp.phases ? overlapped({answers, parts.tags}) + overlapped({parts.data, parts.units()})
                  : std::max({answers, parts.l1(), parts.units()});
  return all / sm.blocks;
}

/// From the first block's start to the last one's end. Until the first block has its first data
/// nothing hides it; what follows hides behind what all blocks ask of the chip, and the other way
/// round.
double run_time(const Parts& parts, const WarpFacts& warp, const Fullest& sm) {
  // Where a barrier parts loading from the rest, and no other block fills the gap, they add up.
  if (warp.phases && sm.rounds == 1) {
    const double loading = overlapped({parts.far, parts.outside(), parts.tags});
    const double rest = overlapped({parts.near, parts.data, parts.units()});
    return std::max(sm.blocks * parts.start + parts.life(), parts.begin + loading + rest);
  }
  const double once = parts.far / std::max(1.0, warp.global_rounds);
  const double life = parts.life() + own_work(parts, warp, sm);
  const double blocks = sm.places * parts.start + parts.far - once +
                        turns(sm.blocks - sm.places, sm.places, life, parts.start);
  return parts.begin + once + parts.near +
         overlapped({blocks, parts.outside(), parts.l1(), parts.units()});
}

// Each sector that is stored to goes to DRAM once.
double stored_once(const CaseRecord& record, const Interval& bytes) {
  const Observation* sectors = find_observation(record, metric::kL2WriteSectors, SourceOf::kTheory);
  const bool known = sectors != nullptr && sectors->has_value();
  const double once = known ? kSectorBytes * interval_of(*sectors).low : bytes.high;
  return std::clamp(once, bytes.low, bytes.high);
}

// What theory says in other words, and what is left then.
std::optional<double> derived_count(const CaseRecord& record, std::string_view key, CountsOf whose,
                                    const std::optional<double>& model) {
  if (whose != CountsOf::kTheory || key != metric::kGlobalStoreBytes) return model;
  const auto part = value_of(record, metric::kGlobalStoreEfficiency, SourceOf::kTheory);
  const auto sectors = value_of(record, metric::kGlobalStoreSectors, SourceOf::kTheory);
  return part && sectors ? std::optional(*part * kSectorBytes * *sectors) : model;
}

}  // namespace

TimeCounts& TimeCounts::operator*=(double times) {
  for (double TimeCounts::*one :
       {&TimeCounts::dram_read_bytes, &TimeCounts::dram_write_bytes, &TimeCounts::l2_read_sectors,
        &TimeCounts::load_requests, &TimeCounts::load_lines, &TimeCounts::load_sectors,
        &TimeCounts::store_requests, &TimeCounts::store_bytes, &TimeCounts::store_lines,
        &TimeCounts::store_sectors, &TimeCounts::atomic_sectors, &TimeCounts::result_sectors,
        &TimeCounts::shared_requests, &TimeCounts::shared_wavefronts}) {
    this->*one *= times;
  }
  return *this;
}

std::optional<double> count_of(const CaseRecord& record, std::string_view key, CountsOf whose) {
  const auto model = value_of(record, key, SourceOf::kModel);
  const Observation* found =
      whose == CountsOf::kTheory ? find_observation(record, key, SourceOf::kTheory) : nullptr;
  if (found == nullptr || !found->has_value()) return derived_count(record, key, whose, model);
  const Interval theory = interval_of(*found);
  if (key == metric::kDramWriteBytes) return stored_once(record, theory);
  if (key == metric::kL2ReadSectors && model) return std::clamp(*model, theory.low, theory.high);
  return theory.low;
}

TimeCounts time_counts(const CaseRecord& record, CountsOf whose) {
  const auto of = [&](std::string_view key) { return count_of(record, key, whose).value_or(0); };
  TimeCounts counts;
  counts.dram_read_bytes = of(metric::kDramReadBytes);
  counts.dram_write_bytes = of(metric::kDramWriteBytes);
  counts.l2_read_sectors = of(metric::kL2ReadSectors);
  counts.load_requests = of(metric::kGlobalLoadRequests);
  counts.load_lines = of(metric::kGlobalLoadLines);
  counts.load_sectors = of(metric::kGlobalLoadSectors);
  counts.store_requests = of(metric::kGlobalStoreRequests);
  counts.store_bytes = of(metric::kGlobalStoreBytes);
  counts.store_lines = of(metric::kGlobalStoreLines);
  counts.store_sectors = of(metric::kGlobalStoreSectors);
  counts.result_sectors = of(metric::kGlobalAtomicSectors);
  counts.atomic_sectors = counts.result_sectors + of(metric::kGlobalReductionSectors);
  counts.shared_requests = of(metric::kSharedLoadRequests) + of(metric::kSharedStoreRequests) +
                           of(metric::kSharedAtomicRequests);
  counts.shared_wavefronts = of(metric::kSharedLoadWavefronts) +
                             of(metric::kSharedStoreWavefronts) +
                             of(metric::kSharedAtomicWavefronts);
  return counts;
}

std::optional<Rates> rates_of(const Machine& machine) {
  constexpr double kBitsPerWord = 64;
  const double mhz = ceiling_or(machine, "sm_clock", 0);
  Rates rates;
  rates.sms = machine.size.sms;
  rates.l2_bytes = machine.size.l2_bytes;
  rates.bus_words =
      (machine.size.bus_bits > 0 ? machine.size.bus_bits : rule::kBusBits) / kBitsPerWord;
  rates.dram_read = ceiling_or(machine, "dram_read", 0) * kPerNs;
  if (mhz <= 0 || rates.sms <= 0 || rates.dram_read <= 0) return {};
  rates.cycle_ns = 1e3 / mhz;
  rates.dram_write = ceiling_or(machine, "dram_write", rates.dram_read / kPerNs) * kPerNs;
  rates.dram_copy = ceiling_or(machine, "dram_copy", rates.dram_read / kPerNs) * kPerNs;
  if (machine.basis == Basis::kPins) {
    rates.dram_read *= rule::kReadOfPins;
    rates.dram_write *= rule::kWriteOfPins;
    rates.dram_copy *= rule::kCopyOfPins;
  }
  for (const RateRow& row : kRateRows) {
    const double measured = ceiling_or(machine, row.ceiling, 0) * row.unit;
    if (measured <= 0) rates.assumed.push_back(row.ceiling);
    rates.*row.rate = measured > 0 ? measured : row.instead * scale_of(row.with, rates);
  }
  if (ceiling_or(machine, "doubles", 0) <= 0) rates.fp64 = fp64_rate(machine.arch);
  rates.calibrated = machine.basis == Basis::kCalibration &&
                     ceiling_or(machine, "l2_read", 0) > 0 &&
                     ceiling_or(machine, "dram_latency", 0) > 0;
  return rates;
}

std::vector<std::string_view> ceilings_of_rates() {
  std::vector<std::string_view> names = {"sm_clock", "dram_read", "dram_write", "dram_copy"};
  for (const RateRow& row : kRateRows) names.push_back(row.ceiling);
  return names;
}

KernelTime kernel_time(const TimeCounts& counts, const KernelFacts& facts, const Shape& shape,
                       const Rates& rates) {
  const Demand demand{counts, facts};
  const Fullest sm = fullest(shape, rates);
  Parts parts;
  parts.dram = dram_time(demand, rates);
  parts.l2_loads = l2_load_time(demand, rates);
  parts.l2_stores = l2_store_time(demand, rates);
  parts.l2_data = parts.l2_loads + stores_to_l2(demand).sectors / rates.l2_sectors;
  parts.same_address = same_address_time(facts.hot, rates);
  parts.atomics =
      (counts.atomic_sectors + counts.result_sectors * (1 / rule::kWithResult - 1)) / rates.adds;
  add_sm(demand, shape, rates, parts);
  add_block(demand, shape, rates, parts);
  parts.begin = rates.block_life * rates.cycle_ns;
  parts.start = rates.block_start * rates.cycle_ns;
  KernelTime time;
  time.ns = rates.empty_launch + run_time(parts, facts.warp, sm);
  time.terms = {{Term::kLaunch, rates.empty_launch},
                {Term::kStarts, sm.blocks * parts.start},
                {Term::kLife, parts.life() * sm.rounds},
                {Term::kDram, parts.dram},
                {Term::kL2Loads, parts.l2_loads},
                {Term::kL2Stores, parts.l2_stores},
                {Term::kSameAddress, parts.same_address},
                {Term::kAtomics, parts.atomics},
                {Term::kFills, parts.fills},
                {Term::kTags, parts.tags},
                {Term::kData, parts.data},
                {Term::kIssue, parts.issue},
                {Term::kFp64, parts.fp64},
                {Term::kSpecial, parts.special}};
  std::stable_sort(time.terms.begin(), time.terms.end(),
                   [](const TermTime& a, const TermTime& b) { return a.ns > b.ns; });
  return time;
}

}  // namespace lab::metrics
