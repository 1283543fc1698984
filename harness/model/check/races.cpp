#include "harness/model/check/races.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "harness/model/cost/levels.h"
#include "harness/model/execute/isa.h"

namespace lab::model::check {
namespace {

// Ticks only grow. A block uses one for each of its synchronisations, far fewer than are left here.
constexpr std::uint32_t kStartOver = 1U << 30U;

}  // namespace

void PlacesByLane::add(unsigned lane, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t at = first; at < first + count; ++at) {
    lanes_at_[static_cast<std::uint32_t>(at)] |= std::uint32_t{1} << lane;
  }
}

Places PlacesByLane::all() const {
  Places places;
  for (const auto& [at, lanes] : lanes_at_) {
    const bool follows =
        !places.runs.empty() && places.runs.back().first + places.runs.back().count == at;
    if (!follows) places.runs.push_back({at, 0});
    ++places.runs.back().count;
    places.lanes.push_back(lanes);
    places.shared = places.shared || std::popcount(lanes) > 1;
  }
  return places;
}

void Written::add(std::uint64_t from, std::uint64_t to) {
  const auto meets = [&](const Range& range) { return from <= range.to && to >= range.from; };
  auto range = std::find_if(ranges_.begin(), ranges_.end(), meets);
  if (range != ranges_.end()) {
    *range = {std::min(range->from, from), std::max(range->to, to)};
    return;
  }
  range = std::min_element(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return a.to - a.from < b.to - b.from;
  });
  if (to - from > range->to - range->from) *range = {from, to};
}

void Written::remove(std::uint64_t from, std::uint64_t to) {
  for (Range& range : ranges_) {
    if (from >= range.to || to <= range.from) continue;
    // Its larger part stays.
    const std::uint64_t below = std::max(from, range.from) - range.from;
    const std::uint64_t above = range.to - std::min(to, range.to);
    range = below > above ? Range{range.from, from} : Range{std::min(to, range.to), range.to};
  }
}

SharedRaces::SharedRaces(std::uint64_t shared_bytes, std::uint32_t grain)
    : grain_(grain),
      write_(static_cast<std::size_t>((shared_bytes + grain - 1) / grain)),
      write_serial_(write_.tick.size()),
      read_(write_.tick.size()),
      other_read_(write_.tick.size()),
      twice_(write_.tick.size()) {}

void SharedRaces::begin(unsigned warps) {
  if (clocks_.first() > kStartOver) *this = SharedRaces(write_.tick.size() * grain_, grain_);
  clocks_.begin(warps);
  ++version_;
  reads_alone_ = keeps_reads_ = false;
  put_off_.clear();
  written_.clear();
}

bool SharedRaces::are_written(std::uint64_t at, const Places& places) {
  std::uint32_t oldest = ~std::uint32_t{0};
  std::uint32_t newest = 0;
  for (const Places::Run& run : places.runs) {
    const std::uint32_t* tick = write_.tick.data() + at + run.first;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      oldest = std::min(oldest, tick[i]);
      newest = std::max(newest, tick[i]);
    }
  }
  if (!clocks_.current(oldest) || newest == kUnderWay) return false;
  if (places.runs.size() == 1) written_.add(at, at + places.end());
  return true;
}

std::optional<Race> SharedRaces::meets(const Stamps& earlier, std::uint64_t at,
                                       const Access& access, bool earlier_writes) const {
  const std::uint32_t tick = earlier.tick[at];
  const std::uint32_t who = earlier.who[at];
  if (!clocks_.current(tick)) return {};
  Race race;
  race.other.where = where_of(who);
  race.other.warp = static_cast<std::uint8_t>(warp_of(who));
  race.other.serial = earlier_writes ? write_serial_[at] : 0;
  race.other_writes = earlier_writes;
  race.other_atomic = is_atomic(who);
  if (tick == kUnderWay) {
    race.copy = std::exchange(race.other.serial, 0);
    return race;
  }
  race.same_warp = race.other.warp == access.warp;
  if (!race.same_warp) {
    if (clocks_.ordered(access.warp, race.other.warp, tick)) return {};
    race.other.lane = static_cast<std::uint8_t>(std::countr_zero(earlier.lanes[at]));
    if (race.other.warp >= kMostWarps) {
      if (clocks_.knows_copies(access.warp, access.lane, race.other.warp, tick)) return {};
      race.copier = race.other.warp;
      race.other.serial = 0;
    }
    return race;
  }
  // One warp: a thread's own accesses are in order, and so are those before a __syncwarp() that
  // names both lanes.
  for (std::uint32_t left = earlier.lanes[at]; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (clocks_.lanes_ordered(access.warp, access.lane, lane, tick)) continue;
    race.other.lane = static_cast<std::uint8_t>(lane);
    return race;
  }
  return {};
}

void SharedRaces::note_read(std::uint64_t at, const Access& access, bool atomic) {
  const std::uint32_t now = clocks_.tick(access.warp);
  const std::uint32_t lane = std::uint32_t{1} << access.lane;
  const auto take = [&](Stamps& stamps, std::uint32_t lanes) {
    stamps.tick[at] = now;
    stamps.who[at] = code_of(access.where, access.warp, atomic);
    stamps.lanes[at] = lanes;
  };
  for (Stamps* stamps : {&read_, &other_read_}) {
    const std::uint32_t tick = stamps->tick[at];
    if (!clocks_.current(tick) || warp_of(stamps->who[at]) != access.warp) continue;
    return take(*stamps, tick == now ? stamps->lanes[at] | lane : lane);
  }
  for (Stamps* stamps : {&read_, &other_read_}) {
    const std::uint32_t tick = stamps->tick[at];
    const bool over =
        !clocks_.current(tick) || clocks_.ordered(access.warp, warp_of(stamps->who[at]), tick);
    if (over) return take(*stamps, lane);
  }
}

std::optional<Race> SharedRaces::read(std::uint64_t at, const Access& access, bool atomic) {
  settle();
  ++version_;
  std::optional<Race> race;
  if (!(atomic && is_atomic(write_.who[at]))) race = meets(write_, at, access, true);
  note_read(at, access, atomic);
  return race;
}

std::optional<Race> SharedRaces::write(std::uint64_t at, const Access& access, bool atomic) {
  settle();
  ++version_;
  std::optional<Race> race;
  if (!(atomic && is_atomic(write_.who[at]))) race = meets(write_, at, access, true);
  for (const Stamps* read : {&read_, &other_read_}) {
    if (!race && !(atomic && is_atomic(read->who[at]))) race = meets(*read, at, access, false);
  }
  write_.tick[at] = clocks_.tick(access.warp);
  write_.who[at] = code_of(access.where, access.warp, atomic);
  write_.lanes[at] = std::uint32_t{1} << access.lane;
  write_serial_[at] = access.serial;
  return race;
}

SharedRaces::Now SharedRaces::now(const Together& who) const {
  return {clocks_.first(),
          clocks_.tick(who.warp),
          clocks_.floor(who.warp),
          clocks_.own_floor(who.warp),
          code_of(who.where, who.warp, false),
          who.serial};
}

// The loops below have no branches, and truth is a mask of 32 bits, so that neighbouring locations
// are handled several at once. Ticks compare as signed numbers, which every processor can.
using Mask = std::uint32_t;
constexpr Mask mask(bool truth) { return truth ? ~Mask{0} : 0; }
constexpr Mask at_most(std::uint32_t a, std::uint32_t b) {
  return mask(static_cast<std::int32_t>(a) <= static_cast<std::int32_t>(b));
}
constexpr std::uint32_t pick(Mask which, std::uint32_t a, std::uint32_t b) {
  return (a & which) | (b & ~which);
}

[[gnu::always_inline]] inline Mask SharedRaces::mine(const Now& now, std::uint32_t who) {
  return mask(((who ^ now.who) & kPartyBits) == 0);
}
[[gnu::always_inline]] inline Mask SharedRaces::over(const Now& now, std::uint32_t tick,
                                                     std::uint32_t who) {
  return at_most(tick, pick(mine(now, who), now.own_floor, now.floor));
}

// A location whose reads are all of the past: this one takes the first place.
[[gnu::always_inline]] inline bool SharedRaces::takes_first(const Now& now, std::uint64_t at,
                                                            std::uint32_t lanes) {
  const auto is_over = [&](const Stamps& read) {
    return static_cast<std::int32_t>(read.tick[at]) < static_cast<std::int32_t>(now.first);
  };
  if (!is_over(read_) || !is_over(other_read_)) return false;
  read_.tick[at] = now.tick;
  read_.who[at] = now.who;
  read_.lanes[at] = lanes;
  return true;
}

[[gnu::always_inline]] inline bool SharedRaces::read_run(const Now& now, std::uint64_t at,
                                                         std::uint32_t count,
                                                         const std::uint32_t* lanes,
                                                         std::uint32_t& noted) {
  const Row w = write_.row(at);
  Mask wrong = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Mask own = mine(now, w.who[i]) & mask((lanes[i] & ~w.lanes[i]) == 0);
    const Mask known = own | over(now, w.tick[i], w.who[i]);
    wrong |= ~(known & at_most(now.first, w.tick[i]));
  }
  if (wrong != 0) return false;
  if (count == 1 && takes_first(now, at, lanes[0])) return true;
  Mask all_noted = noted;
  const Row r = read_.row(at);
  const Row o = other_read_.row(at);
  LAB_LANES
  for (std::uint32_t i = 0; i < count; ++i) {
    const Mask r_over = over(now, r.tick[i], r.who[i]);
    const Mask o_over = over(now, o.tick[i], o.who[i]);
    const Mask r_mine = mine(now, r.who[i]) & at_most(now.first, r.tick[i]);
    const Mask o_mine = mine(now, o.who[i]) & at_most(now.first, o.tick[i]);
    const Mask r_take = r_mine | (r_over & ~o_mine);
    const Mask o_take = (o_mine | o_over) & ~r_take;
    all_noted &= r_take | o_take;
    const std::uint32_t r_more = r.lanes[i] & r_mine & mask(r.tick[i] == now.tick);
    const std::uint32_t o_more = o.lanes[i] & o_mine & mask(o.tick[i] == now.tick);
    r.lanes[i] = pick(r_take, r_more | lanes[i], r.lanes[i]);
    r.who[i] = pick(r_take, now.who, r.who[i]);
    r.tick[i] = pick(r_take, now.tick, r.tick[i]);
    o.lanes[i] = pick(o_take, o_more | lanes[i], o.lanes[i]);
    o.who[i] = pick(o_take, now.who, o.who[i]);
    o.tick[i] = pick(o_take, now.tick, o.tick[i]);
  }
  noted = all_noted;
  return true;
}

[[gnu::always_inline]] inline bool SharedRaces::write_run(const Now& now, std::uint64_t at,
                                                          std::uint32_t count,
                                                          const std::uint32_t* lanes) {
  Mask wrong = 0;
  for (Stamps* stamps : {&write_, &read_, &other_read_}) {
    const Row row = stamps->row(at);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Mask own = mine(now, row.who[i]) & mask((row.lanes[i] & ~lanes[i]) == 0);
      wrong |= ~(own | over(now, row.tick[i], row.who[i]));
    }
  }
  if (wrong != 0) return false;
  const Row w = write_.row(at);
  std::uint32_t* serial = write_serial_.data() + at;
  LAB_LANES
  for (std::uint32_t i = 0; i < count; ++i) {
    w.tick[i] = now.tick;
    w.who[i] = now.who;
    w.lanes[i] = lanes[i];
    serial[i] = now.serial;
  }
  return true;
}

void SharedRaces::remember(Twice& twice, const Places& places, std::uint32_t warp) const {
  const auto reader = static_cast<std::uint8_t>(warp);
  if (twice.places != &places || twice.version != version_) {
    twice = {&places, version_, reader, reader};
  } else if (twice.first == twice.second) {
    twice.second = reader;
  }
}

LAB_ALL_LEVELS
bool SharedRaces::note_reads(std::uint64_t at, const Places& places, const Together& who) {
  // To decide which earlier read a new one may replace takes all that the warp knows.
  if (!clocks_.even(who.warp)) return false;
  const Now now = this->now(who);
  // A read may take the place of one that its warp knows of.
  if (now.floor != read_floor_) ++version_;
  read_floor_ = now.floor;
  Twice& twice = twice_[at];
  if (is_known(twice, places, who.warp)) return true;
  Mask noted = ~Mask{0};
  const std::uint32_t* lanes = places.lanes.data();
  for (const Places::Run& run : places.runs) {
    const bool fine = run.count == 1 ? read_run(now, at + run.first, 1, lanes, noted)
                                     : read_run(now, at + run.first, run.count, lanes, noted);
    if (!fine) return false;
    lanes += run.count;
  }
  if (noted != 0) remember(twice, places, who.warp);
  return true;
}

bool SharedRaces::reads_are_fine(std::uint64_t at, const Places& places, const Together& who) {
  if (is_put_off(at, places, who)) return true;
  settle();
  return note_reads(at, places, who);
}

void SharedRaces::barrier(std::uint32_t arrived, std::uint32_t waiting) {
  const std::uint32_t all = clocks_.all();
  const bool whole = (arrived & waiting & all) == all;
  if (whole) {
    put_off_.clear();
  } else {
    settle();
  }
  clocks_.barrier(arrived, waiting);
  reads_alone_ = whole && !keeps_reads_;
}

void SharedRaces::settle() {
  if (!reads_alone_) return;
  reads_alone_ = false;
  for (const PutOff& read : put_off_) {
    note_reads(read.at, *read.places, {where_of(read.who), 0, warp_of(read.who)});
  }
  put_off_.clear();
}

LAB_ALL_LEVELS
bool SharedRaces::writes_are_fine(std::uint64_t at, const Places& places, const Together& who) {
  if (places.shared) return false;
  settle();
  ++version_;
  const Now now = this->now(who);
  const std::uint32_t* lanes = places.lanes.data();
  for (const Places::Run& run : places.runs) {
    const bool fine = run.count == 1 ? write_run(now, at + run.first, 1, lanes)
                                     : write_run(now, at + run.first, run.count, lanes);
    if (!fine) return false;
    lanes += run.count;
  }
  return true;
}

void SharedRaces::copy_begins(std::uint64_t at, const Places& places, const Together& who,
                              std::uint32_t copy) {
  settle();
  ++version_;
  // Not even the thread that copies knows of it.
  const std::uint32_t code = code_of(who.where, kUnknownParty, false);
  for (const Places::Run& run : places.runs) {
    const std::uint64_t from = at + run.first;
    std::fill_n(write_.tick.data() + from, run.count, kUnderWay);
    std::fill_n(write_.who.data() + from, run.count, code);
    std::fill_n(write_.lanes.data() + from, run.count, 0);
    std::fill_n(write_serial_.data() + from, run.count, copy);
  }
  written_.remove(at, at + places.end());
}

void SharedRaces::copy_parts(std::uint64_t at, const Places& places, std::uint32_t copy,
                             std::uint32_t lanes, std::uint32_t number) {
  const std::uint32_t* own = places.lanes.data();
  for (const Places::Run& run : places.runs) {
    for (std::uint64_t i = at + run.first; i < at + run.first + run.count; ++i, ++own) {
      const bool is_copy = write_.tick[i] == kUnderWay && write_serial_[i] == copy;
      if (is_copy && (*own & lanes) != 0) write_serial_[i] = number;
    }
  }
}

LAB_ALL_LEVELS
void SharedRaces::copy_ends(std::uint64_t at, const Places& places, std::uint32_t copy,
                            std::uint32_t lanes, const Completion& completion) {
  settle();
  ++version_;
  const std::uint32_t* own = places.lanes.data();
  for (const Places::Run& run : places.runs) {
    const Row w = write_.row(at + run.first);
    std::uint32_t* serial = write_serial_.data() + at + run.first;
    Mask all = ~Mask{0};
    for (std::uint32_t i = 0; i < run.count; ++i) {
      all &= mask(w.tick[i] == kUnderWay) & mask(serial[i] == copy) & mask((own[i] & ~lanes) == 0);
    }
    if (all != 0) {
      std::fill_n(w.tick, run.count, completion.tick);
      std::fill_n(w.who, run.count, code_of(where_of(w.who[0]), completion.party, false));
      std::copy_n(own, run.count, w.lanes);
      own += run.count;
      continue;
    }
    for (std::uint32_t i = 0; i < run.count; ++i) {
      if (w.tick[i] != kUnderWay || serial[i] != copy || (own[i] & lanes) == 0) continue;
      w.tick[i] = completion.tick;
      w.who[i] = code_of(where_of(w.who[i]), completion.party, false);
      w.lanes[i] = own[i] & lanes;
    }
    own += run.count;
  }
}

void SharedRaces::copy_ends(std::uint64_t at, const Places& places, std::uint32_t copy,
                            std::uint32_t lanes, unsigned warp) {
  copy_ends(at, places, copy, lanes, {warp, clocks_.tick(warp)});
}

}  // namespace lab::model::check
