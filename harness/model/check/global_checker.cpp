#include "harness/model/check/global_checker.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "harness/core/bits.h"
#include "harness/model/execute/warp.h"

namespace lab::model::check {
namespace {

constexpr std::uint32_t kSector = RaceShadow::kSector;

bool is_one_thread(std::uint64_t a, std::uint64_t b) {
  return ((a ^ b) & GlobalAccess::kThread) == 0;
}
bool is_one_warp(std::uint64_t a, std::uint64_t b) { return ((a ^ b) & GlobalAccess::kWarp) == 0; }
bool is_one_block(std::uint64_t a, std::uint64_t b) { return a >> 39U == b >> 39U; }
std::uint64_t with_lane(std::uint64_t who, std::uint32_t lane) {
  return (who & ~std::uint64_t{63}) | lane;
}

/// A third reader takes the place of the second where it is farther from the first: another block
/// tells more than another warp, and that more than another lane.
bool is_farther(std::uint64_t first, std::uint64_t second, std::uint64_t third) {
  if (!is_one_block(first, second)) return false;
  if (!is_one_block(first, third)) return true;
  return is_one_warp(first, second) && !is_one_warp(first, third);
}

}  // namespace

void GlobalChecker::begin(std::uint64_t block) {
  now_.block = block;
  published_ = {};
}

GlobalChecker::Plan GlobalChecker::plan_of(const Pattern& pattern, std::uint32_t begin) {
  const std::uint32_t bytes = pattern.key.bytes;
  const std::uint32_t per_sector = kSector / bytes;
  Plan plan;
  plan.loose = pattern.key.mask;
  plan.one_place = std::popcount(plan.loose) > 1 && pattern.span == bytes;
  std::map<std::uint64_t, std::uint32_t> lanes_in;  // by sector
  const auto at = [&](unsigned lane) { return pattern.from_lowest(lane) + begin; };
  each_lane(pattern.key.mask, [&](unsigned lane) { ++lanes_in[at(lane) / kSector]; });
  each_lane(pattern.key.mask, [&](unsigned lane) {
    const std::uint64_t from = at(lane);
    if (from % kSector != 0 || lanes_in[from / kSector] != per_sector) return;
    std::uint32_t lanes = 0;
    for (unsigned i = 0; i < per_sector && lane + i < kLanes; ++i) {
      const bool active = ((pattern.key.mask >> (lane + i)) & 1U) != 0;
      if (active && at(lane + i) == from + i * bytes) lanes |= 1U << (lane + i);
    }
    if (std::popcount(lanes) != static_cast<int>(per_sector)) return;
    plan.loose &= ~lanes;
    plan.wholes.push_back({static_cast<std::uint32_t>(from / kSector), lane});
  });
  return plan;
}

const GlobalChecker::Plan* GlobalChecker::plan() {
  const AccessEvent& event = *event_;
  const Pattern* pattern = event.pattern;
  if (pattern == nullptr || pattern->transient || event.mask != pattern->key.mask) return nullptr;
  if (event.mask == 0 || ordering_->is_together) return nullptr;
  const std::uint64_t lowest = event.first() + pattern->low;
  // Misaligned accesses are reported elsewhere.
  if (((lowest | pattern->low_bits) & (event.site->bytes() - 1)) != 0) return nullptr;
  if (region_ == nullptr || !region_->has(lowest, pattern->span))
    region_ = races_.shadow().find(lowest);
  if (region_ == nullptr || !region_->has(lowest, pattern->span)) return nullptr;
  const auto begin = static_cast<std::uint32_t>((lowest - region_->base) % kSector);
  Last& last = last_[now_.site];
  if (last.pattern != pattern || last.begin != begin) {
    const auto [known, fresh] = plans_.try_emplace({pattern, begin});
    if (fresh) known->second = plan_of(*pattern, begin);
    last.pattern = pattern;
    last.begin = begin;
    last.plan = &known->second;
  }
  return last.plan;
}

void GlobalChecker::access(const AccessEvent& event, const Clocks& clocks,
                           std::vector<Fault>& found) {
  const Site& site = *event.site;
  event_ = &event;
  clocks_ = &clocks;
  faults_ = &found;
  now_.site = static_cast<std::uint32_t>(&site - program_.sites.data());
  now_.warp = event.warp->index;
  now_.tick = std::min(clocks.tick(now_.warp) - clocks.first(), GlobalAccess::kMostTicks);
  now_.lane = 0;
  own_ = now_.packed();
  ordering_ = &races_.ordering(now_.site);
  writes_ = site.op != AccessOp::kLoad;
  has_values_ = races_.shadow().shape(now_.site).has_value;
  region_ = last_[now_.site].region;

  std::uint32_t alone = event.mask;
  if (const Plan* plan = this->plan()) {
    const std::uint64_t lowest = event.first() + event.pattern->low;
    const std::uint64_t first = (lowest - region_->base) / kSector;
    for (const Plan::Whole& one : plan->wholes) {
      whole(RaceShadow::sector(*region_, first + one.sector), one.lane);
    }
    const bool one = plan->one_place && !writes_ && one_place();
    alone = one ? 0 : plan->loose;
  }
  each_lane(alone, [&](unsigned lane) { single(lane); });
  last_[now_.site].region = region_;
}

// The loop over the sectors that lanes access in step: nearly all of the work.
void GlobalChecker::whole(const Sector& at, std::uint32_t lane) {
  const std::uint64_t own = own_ | lane;
  // What most reads of an input meet: looked up in few bytes, which the processor has at hand.
  const bool read_enough = !writes_ && !races_.synchronises() && RaceShadow::is_read_by_two(at);
  bool settled = is_settled(RaceShadow::whole(Plane::kWrite, at), own);
  if (writes_) {
    settled = settled && is_settled(RaceShadow::whole(Plane::kRead, at), own) &&
              is_settled(RaceShadow::whole(Plane::kOtherRead, at), own);
  }
  const std::uint32_t locations = races_.shadow().locations();
  const std::uint32_t per_lane = this->per_lane();
  if (!settled) {
    for (std::uint32_t n = 0; n < locations; n += per_lane) {
      meet_all(at, n, n + per_lane - 1, lane + n / per_lane);
      report();
    }
  }
  if (!writes_) {
    if (!read_enough) note_whole_read(at, own);
    return;
  }
  RaceShadow::Words values{};
  if (has_values_) store_whole(lane, values);
  races_.shadow().note_whole_write(at, own, has_values_ ? &values : nullptr);
}

// Several lanes read the same bytes, which nobody may have written in the meantime.
bool GlobalChecker::one_place() {
  const Span span = span_of(event_->first());
  if (span.region == nullptr) return false;
  const std::uint32_t locations = races_.shadow().locations();
  for (std::uint64_t i = span.first; i <= span.last; ++i) {
    const Sector at = RaceShadow::sector(*span.region, i / locations);
    const auto n = static_cast<std::uint32_t>(i % locations);
    if (!is_settled(races_.shadow().seen(Plane::kWrite, at, n), own_ | GlobalAccess::kMany)) {
      return false;
    }
  }
  for (std::uint64_t i = span.first; i <= span.last; ++i) {
    note_read(RaceShadow::sector(*span.region, i / locations),
              static_cast<std::uint32_t>(i % locations), GlobalAccess::kMany);
  }
  return true;
}

GlobalChecker::Span GlobalChecker::span_of(std::uint64_t address) {
  const std::uint32_t bytes = event_->site->bytes();
  if (region_ == nullptr || !region_->has(address, bytes)) region_ = races_.shadow().find(address);
  if (region_ == nullptr || !region_->has(address, bytes)) return {};
  // Out of bounds and misaligned accesses are reported elsewhere and touch nothing.
  if ((address & (bytes - 1)) != 0) return {};
  const std::uint32_t grain = races_.shadow().grain();
  const std::uint64_t from = address - region_->base;
  return {region_, from / grain, (from + bytes - 1) / grain};
}

void GlobalChecker::single(std::uint32_t lane) {
  const Span span = span_of(event_->at(lane));
  if (span.region == nullptr) return;
  const std::uint32_t locations = races_.shadow().locations();
  const Sector at = RaceShadow::sector(*span.region, span.first / locations);
  const auto first = static_cast<std::uint32_t>(span.first % locations);
  const auto last = static_cast<std::uint32_t>(span.last - span.first) + first;
  meet_all(at, first, last, lane);
  report();
  const std::uint32_t who = ordering_->is_together ? GlobalAccess::kTogether : lane;
  for (std::uint32_t n = first; n <= last; ++n) {
    if (writes_) {
      const std::uint32_t from = (n - first) * races_.shadow().grain();
      const std::uint32_t value = has_values_ ? stored(lane, from) : 0;
      races_.shadow().note_write(at, n, own_ | who, value);
    } else {
      note_read(at, n, who);
    }
  }
}

void GlobalChecker::meet_all(const Sector& at, std::uint32_t first, std::uint32_t last,
                             std::uint32_t lane) {
  const RaceShadow& shadow = races_.shadow();
  for (std::uint32_t n = first; n <= last; ++n) {
    const std::uint64_t write = shadow.seen(Plane::kWrite, at, n);
    if (write != 0) meet_write(write, at, n, lane, (n - first) * shadow.grain());
    if (!writes_) continue;
    for (const Plane plane : {Plane::kRead, Plane::kOtherRead}) {
      const std::uint64_t read = shadow.seen(plane, at, n);
      if (read != 0) meet_read(read, lane);
    }
  }
}

void GlobalChecker::meet_read(std::uint64_t seen, std::uint32_t lane) {
  if (is_one_thread(seen, own_ | lane)) return;
  const GlobalAccess other = GlobalAccess::of(seen);
  const Ordering& read = races_.ordering(other.site);
  if ((!read.is_weak() && !ordering_->is_weak()) || is_before(other, lane)) return;
  const bool stale = is_stale_read(program_.sites[other.site], read, *ordering_);
  found(stale ? FindingKind::kStaleRead : FindingKind::kGlobalRace, other, lane);
}

void GlobalChecker::meet_write(std::uint64_t seen, const Sector& at, std::uint32_t n,
                               std::uint32_t lane, std::uint32_t from) {
  if (is_one_thread(seen, own_ | lane)) return;
  const GlobalAccess other = GlobalAccess::of(seen);
  const Ordering& write = races_.ordering(other.site);
  const bool both_strong = !write.is_weak() && !ordering_->is_weak();
  const bool valued = has_values_ && races_.shadow().shape(other.site).has_value;
  const bool same =
      valued && races_.shadow().value(at, n).value_or(stored(lane, from)) == stored(lane, from);
  // Which of the lanes' values stays is not defined, unless each is stored by an atomic.
  if (valued && !ordering_->is_atomic && is_at_once(other, lane)) {
    return found(same ? FindingKind::kSameValue : FindingKind::kGlobalRace, other, lane);
  }
  // Two plain stores of the same value are harmless: whichever comes last, the result is the same.
  if (both_strong || same || is_before(other, lane)) return;
  const bool stale = is_stale_read(*event_->site, *ordering_, write);
  found(stale ? FindingKind::kStaleRead : FindingKind::kGlobalRace, other, lane);
}

bool GlobalChecker::is_at_once(const GlobalAccess& other, std::uint32_t lane) const {
  const bool this_one = is_one_warp(other.packed(), own_) && other.site == now_.site &&
                        other.tick == now_.tick && other.lane < lane;
  return this_one && ((event_->mask >> other.lane) & 1U) != 0 &&
         event_->at(other.lane) == event_->at(lane);
}

void GlobalChecker::found(FindingKind kind, const GlobalAccess& other, std::uint32_t lane) {
  const bool remark = severity_of(kind) == Severity::kRemark;
  if (any_ && (remark || severity_of(worst_.kind) == Severity::kMistake)) return;
  any_ = true;
  Fault fault;
  fault.kind = kind;
  fault.where = event_->site->where;
  fault.warp = now_.warp;
  fault.lane = lane;
  fault.block = now_.block;
  fault.op = event_->site->op;
  fault.bytes = event_->site->bytes();
  fault.address = event_->at(lane);
  fault.other = program_.sites[other.site].where;
  fault.other_block = other.block;
  fault.other_warp = other.warp;
  fault.other_lane = other.lane < kLanes ? other.lane : 0;
  worst_ = std::move(fault);
}

void GlobalChecker::report() {
  if (any_) faults_->push_back(std::move(worst_));
  any_ = false;
}

bool GlobalChecker::is_same_lanes(std::uint64_t seen, std::uint64_t own) const {
  const RaceShadow& shadow = races_.shadow();
  return is_one_thread(seen, own) &&
         shadow.shape(GlobalAccess::site_of(seen)).shift == shadow.shape(now_.site).shift;
}

// Whatever any lane did then comes before what the warp does now.
bool GlobalChecker::is_over(std::uint64_t seen) const {
  return GlobalAccess::of(seen).tick + clocks_->first() <= clocks_->own_floor(now_.warp);
}

bool GlobalChecker::is_settled(std::uint64_t seen, std::uint64_t own) {
  if (takes_place_of(seen, own)) return true;
  if (seen == RaceShadow::kCells) return false;
  return !races_.ordering(GlobalAccess::site_of(seen)).is_weak() && !ordering_->is_weak();
}

bool GlobalChecker::is_before(const GlobalAccess& other, std::uint32_t lane) {
  if (other.block != now_.block) return published(other);
  if (other.tick == GlobalAccess::kMostTicks) return true;
  const std::uint32_t tick = other.tick + clocks_->first();
  if (other.warp != now_.warp) return clocks_->ordered(now_.warp, other.warp, tick);
  if (tick <= clocks_->own_floor(now_.warp)) return true;
  if (other.lane == GlobalAccess::kTogether || ordering_->is_together) return true;
  if (lane >= kLanes) return false;  // several, of which not all may have waited
  if (other.lane < kLanes) return clocks_->lanes_ordered(now_.warp, lane, other.lane, tick);
  // Several lanes: which is not known. Where the lane has waited for another, it may be for them.
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    if (i != lane && clocks_->lanes_ordered(now_.warp, lane, i, tick)) return true;
  }
  return false;
}

bool GlobalChecker::published(const GlobalAccess& other) {
  Published& known = published_[other.block % published_.size()];
  if (known.block == other.block && other.tick <= known.tick) return true;
  if (!races_.published(other.block, other.tick, now_.block)) return false;
  known = {other.block, other.tick};
  return true;
}

void GlobalChecker::note_read(const Sector& at, std::uint32_t n, std::uint32_t lane) {
  const std::uint64_t own = own_ | lane;
  RaceShadow& shadow = races_.shadow();
  std::array<std::uint64_t, 2> known{};
  for (const Plane plane : {Plane::kRead, Plane::kOtherRead}) {
    const std::uint64_t seen = shadow.seen(plane, at, n);
    known[plane == Plane::kRead ? 0 : 1] = seen;
    if (seen != 0 && is_one_warp(seen, own) && ((seen ^ own) & GlobalAccess::kTick) == 0) {
      return shadow.note_read(plane, at, n, joined(seen, own));
    }
    const bool over =
        seen == 0 || is_one_thread(seen, own) || is_before(GlobalAccess::of(seen), lane);
    if (over) return shadow.note_read(plane, at, n, own);
  }
  if (is_farther(known[0], known[1], own)) shadow.note_read(Plane::kOtherRead, at, n, own);
}

std::uint64_t GlobalChecker::joined(std::uint64_t seen, std::uint64_t own) const {
  const auto lane_of = [](std::uint64_t who) { return static_cast<std::uint32_t>(who & 63U); };
  if (lane_of(seen) == GlobalAccess::kTogether) return own;
  if (lane_of(own) == GlobalAccess::kTogether) return seen;
  // Of both, what is not atomic races with more.
  const std::uint64_t weaker = ordering_->is_weak() ? own : seen;
  return with_lane(weaker, lane_of(seen) == lane_of(own) ? lane_of(own) : GlobalAccess::kMany);
}

void GlobalChecker::note_whole_read(const Sector& at, std::uint64_t own) {
  RaceShadow& shadow = races_.shadow();
  const std::uint64_t first = RaceShadow::whole(Plane::kRead, at);
  const bool known = first == 0 || is_same_lanes(first, own);
  if (known) return shadow.note_whole_read(Plane::kRead, at, own);
  const std::uint64_t second = RaceShadow::whole(Plane::kOtherRead, at);
  // Two other blocks have read it already.
  const bool enough = second != 0 && !races_.synchronises() && !is_one_block(first, own) &&
                      !is_one_block(second, own) && !is_one_block(first, second) &&
                      (first | second) < RaceShadow::kCells;
  if (enough) return shadow.note_read_by_two(at);
  if (takes_place_of(first, own)) return shadow.note_whole_read(Plane::kRead, at, own);
  if (first == RaceShadow::kCells || second == RaceShadow::kCells) {
    const std::uint32_t per_lane = this->per_lane();
    for (std::uint32_t n = 0; n < shadow.locations(); ++n) {
      note_read(at, n, static_cast<std::uint32_t>(own & 63U) + n / per_lane);
    }
    return;
  }
  if (takes_place_of(second, own) || is_farther(first, second, own)) {
    shadow.note_whole_read(Plane::kOtherRead, at, own);
  }
}

bool GlobalChecker::takes_place_of(std::uint64_t seen, std::uint64_t own) {
  if (seen == 0 || is_same_lanes(seen, own)) return true;
  if (seen == RaceShadow::kCells) return false;
  return is_one_warp(seen, own) ? is_over(seen) : is_before(GlobalAccess::of(seen), 0);
}

void GlobalChecker::store_whole(std::uint32_t lane, RaceShadow::Words& into) const {
  const Site& site = *event_->site;
  const std::size_t bytes = site.bytes();
  auto* to = reinterpret_cast<std::byte*>(into.data());
  if (site.elements == 1 && site.register_bytes == site.element_bytes) {
    // As they lie in the lanes' registers.
    const Slot slot = program_.code[site.where].d;
    std::memcpy(to, event_->warp->at(slot) + lane * bytes, sizeof into);
    return;
  }
  const std::size_t grain = races_.shadow().grain();
  for (std::size_t at = 0; at < sizeof into; at += grain) {
    const auto from = static_cast<std::uint32_t>(at % bytes);
    const std::uint32_t bits = stored(lane + static_cast<std::uint32_t>(at / bytes), from);
    std::memcpy(to + at, &bits, grain);
  }
}

// The bits that the lane stores from its byte `from` on, as many bytes as a location has.
std::uint32_t GlobalChecker::stored(std::uint32_t lane, std::uint32_t from) const {
  const Site& site = *event_->site;
  const unsigned e = from / site.element_bytes;
  const Slot slot = site.elements == 1 ? program_.code[site.where].d : site.registers[e];
  const std::byte* value = event_->warp->at(slot) + std::size_t{lane} * site.register_bytes;
  std::uint32_t bits = 0;
  std::memcpy(&bits, value + from % site.element_bytes, races_.shadow().grain());
  return bits;
}

}  // namespace lab::model::check
