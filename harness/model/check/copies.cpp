#include "harness/model/check/copies.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lab::model::check {
namespace {

unsigned first_of(std::uint32_t lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

}  // namespace

void Copies::begin() {
  copies_.clear();
  free_.clear();
  for (auto& numbers : of_warp_) numbers.clear();
  groups_ = {};
  mbarriers_.clear();
  count_ = 0;
  to_global_ = false;
  narrow();
}

std::uint32_t Copies::free_place() {
  if (free_.empty()) {
    copies_.emplace_back();
    return static_cast<std::uint32_t>(copies_.size() - 1);
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  return number;
}

void Copies::add(Copied copied) {
  const std::uint32_t number = free_place();
  Copy& copy = copies_[number];
  copy = Copy();
  copy.what = std::move(copied);
  copy.lanes = copy.what.lanes;
  copy.group = groups_of(copy).committed;
  groups_[copy.what.bulk ? 1 : 0][copy.what.who.warp].open |= copy.lanes;
  if (copy.what.mbarrier) {
    Mbarrier& mbarrier = mbarriers_[*copy.what.mbarrier];
    copy.phase = mbarrier.phase;
    mbarrier.copies = true;
  }
  of_warp_[copy.what.who.warp].push_back(number);
  ++count_;
  to_global_ = to_global_ || copy.what.to_global;
  if (!copy.what.to_global) {
    races_.copy_begins(copy.what.at, *copy.what.places, copy.what.who, number);
  }
  widen(copy);
}

void Copies::commit(unsigned warp, std::uint32_t lanes, bool bulk) {
  Groups& groups = groups_[bulk ? 1 : 0][warp];
  for (unsigned lane = 0; lane < kLanesOfWarp; ++lane) {
    groups.committed[lane] += (lanes >> lane) & 1U;
  }
  groups.open &= ~lanes;
}

void Copies::wait(unsigned warp, std::uint32_t lanes, bool bulk, bool reading, std::uint32_t newest,
                  bool all) {
  // "Equivalent to" a group of what is in none yet, and a wait for all groups (PTX ISA,
  // "cp.async.wait_all").
  if (all) commit(warp, lanes, bulk);
  Groups& groups = groups_[bulk ? 1 : 0][warp];
  for (unsigned lane = 0; lane < kLanesOfWarp; ++lane) {
    const std::uint32_t made = groups.committed[lane];
    const std::uint32_t over = all ? made : made - std::min(made, newest);
    if (((lanes >> lane) & 1U) != 0) groups.waited[lane] = std::max(groups.waited[lane], over);
  }
  const std::vector<std::uint32_t>& numbers = of_warp_[warp];
  for (std::size_t i = 0; i < numbers.size();) {
    const std::uint32_t number = numbers[i];
    Copy& copy = copies_[number];
    // Bulk copies that complete at an mbarrier are in no group.
    const bool grouped = copy.what.bulk == bulk && !(bulk && copy.what.mbarrier);
    const std::uint32_t done = grouped ? lanes & over(copy) : 0;
    if (done != 0 && copy.what.to_global) end_reading(copy);
    if (done != 0 && !reading) end(number, done);
    if (i < numbers.size() && numbers[i] == number) ++i;  // it has not ended
  }
}

std::uint32_t Copies::over(const Copy& copy) const {
  const Counts& waited = groups_of(copy).waited;
  std::uint32_t count = 0;
  for (unsigned lane = 0; lane < kLanesOfWarp; ++lane) count += copy.group[lane] < waited[lane];
  if (count == 0 || count == kLanesOfWarp) return count == 0 ? 0 : copy.lanes;
  std::uint32_t lanes = 0;
  for (unsigned lane = 0; lane < kLanesOfWarp; ++lane) {
    lanes |= std::uint32_t{copy.group[lane] < waited[lane]} << lane;
  }
  return lanes & copy.lanes;
}

bool Copies::lacks_barrier(const Copy& copy, std::uint32_t group, unsigned warp,
                           unsigned lane) const {
  const Groups& own = groups_[copy.what.bulk ? 1 : 0][warp];
  const bool copies = own.committed[lane] != 0 || ((own.open >> lane) & 1U) != 0;
  const bool made = group < own.committed[lane] ||
                    (group == own.committed[lane] && ((own.open >> lane) & 1U) != 0);
  return copies && (!made || group < own.waited[lane]);
}

void Copies::end_reading(Copy& copy) {
  if (std::exchange(copy.read, true)) return;
  const Copied& what = copy.what;
  const Access access{what.who.where, what.who.serial, static_cast<std::uint8_t>(what.who.warp),
                      static_cast<std::uint8_t>(first_of(what.lanes))};
  // What raced with the copy was found when it met it.
  for (const Places::Run& run : what.places->runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      (void)races_.read(what.at + run.first + i, access);
    }
  }
  narrow();
}

void Copies::end(std::uint32_t number, std::uint32_t lanes) {
  Copy& copy = copies_[number];
  const Copied& what = copy.what;
  if (what.mbarrier) {
    // Who waits at the mbarrier has to know as much as the thread that waited for its own copies.
    Mbarrier& mbarrier = mbarriers_[*what.mbarrier];
    const unsigned copier = copier_of(*what.mbarrier, mbarrier);
    mbarrier.tick = races_.moving_clocks().complete();
    races_.copy_ends(what.at, *what.places, number, lanes, {copier, mbarrier.tick});
    races_.moving_clocks().acquire_copies(what.who.warp, copier, mbarrier.tick);
  } else if (!what.to_global) {
    races_.copy_ends(what.at, *what.places, number, lanes, what.who.warp);
  }
  copy.lanes &= ~lanes;
  if (copy.lanes == 0) free(number);
}

void Copies::free(std::uint32_t number) {
  std::erase(of_warp_[copies_[number].what.who.warp], number);
  free_.push_back(number);
  if (--count_ == 0) narrow();
}

void Copies::mbarrier_begins(std::uint64_t address) {
  Mbarrier& mbarrier = mbarriers_[address];
  Mbarrier anew;
  anew.copier = mbarrier.copier;
  anew.tick = mbarrier.tick;
  mbarrier = anew;
}

void Copies::arrive(unsigned warp, std::uint64_t address) {
  Mbarrier& mbarrier = mbarriers_[address];
  mbarrier.arrived = Clocks::join(mbarrier.arrived, races_.moving_clocks().release(warp));
}

void Copies::complete_at(unsigned warp, std::uint32_t lanes, std::uint64_t address) {
  Mbarrier& mbarrier = mbarriers_[address];
  const std::vector<std::uint32_t> numbers = of_warp_[warp];
  for (const std::uint32_t number : numbers) {
    if (copies_[number].what.bulk || copies_[number].what.mbarrier) continue;
    const std::uint32_t some = copies_[number].lanes & lanes;
    if (some == 0) continue;
    if (some != copies_[number].lanes) leave(number, copies_[number].lanes & ~some);
    copies_[number].what.mbarrier = address;
    copies_[number].phase = mbarrier.phase;
    mbarrier.copies = true;
  }
}

void Copies::leave(std::uint32_t number, std::uint32_t lanes) {
  const std::uint32_t rest = free_place();
  copies_[rest] = copies_[number];
  copies_[rest].lanes = lanes;
  copies_[number].lanes &= ~lanes;
  of_warp_[copies_[rest].what.who.warp].push_back(rest);
  ++count_;
  const Copied& what = copies_[rest].what;
  races_.copy_parts(what.at, *what.places, number, lanes, rest);
}

void Copies::phase_ends(std::uint64_t address) {
  Mbarrier& mbarrier = mbarriers_[address];
  mbarrier.complete = Clocks::join(mbarrier.complete, mbarrier.arrived);
  mbarrier.arrived = {};
  ++mbarrier.phase;
}

void Copies::wait_at(unsigned warp, std::uint32_t lanes, bool all, std::uint64_t address) {
  Mbarrier& mbarrier = mbarriers_[address];
  if (mbarrier.copies) settle(address, mbarrier);
  Clocks& clocks = races_.moving_clocks();
  clocks.acquire(warp, mbarrier.complete);
  if (mbarrier.copier != 0 && all) clocks.acquire_copies(warp, mbarrier.copier, mbarrier.tick);
  if (mbarrier.copier != 0 && !all) {
    clocks.acquire_copies(warp, lanes, mbarrier.copier, mbarrier.tick);
  }
  clocks.advance(warp);
}

unsigned Copies::copier_of(std::uint64_t address, Mbarrier& mbarrier) {
  if (mbarrier.copier == 0) {
    mbarrier.copier = races_.moving_clocks().add_copier();
    address_of_copier_[mbarrier.copier - kMostWarps] = address;
  }
  return mbarrier.copier;
}

void Copies::settle(std::uint64_t address, Mbarrier& mbarrier) {
  const unsigned copier = copier_of(address, mbarrier);
  const std::uint32_t tick = races_.moving_clocks().complete();
  mbarrier.tick = tick;
  mbarrier.copies = false;
  for (std::uint32_t number = 0; number < copies_.size(); ++number) {
    Copy& copy = copies_[number];
    if (copy.lanes == 0 || copy.what.mbarrier != address) continue;
    if (copy.phase >= mbarrier.phase) {
      mbarrier.copies = true;
      continue;
    }
    races_.copy_ends(copy.what.at, *copy.what.places, number, copy.lanes, {copier, tick});
    copy.lanes = 0;
    free(number);
  }
}

void Copies::widen(const Copy& copy) {
  const Copied& what = copy.what;
  if (what.to_global && !copy.read) {
    const bool none = reading_first_ > reading_last_;
    const std::uint64_t last = what.at + what.places->end() - 1;
    reading_first_ = none ? what.at : std::min(reading_first_, what.at);
    reading_last_ = none ? last : std::max(reading_last_, last);
  }
  for (const GlobalRange& range : what.global) {
    const bool none = global_from_ >= global_to_;
    global_from_ = none ? range.from : std::min(global_from_, range.from);
    global_to_ = none ? range.to : std::max(global_to_, range.to);
  }
}

void Copies::narrow() {
  reading_first_ = 1;
  reading_last_ = 0;
  global_from_ = global_to_ = 0;
  if (count_ == 0) return;
  for (const Copy& copy : copies_) {
    if (copy.lanes != 0) widen(copy);
  }
}

UnderWay Copies::under_way(const Copy& copy, std::uint32_t lanes) const {
  const Copied& what = copy.what;
  UnderWay found;
  found.where = what.who.where;
  found.warp = static_cast<std::uint8_t>(what.who.warp);
  found.lane = static_cast<std::uint8_t>(first_of(lanes == 0 ? copy.lanes : lanes));
  found.bulk = what.bulk;
  found.to_global = what.to_global;
  if (what.mbarrier) {
    found.why = UnderWay::Why::kMbarrier;
    found.mbarrier = *what.mbarrier;
    return found;
  }
  const std::uint32_t after = groups_of(copy).committed[found.lane] - copy.group[found.lane];
  found.why = after == 0 ? UnderWay::Why::kNoGroup : UnderWay::Why::kGroup;
  found.newer = after == 0 ? 0 : after - 1;
  return found;
}

std::optional<UnderWay> Copies::reader(std::uint64_t at) const {
  const Copy* newest = nullptr;
  for (const Copy& copy : copies_) {
    const Copied& what = copy.what;
    if (copy.lanes == 0 || !what.to_global || copy.read) continue;
    const bool reads = at >= what.at && at < what.at + what.places->end();
    if (reads && is_newer(copy, newest)) newest = &copy;
  }
  if (newest == nullptr) return {};
  return under_way(*newest, newest->lanes);
}

std::optional<UnderWay> Copies::user(std::uint64_t from, std::uint64_t to, bool writes) const {
  const Copy* newest = nullptr;
  std::uint32_t by = 0;
  for (const Copy& copy : copies_) {
    if (copy.lanes == 0 || !(writes || copy.what.to_global)) continue;
    for (const GlobalRange& range : copy.what.global) {
      const std::uint32_t lanes = range.lanes & copy.lanes;
      if (lanes == 0 || from >= range.to || to <= range.from || !is_newer(copy, newest)) continue;
      newest = &copy;
      by = lanes;
    }
  }
  if (newest == nullptr) return {};
  return under_way(*newest, by);
}

UnderWay Copies::met(const Race& race, unsigned warp, unsigned lane) const {
  if (race.copy) {
    const Copy& copy = copies_[*race.copy];
    UnderWay found = under_way(copy, 0);
    found.barrier = !copy.what.mbarrier && !copy.what.bulk &&
                    lacks_barrier(copy, copy.group[found.lane], warp, lane);
    return found;
  }
  UnderWay found;
  found.why = UnderWay::Why::kMbarrier;
  found.where = race.other.where;
  found.lane = race.other.lane;
  found.mbarrier = address_of_copier_[*race.copier - kMostWarps];
  return found;
}

}  // namespace lab::model::check
