#include "harness/model/check/checker.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "harness/model/execute/block.h"
#include "harness/model/execute/warp.h"

namespace lab::model::check {
namespace {

bool reads(const AccessEvent& event, const Program& program) {
  if (event.site->op == AccessOp::kStore) return false;
  return event.site->op == AccessOp::kLoad ||
         instruction_of(program, event.site->where).sub != ptx::Sub::kExch;
}

Places places_of(const Pattern& pattern, std::uint32_t grain) {
  PlacesByLane places;
  for (std::uint32_t left = pattern.key.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    places.add(lane, pattern.from_lowest(lane) / grain, pattern.key.bytes / grain);
  }
  return places.all();
}

/// How far apart the threads of a race are: what orders them differs.
enum class Apart : std::uint8_t { kLanes, kWarps, kBlocks };
Apart apart(const Fault& fault) {
  if (fault.other == kNone || is_within_a_warp(fault)) return Apart::kLanes;
  return fault.block == fault.other_block ? Apart::kWarps : Apart::kBlocks;
}

// Faults with the same key are counted together: where, the other instruction, how far apart, kind.
// Indices into the code are below 2^25: races.h packs them with 7 more bits.
constexpr std::uint32_t kMostIndex = (1U << 25U) - 1U;
std::uint64_t key_of(const Fault& fault) {
  return (std::uint64_t{fault.where} << 35U) | (std::uint64_t{fault.other & kMostIndex} << 9U) |
         (static_cast<std::uint64_t>(apart(fault)) << 7U) | static_cast<std::uint64_t>(fault.kind);
}
/// `count` more faults of that key, to be sorted behind the one that was described.
Fault more_of(std::uint64_t key, std::uint64_t count, std::uint64_t block) {
  Fault fault;
  fault.kind = static_cast<FindingKind>(key & 127U);
  fault.where = static_cast<std::uint32_t>(key >> 35U);
  fault.other = static_cast<std::uint32_t>(key >> 9U) & kMostIndex;
  if (fault.other == kMostIndex) fault.other = kNone;
  const auto far = static_cast<Apart>((key >> 7U) & 3U);
  fault.block = block;
  fault.other_block = far == Apart::kBlocks ? block + 1 : block;
  fault.warp = kNone;
  fault.other_warp = far == Apart::kLanes ? kNone : 0;
  fault.count = count;
  return fault;
}

}  // namespace

bool is_store(const Program& program, std::uint32_t where) {
  return instruction_of(program, where).op == ptx::Op::kSt;
}

GlobalShadows make_shadows(const GlobalMemory& memory) {
  GlobalShadows shadows;
  for (const Allocation& allocation : memory.all()) {
    if (allocation.initialised || allocation.bytes == 0) continue;
    shadows.push_back(std::make_shared<GlobalShadow>(allocation.base, allocation.bytes));
  }
  return shadows;
}

std::uint32_t memory_grain(const Program& program, ptx::Space space) {
  std::uint32_t grain = 4;
  for (const Site& site : program.sites) {
    if (site.space == space) {
      grain = std::min<std::uint32_t>(grain, site.element_bytes);
    }
  }
  return grain;
}

Checker::Checker(const Program& program, std::uint64_t shared_bytes, const GlobalShadows& shadows,
                 GlobalRaces* global, ClusterRaces* cluster)
    : program_(program),
      shadows_(shadows),
      global_(global),
      cluster_(cluster),
      shared_bytes_(shared_bytes),
      met_(program.sites.size()),
      orderings_(orderings_of(program)),
      follower_(program) {
  if (shared_bytes > 0 || global != nullptr) {
    races_.emplace(shared_bytes, memory_grain(program, ptx::Space::kShared));
    copies_.emplace(*races_);
    grain_shift_ = std::countr_zero(races_->grain());
  }
  if (global != nullptr) global_checker_.emplace(program, *global);
}

void Checker::block_begins(const Block& block) {
  serial_ = 0;
  fenced_ = false;
  releases_ = 0;
  released_globally_ = {};
  acquired_ = {};
  if (global_checker_) global_checker_->begin(block.index());
  released_.clear();
  follower_.begin(block.warps().size());
  if (!races_) return;
  races_->begin(static_cast<unsigned>(block.warps().size()));
  copies_->begin();
  if (cluster_ == nullptr) return;
  rank_ = block.cluster_rank();
  cluster_->begin(rank_, *races_);
}

void Checker::barrier_released(const Block&, std::uint32_t arrived, std::uint32_t waiting) {
  if (races_) races_->barrier(arrived, waiting);
}

void Checker::warp_synchronised(const Warp& warp, std::uint32_t mask) {
  if (!races_) return;
  races_->moving_clocks().lanes_meet(warp.index, mask);
  if ((warp.live & ~mask) == 0) {
    races_->moving_clocks().advance(warp.index);
  } else {
    races_->moving_clocks().advance(warp.index, mask);
  }
}

void Checker::order(const AccessEvent& event) {
  const Ordering& ordering = ordering_of(event);
  const unsigned warp = event.warp->index;
  for (std::uint32_t left = event.mask; left != 0; left &= left - 1) {
    const std::uint64_t at = event.at(static_cast<unsigned>(std::countr_zero(left)));
    const auto found = released_.find(at);
    if (ordering.acquires && found != released_.end()) {
      races_->moving_clocks().acquire(warp, found->second);
      races_->moving_clocks().advance(warp);
    }
    // A store begins anew; an update goes on with what was released before.
    if (ordering.is_store && found != released_.end()) released_.erase(found);
    if (!ordering.releases) continue;
    const Clocks::Known own = races_->moving_clocks().release(warp);
    const auto [to, is_new] = released_.try_emplace(at, own);
    if (!is_new) to->second = Clocks::join(to->second, own);
  }
}

void Checker::fenced(const Warp&) { fenced_ = true; }

void Checker::cluster_barrier(const Block& block, bool released) {
  if (races_ && cluster_ != nullptr && !released) cluster_->publish(rank_);
  if (!races_ || global_ == nullptr) return;
  if (released) return global_->acquire(block.index());
  const Clocks& clocks = races_->clocks();
  std::uint32_t latest = clocks.first();
  for (const Warp& warp : block.warps()) latest = std::max(latest, clocks.tick(warp.index));
  global_->release(block.index(), latest - clocks.first());
}

void Checker::executes(const Ins& ins, Warp& warp) {
  const auto used = [&](std::uint32_t where, const Unwritten& read) {
    const Site& site = program_.sites[read.site];
    AccessEvent event;
    event.warp = &warp;
    event.site = &site;
    event.space = site.space;
    Fault fault = fault_of(event, {read.lane, read.address}, FindingKind::kUninitialised);
    fault.used = where;
    use_unwritten(*warp.block, std::move(fault), read.location);
  };
  if (!follower_.executes(ins, warp, used)) warp.followed = false;
}

void Checker::acquire_globally(const Block& block, std::uint32_t warp) {
  global_->acquire(block.index());
  if (acquired_[warp] == releases_) return;
  acquired_[warp] = releases_;
  races_->moving_clocks().acquire(warp, released_globally_);
  races_->moving_clocks().advance(warp);
}

void Checker::release_globally(const Block& block, std::uint32_t warp) {
  const Clocks& clocks = races_->clocks();
  global_->release(block.index(), clocks.tick(warp) - clocks.first());
  released_globally_ = Clocks::join(released_globally_, races_->moving_clocks().release(warp));
  ++releases_;
}

void Checker::global_races(const AccessEvent& event) {
  const Ordering& ordering = ordering_of(event);
  const Block& block = *event.warp->block;
  if (!ordering.is_weak() && event.site->op != AccessOp::kStore) {
    acquire_globally(block, event.warp->index);
  }
  global_checker_->access(event, races_->clocks(), raced_globally_);
  for (Fault& fault : raced_globally_) report(*event.warp->block, std::move(fault));
  raced_globally_.clear();
  if (!ordering.is_weak() && writes(event) && (fenced_ || ordering.releases)) {
    release_globally(block, event.warp->index);
  }
}

void Checker::access(const AccessEvent& event) {
  ++serial_;
  const bool shared = event.space == ptx::Space::kShared;
  if (cluster_ != nullptr) [[unlikely]] {
    cluster_acquires(event);
    if (shared) meets_cluster(event);
    cluster_releases(event);
  }
  if (event.space == ptx::Space::kGlobal && global_ != nullptr) global_races(event);
  if (event.space == ptx::Space::kGlobal && copies_) {
    if (event.site->kin == Site::Kin::kAsync) note_source(event);
    if (copies_->any_user(writes(event))) meets_users(event);
  }
  if (!shared && (event.space != ptx::Space::kGlobal || shadows_.empty())) return;
  if (shared && is_known_read(event)) return;
  if (shared && ordering_of(event).is_strong) order(event);
  if (shared && copies_->any_reader() && writes(event)) meets_readers(event);
  const bool copies = shared && event.site->kin == Site::Kin::kAsync;
  if (shared && is_fine(event)) {
    if (copies) copy_begins(event);
    return;
  }
  for (std::uint32_t left = event.mask; left != 0; left &= left - 1) {
    const auto number = static_cast<unsigned>(__builtin_ctz(left));
    const Lane lane{number, event.at(number)};
    if (shared) {
      shared_access(event, lane);
    } else {
      global_access(event, lane);
    }
  }
  if (copies) copy_begins(event);
}

Checker::Met& Checker::met_of(const Site& site, const Pattern& pattern) {
  Met& met = met_[static_cast<std::size_t>(&site - program_.sites.data())];
  if (met.pattern != &pattern) {
    const auto [found, is_new] = places_.try_emplace(&pattern);
    if (is_new) found->second = places_of(pattern, races_->grain());
    met = {&pattern, &found->second};
  }
  return met;
}

// Nearly all reads of a tiled product end here, so that nothing is asked twice: is_fine() was true
// of the site's pattern, and its place is all that changes.
bool Checker::is_known_read(const AccessEvent& event) {
  const Met& met = met_[static_cast<std::size_t>(event.site - program_.sites.data())];
  if (met.fine == nullptr || met.fine != event.pattern) return false;
  if (event.mask != met.fine->key.mask) return false;  // of one address, any lanes have the pattern
  const std::uint64_t low = event.first() + met.fine->low;
  if (low > shared_bytes_ || met.fine->span > shared_bytes_ - low) return false;
  if ((low & (event.site->bytes() - 1)) != 0) return false;
  const std::uint64_t at = low >> grain_shift_;
  const Together who{event.site->where, serial_, event.warp->index};
  return races_->is_put_off(at, *met.places, who) ||
         races_->is_known_read(at, *met.places, who.warp);
}

bool Checker::is_fine(const AccessEvent& event) {
  const Pattern* pattern = event.pattern;
  if (pattern == nullptr || pattern->transient || event.mask != pattern->key.mask) return false;
  if (event.mask == 0 || is_atomic(event) || ordering_of(event).is_strong) return false;
  const std::uint64_t low = event.first() + pattern->low;
  // Out of bounds and misaligned accesses are reported elsewhere and touch nothing.
  if (low > shared_bytes_ || pattern->span > shared_bytes_ - low) return false;
  if (((low | pattern->low_bits) & (event.site->bytes() - 1)) != 0) return false;
  const Together who{event.site->where, serial_, event.warp->index};
  const std::uint64_t at = low / races_->grain();
  Met& met = met_of(*event.site, *pattern);
  if (writes(event)) return races_->writes_are_fine(at, *met.places, who);
  if (!races_->reads_are_fine(at, *met.places, who)) return false;
  met.fine = pattern;
  return true;
}

void Checker::shared_access(const AccessEvent& event, const Lane& lane) {
  const std::uint32_t bytes = event.site->bytes();
  // Out of bounds and misaligned accesses are reported elsewhere and touch nothing.
  if (lane.address > shared_bytes_ || bytes > shared_bytes_ - lane.address) return;
  if (lane.address % bytes != 0) return;
  const std::uint32_t grain = races_->grain();
  const Access access{event.site->where, serial_, static_cast<std::uint8_t>(event.warp->index),
                      static_cast<std::uint8_t>(lane.number)};
  const bool strong = is_atomic(event) || ordering_of(event).is_strong;
  std::optional<Race> found;
  std::uint64_t raced = 0;
  std::uint32_t unwritten = 0;  // elements
  std::uint64_t first = 0;
  for (std::uint64_t at = lane.address / grain; at * grain < lane.address + bytes; ++at) {
    if (!races_->is_written(at)) {
      if (unwritten == 0) first = at;
      unwritten |= 1U << ((at * grain - lane.address) / event.site->element_bytes);
    }
    const auto one =
        writes(event) ? races_->write(at, access, strong) : races_->read(at, access, strong);
    if (one && reads_unwritten_) {
      unwritten_.erase(at);
      raced_.insert(at);
    }
    if (one && !found) raced = at;
    if (one && !found) found = one;
  }
  if (unwritten != 0 && reads(event, program_)) read_unwritten(event, lane, unwritten, first);
  if (found) race(event, lane, raced, *found);
}

void Checker::read_unwritten(const AccessEvent& event, const Lane& lane, std::uint32_t elements,
                             std::uint64_t location) {
  const Site& site = *event.site;
  reads_unwritten_ = true;
  if (site.op != AccessOp::kLoad || program_.code[site.where].flow == Flow::kUses) {
    return use_unwritten(*event.warp->block, fault_of(event, lane, FindingKind::kUninitialised),
                         location);
  }
  const auto index = static_cast<std::uint32_t>(&site - program_.sites.data());
  const Unwritten read{lane.address, location, index, lane.number};
  for (unsigned e = 0; e < site.elements; ++e) {
    if (((elements >> e) & 1U) != 0) follower_.loads(*event.warp, read, e);
  }
  event.warp->block->follow(event.warp->index);
}

void Checker::use_unwritten(Block& block, Fault fault, std::uint64_t location) {
  if (fault.space != ptx::Space::kShared) return report(block, std::move(fault));
  if (raced_.contains(location)) return;
  std::vector<Fault>& uses = unwritten_[location];
  const auto same = std::find_if(uses.begin(), uses.end(),
                                 [&](const Fault& f) { return f.where == fault.where; });
  if (same != uses.end()) {
    ++same->count;
  } else {
    uses.push_back(std::move(fault));
  }
}

void Checker::global_access(const AccessEvent& event, const Lane& lane) {
  const std::uint32_t bytes = event.site->bytes();
  for (const auto& shadow : shadows_) {
    if (!shadow->contains(lane.address, bytes)) continue;
    if (reads(event, program_) && !shadow->is_written(lane.address, bytes)) {
      std::uint32_t unwritten = 0;
      for (unsigned e = 0; e < event.site->elements; ++e) {
        const std::uint32_t each = event.site->element_bytes;
        unwritten |= std::uint32_t{!shadow->is_written(lane.address + e * each, each)} << e;
      }
      read_unwritten(event, lane, unwritten, 0);
    }
    if (writes(event)) shadow->write(lane.address, bytes);
    return;
  }
}

bool Checker::writes_same(const AccessEvent& event, const Lane& lane, const Race& found) const {
  if (!found.other_writes || event.site->op != AccessOp::kStore) return false;
  const Site& site = *event.site;
  const bool together = found.other.serial == serial_;  // one instruction, two lanes
  const Warp& warp = *event.warp;
  if (!together) return stores_what_is_there(event, lane, warp.block->shared + lane.address);
  if (event.at(found.other.lane) != lane.address) return false;
  for (unsigned e = 0; e < site.elements; ++e) {
    const Slot slot = site.elements == 1 ? program_.code[site.where].d : site.registers[e];
    const std::byte* values = warp.at(slot);
    const std::byte* mine = values + std::size_t{lane.number} * site.register_bytes;
    const std::byte* other = values + std::size_t{found.other.lane} * site.register_bytes;
    if (std::memcmp(mine, other, site.element_bytes) != 0) return false;
  }
  return true;
}

bool Checker::stores_what_is_there(const AccessEvent& event, const Lane& lane,
                                   const std::byte* memory) const {
  const Site& site = *event.site;
  if (site.kin == Site::Kin::kBulk) return false;  // they come from no registers
  for (unsigned e = 0; e < site.elements; ++e) {
    const Slot slot = site.elements == 1 ? program_.code[site.where].d : site.registers[e];
    const std::byte* mine = event.warp->at(slot) + std::size_t{lane.number} * site.register_bytes;
    if (std::memcmp(mine, memory + std::size_t{e} * site.element_bytes, site.element_bytes) != 0) {
      return false;
    }
  }
  return true;
}

bool Checker::is_stale(const AccessEvent& event, const Race& found) const {
  Ordering other;
  other.is_atomic = found.other_atomic;
  if (found.other_writes) return is_stale_read(*event.site, ordering_of(event), other);
  const Ins& read = program_.code[found.other.where];
  return read.flow == Flow::kLoad &&
         is_stale_read(program_.sites[read.extra], other, ordering_of(event));
}

void Checker::race(const AccessEvent& event, const Lane& lane, std::uint64_t at,
                   const Race& found) {
  if (writes_same(event, lane, found)) return;
  Fault fault = fault_of(
      event, lane, is_stale(event, found) ? FindingKind::kStaleRead : FindingKind::kSharedRace);
  fault.address = at * races_->grain();
  fault.other = found.other.where;
  fault.other_block = fault.block;
  fault.other_warp = found.other.warp;
  fault.other_lane = found.other.lane;
  if (found.is_with_copy()) {
    const UnderWay copy = copies_->met(found, event.warp->index, lane.number);
    if (!copy.barrier) return under_way(event, lane, fault.address, copy);
    fault.other_warp = copy.warp;
    fault.other_lane = copy.lane;
  }
  report(*event.warp->block, std::move(fault));
}

Fault Checker::fault_of(const AccessEvent& event, const Lane& lane, FindingKind kind) {
  Fault fault;
  fault.kind = kind;
  fault.where = event.site->where;
  fault.warp = event.warp->index;
  fault.lane = lane.number;
  fault.block = event.warp->block->index();
  fault.space = event.space;
  fault.op = event.site->op;
  fault.bytes = event.site->bytes();
  fault.address = lane.address;
  return fault;
}

void Checker::report(Block& block, Fault fault) {
  const auto [seen, first] = again_.try_emplace(key_of(fault), 0);
  if (first) {
    block.faults.add(std::move(fault));
  } else {
    seen->second += fault.count;
  }
}

void Checker::block_ends(Block& block) {
  leave_cluster(block);
  for (auto& [at, reads] : unwritten_) {
    for (Fault& fault : reads) report(block, std::move(fault));
  }
  unwritten_.clear();
  raced_.clear();
  reads_unwritten_ = false;
  for (auto& [key, count] : again_) {
    if (count == 0) continue;
    block.faults.add(more_of(key, std::exchange(count, 0), block.index()));
  }
}

}  // namespace lab::model::check
