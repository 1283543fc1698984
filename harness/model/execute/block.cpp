#include "harness/model/execute/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace lab::model {
namespace {

constexpr std::size_t kCacheLine = 64;

void run_warp(Warp& warp, Observer* observer) noexcept {
  const Ins* ins = warp.splits->resume(warp);
  if (observer == nullptr) {
    while (ins != nullptr) ins = ins->fn(ins, warp);
    return;
  }
  while (ins != nullptr) {
    if (warp.followed) [[unlikely]] {
      observer->executes(*ins, warp);
    }
    ins = ins->fn(ins, warp);
  }
}

void expand(std::byte* to, std::uint8_t width, std::uint64_t bits) {
  if (width == Found::kPredicate) {
    const std::uint32_t mask = bits != 0 ? kAllLanes : 0;
    std::memcpy(to, &mask, sizeof mask);
    return;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    std::memcpy(to + std::size_t{lane} * width, &bits, std::min<std::size_t>(width, 8));
  }
}

}  // namespace

AlignedBytes::AlignedBytes(std::size_t bytes) : storage_(bytes + kCacheLine) {
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  data_ = storage_.data() + (kCacheLine - address % kCacheLine) % kCacheLine;
}

Block::Block(const LaunchState& state, Observer* watcher)
    : observer(watcher),
      launch(&state),
      traffic(state.memory->sector_count()),
      uniform_(state.program->uniform_bytes),
      shared_memory_(state.program->shared_bytes + state.launch.dynamic_shared_bytes),
      reserved_memory_(kReservedShared),
      local_memory_(state.program->local_bytes * ((state.launch.block.count() + 31) / 32 * 32)),
      entered_(state.program->blocks.size()),
      sites_(state.program->sites.size()) {
  shared = shared_memory_.data();
  reserved = reserved_memory_.data();
  shared_bytes = state.program->shared_bytes + state.launch.dynamic_shared_bytes;
  local = local_memory_.data();
  local_bytes = state.program->local_bytes;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const Site& site = state.program->sites[i];
    sites_[i].site = &site;
    sites_[i].cost_shift = static_cast<std::uint64_t>(std::int64_t{site.cost_shift});
    if (site.rounds > 1) sites_[i].cost_mask = ~(std::uint64_t{site.cost_bytes} - 1);
    sites_[i].alignment = site.bytes() - 1;
    sites_[i].marks = state.program->traffic &&
                      (site.rule == CostRule::kGlobal || site.rule == CostRule::kGlobalAtomic);
    sites_[i].atomic = site.op == AccessOp::kAtomic || site.op == AccessOp::kReduction;
  }
  make_warps();
}

void Block::make_warps() {
  const Program& program = *launch->program;
  const std::uint64_t threads = launch->launch.block.count();
  const std::size_t count = (threads + kLanes - 1) / kLanes;
  warps_.resize(count);
  last_offsets_.resize(sites_.size() * count);
  if (launch->longest) {
    apart_.resize(entered_.size() * count);
    longest_.resize(entered_.size());
  }
  for (std::size_t i = 0; i < sites_.size(); ++i) sites_[i].last = &last_offsets_[i * count];
  for (std::size_t i = 0; i < count; ++i) {
    frames_.emplace_back(program.frame_bytes);
    slots_.emplace_back(program.slot_bytes);
    splits_.push_back(std::make_unique<Splits>(program));
    Warp& warp = warps_[i];
    warp.bank[0] = frames_[i].data();
    warp.bank[1] = uniform_.data();
    warp.bank[2] = slots_[i].data();
    warp.entered = launch->longest ? apart_.data() + i * entered_.size() : entered_.data();
    warp.sites = sites_.data();
    warp.block = this;
    warp.splits = splits_[i].get();
    warp.index = static_cast<std::uint32_t>(i);
  }
  for (const Constant& constant : program.constants) {
    expand(uniform_.data() + constant.slot.offset(), constant.width, constant.bits);
  }
  for (const SpecialValue& special : program.specials) fill_special(special, 0);
  run_prologue(program.launch_prologue, slots_.front().data());
  for (std::size_t i = 0; i < count; ++i) {
    for (const SpecialValue& special : program.specials) {
      if (special.slot.bank() == static_cast<std::uint32_t>(Bank::kSlot)) {
        fill_special(special, static_cast<std::uint32_t>(i));
      }
    }
    run_prologue(program.slot_prologue, slots_[i].data());
  }
}

void Block::run_prologue(const std::vector<Ins>& prologue, std::byte* slot_bank) {
  if (prologue.size() < 2) return;  // nothing but the stop
  Warp warp;
  warp.bank[0] = frames_.front().data();
  warp.bank[1] = uniform_.data();
  warp.bank[2] = slot_bank;
  warp.mask = kAllLanes;
  warp.live = kAllLanes;
  warp.block = this;
  for (const Ins* ins = prologue.data(); ins != nullptr;) ins = ins->fn(ins, warp);
}

namespace {

std::uint32_t part(const Dim3& dim, unsigned component) {
  return component == 0 ? dim.x : component == 1 ? dim.y : component == 2 ? dim.z : 0;
}

/// x, y, z of element `index` of a box, x fastest.
std::uint32_t coordinate(const Dim3& box, std::uint64_t index, unsigned component) {
  switch (component) {
    case 0:
      return static_cast<std::uint32_t>(index % box.x);
    case 1:
      return static_cast<std::uint32_t>(index / box.x % box.y);
    case 2:
      return static_cast<std::uint32_t>(index / box.x / box.y);
    default:
      return 0;
  }
}

bool differs_by_block(ptx::Special special) {
  using ptx::Special;
  return special == Special::kCtaid || special == Special::kSmid ||
         special == Special::kClusterid || special == Special::kClusterCtaid ||
         special == Special::kClusterCtarank;
}

/// The mask that %lanemask_* gives a lane.
std::uint32_t lane_mask(ptx::Special special, unsigned lane) {
  const std::uint32_t equal = 1U << lane;
  const std::uint32_t below = equal - 1U;
  switch (special) {
    case ptx::Special::kLanemaskEq:
      return equal;
    case ptx::Special::kLanemaskLe:
      return below | equal;
    case ptx::Special::kLanemaskLt:
      return below;
    case ptx::Special::kLanemaskGe:
      return ~below;
    default:
      return ~(below | equal);
  }
}

}  // namespace

void Block::fill_special(const SpecialValue& special, std::uint32_t warp) {
  using ptx::Special;
  const auto bank = special.slot.bank();
  std::byte* at =
      (bank == static_cast<std::uint32_t>(Bank::kSlot) ? slots_[warp].data() : uniform_.data()) +
      special.slot.offset();
  const Launch& shape = launch->launch;
  const std::uint32_t along = std::max(part(launch->cluster, special.component), 1U);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t thread = std::uint64_t{warp} * kLanes + lane;
    std::uint64_t value = 0;
    switch (special.special) {
      case Special::kTid:
        value = coordinate(shape.block, thread, special.component);
        break;
      case Special::kNtid:
        value = part(shape.block, special.component);
        break;
      case Special::kCtaid:
        value = coordinate(shape.grid, index_, special.component);
        break;
      case Special::kNctaid:
        value = part(shape.grid, special.component);
        break;
      case Special::kLaneid:
        value = lane;
        break;
      case Special::kWarpid:
        value = warp;
        break;
      case Special::kNwarpid:
        value = 64;
        break;
      case Special::kClusterid:
        value = coordinate(shape.grid, index_, special.component) / along;
        break;
      case Special::kNclusterid:
        value = part(shape.grid, special.component) / along;
        break;
      case Special::kClusterCtaid:
        value = coordinate(shape.grid, index_, special.component) % along;
        break;
      case Special::kClusterCtarank:
        value = cluster_rank();
        break;
      case Special::kSmid:
        value = index_ % kMultiprocessors;
        break;
      case Special::kNsmid:
        value = kMultiprocessors;
        break;
      case Special::kLanemaskEq:
      case Special::kLanemaskLe:
      case Special::kLanemaskLt:
      case Special::kLanemaskGe:
      case Special::kLanemaskGt:
        value = lane_mask(special.special, lane);
        break;
      case Special::kDynamicSmemSize:
        value = shape.dynamic_shared_bytes;
        break;
      case Special::kTotalSmemSize:
        value = shared_bytes + kReservedShared;
        break;
      case Special::kReservedSmem:
        value = kReservedBase;
        break;
      case Special::kEnvreg:
        // Registers 1 and 2 are the halves of the address that a grid's barrier uses.
        value = special.component == 1   ? launch->workspace >> 32U
                : special.component == 2 ? launch->workspace & 0xffffffffU
                                         : 0;
        break;
      default:
        value = 0;  // %gridid
        break;
    }
    std::memcpy(at + std::size_t{lane} * special.width, &value, special.width);
  }
}

void Block::begin(std::uint64_t index) {
  const Program& program = *launch->program;
  index_ = index;
  stop_ = Stop::kRunning;
  stopped_at_ = kNone;
  ended_ = false;
  traffic.end_block();  // of the block before
  for (const SpecialValue& special : program.specials) {
    if (differs_by_block(special.special)) fill_special(special, 0);
  }
  run_prologue(program.block_prologue, slots_.front().data());
  const std::uint64_t threads = launch->launch.block.count();
  for (Warp& warp : warps_) {
    const std::uint64_t left = threads - std::uint64_t{warp.index} * kLanes;
    warp.live = left >= kLanes ? kAllLanes : (1U << left) - 1U;
    warp.carry = 0;
    warp.followed = false;
    warp.fuel = slice(0);
    warp.splits->reset(warp);
  }
  for (Barrier& barrier : barriers_) barrier = Barrier();
  spins_.assign(warps_.size(), SpinWatch());
  std::memset(reserved, 0, kReservedShared);
  stuck_ = 0;
  stalled_ = false;
  patience_ = Patience::kWaits;
  mbarriers.clear();
  if (observer != nullptr) observer->block_begins(*this);
}

bool Block::turn() {
  bool ran = false;
  stalled_ = true;  // until something moves
  for (Warp& warp : warps_) {
    if (!warp.splits->any_ready()) continue;
    run_warp(warp, observer);
    ran = true;
    if (stop_ != Stop::kRunning) return false;
    // A warp that stopped, but not because of the watchdog, has made progress.
    if (warp.splits->any_ready()) continue;
    stuck_ = 0;
    stalled_ = false;
  }
  if (release_complete_barriers()) {
    stalled_ = false;
    return true;
  }
  if (ran || release_warp_barriers()) return true;
  // Other blocks of the cluster may still come, unless this block's own threads can't.
  return cluster_.size() > 1 && barriers_[kClusterBarrier].pending() &&
         (is_at_cluster_barrier() || patience_ != Patience::kGivesUp);
}

void Block::run(std::uint64_t index) {
  begin(index);
  while (turn()) {
  }
  end();
}

void Block::end() {
  const bool waiting = std::any_of(warps_.begin(), warps_.end(), [](const Warp& warp) {
    return warp.splits->mask_of(Split::State::kBarrier) != 0;
  });
  if (stop_ == Stop::kRunning && waiting) report_deadlock();
  if (launch->longest) add_up_warps();
  ended_ = true;
  if (observer != nullptr) observer->block_ends(*this);
}

void Block::add_up_warps() {
  const std::vector<BasicBlock>& blocks = launch->program->blocks;
  std::size_t longest = 0;
  std::uint64_t most = 0;
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
    std::uint64_t instructions = 0;
    for (std::size_t i = 0; i < entered_.size(); ++i) {
      const std::uint64_t times = apart_[warp * entered_.size() + i];
      entered_[i] += times;
      instructions += times * blocks[i].instructions;
    }
    if (instructions <= most) continue;
    most = instructions;
    longest = warp;
  }
  for (std::size_t i = 0; i < entered_.size(); ++i) {
    longest_[i] += apart_[longest * entered_.size() + i];
  }
  std::fill(apart_.begin(), apart_.end(), 0);
}

bool Block::release_complete_barriers() {
  bool released = false;
  for (std::uint32_t id = 0; id < barriers_.size(); ++id) {
    if (id == kClusterBarrier && cluster_.size() > 1) continue;  // when all its blocks are there
    if (!barriers_[id].complete(warps_)) continue;
    release(barriers_[id]);
    released = true;
  }
  return released;
}

void Block::release(Barrier& barrier) {
  if (observer != nullptr) {
    std::uint32_t arrived = 0;
    std::uint32_t waiting = 0;
    for (const Arrival& a : barrier.arrivals()) {
      arrived |= 1U << a.warp->index;
      waiting |= a.waits ? 1U << a.warp->index : 0U;
    }
    observer->barrier_released(*this, arrived, waiting);
  }
  barrier.release();
}

bool Block::is_at_cluster_barrier() const {
  return ended_ || barriers_[kClusterBarrier].complete(warps_);
}

void Block::publish_to_cluster() {
  if (observer != nullptr) observer->cluster_barrier(*this, false);
}

void Block::release_cluster_barrier() {
  release(barriers_[kClusterBarrier]);
  if (observer != nullptr) observer->cluster_barrier(*this, true);
  stalled_ = false;
}

std::uint32_t Block::cluster_rank() const {
  const Dim3& grid = launch->launch.grid;
  const Dim3& cluster = launch->cluster;
  const auto along = [&](const Dim3& box, unsigned component) {
    return coordinate(grid, index_, component) % part(box, component);
  };
  return along(cluster, 0) + cluster.x * (along(cluster, 1) + cluster.y * along(cluster, 2));
}

const Ins* Block::arrive(Warp& warp, std::uint32_t id, const Arrival& arrival) {
  check_barrier(warp, id, arrival);
  return arrive_at(warp, barriers_[id % kClusterBarrier], arrival);
}

const Ins* Block::arrive_at_cluster(Warp& warp, const Arrival& arrival) {
  return arrive_at(warp, barriers_[kClusterBarrier], arrival);
}

const Ins* Block::arrive_at(Warp& warp, Barrier& barrier, const Arrival& arrival) {
  barrier.arrive(arrival);
  return arrival.waits ? warp.splits->park(warp, arrival.ins + 1, Split::State::kBarrier)
                       : arrival.ins + 1;
}

// PTX ISA, "bar, barrier": 16 barriers per block, counts of whole warps.
void Block::check_barrier(const Warp& warp, std::uint32_t id, const Arrival& arrival) {
  const auto lane = static_cast<unsigned>(__builtin_ctz(arrival.mask));
  if (id >= kClusterBarrier) {
    fault(warp, FindingKind::kInvalidBarrier, arrival.ins, lane,
          fmt::format("barrier {} does not exist: a block has barriers 0 to {}", id,
                      kClusterBarrier - 1));
  }
  if (arrival.counted && (arrival.expected == 0 || arrival.expected % kLanes != 0)) {
    fault(warp, FindingKind::kInvalidBarrier, arrival.ins, lane,
          fmt::format("barrier {} can't wait for {} threads: it counts whole warps of {}", id,
                      arrival.expected, kLanes));
  }
}

void Block::abort(Stop why) {
  stop_ = why;
  for (Warp& warp : warps_) warp.splits->stop(warp);
}

void Block::fault(const Warp& warp, FindingKind kind, const Ins* at, unsigned lane,
                  const std::string& detail, LoopFault loop) {
  Fault f;
  f.loop = loop;
  f.kind = kind;
  f.where = static_cast<std::uint32_t>(at - launch->program->code.data());
  f.warp = warp.index;
  f.lane = lane;
  f.block = index_;
  f.detail = detail;
  faults.add(std::move(f));
}

void Block::divergent_barrier(const Warp& warp, const Ins* at) {
  // On the GPU these lanes would have waited for the others, where they were made to go on.
  if (warp.splits->released()) return;
  if (never_ends(at)) return report_endless(warp, at);
  const std::uint32_t absent = warp.live & ~warp.mask;
  const auto lane = static_cast<unsigned>(__builtin_ctz(warp.mask));
  fault(warp, FindingKind::kDivergentBarrier, at, lane,
        std::to_string(__builtin_popcount(warp.mask)) +
            " threads of the warp are at the barrier, " +
            std::to_string(__builtin_popcount(absent)) + " are elsewhere");
}

void Block::absent_lanes(const Warp& warp, const Ins* at, std::uint32_t lanes) {
  fault(warp, FindingKind::kInvalidWarpOperation, at,
        static_cast<unsigned>(__builtin_ctz(warp.mask)),
        "the mask of a warp-wide operation names lane " + std::to_string(__builtin_ctz(lanes)) +
            ", which does not execute it with the others");
}

void Block::absent_caller(const Warp& warp, const Ins* at, unsigned lane) {
  fault(warp, FindingKind::kInvalidWarpOperation, at, lane,
        "a warp-wide operation is executed by a lane that its mask does not name");
}

void Block::inactive_source(const Warp& warp, const Ins* at, unsigned lane, std::uint32_t sources) {
  Fault f;
  f.kind = FindingKind::kInvalidWarpOperation;
  f.where = static_cast<std::uint32_t>(at - launch->program->code.data());
  f.warp = warp.index;
  f.lane = lane;
  f.block = index_;
  f.outside = sources;
  faults.add(std::move(f));
}

void Block::no_function(const Warp& warp, const Ins* at, unsigned lane, std::uint64_t pointer) {
  fault(warp, FindingKind::kInvalidCall, at, lane,
        fmt::format("a call through the pointer {:#x}, which is not a function with this "
                    "call's parameters and results",
                    pointer));
}

void Block::check_mbarrier(const Warp& warp, const Ins* at, unsigned lane, std::uint64_t address,
                           std::uint64_t bits) {
  const auto found = mbarriers.find(address);
  if (found != mbarriers.end() && found->second == bits) return;
  const char* wrong = found == mbarriers.end()
                          ? "is used and not initialised"
                          : "was overwritten: something else than operations on it changed it";
  fault(warp, FindingKind::kInvalidBarrier, at, lane,
        fmt::format("the mbarrier at byte {} of shared memory {}", address, wrong));
}

void Block::no_block(const Warp& warp, const Ins* at, unsigned lane, std::uint64_t address,
                     std::uint32_t bytes) {
  const std::uint64_t rank = address / kWindowBytes - 1;
  const Block* owner = of_cluster(rank);
  const std::string what =
      fmt::format("access of {} bytes to shared memory of another block: ", bytes);
  if (owner == nullptr) {
    fault(warp, FindingKind::kOutOfBounds, at, lane,
          what + fmt::format("the cluster has ranks 0 to {}", cluster_blocks() - 1));
  } else if (owner->has_ended()) {
    fault(warp, FindingKind::kOutOfBounds, at, lane,
          what + fmt::format("the block of rank {} has come to its end, and its shared memory is "
                             "gone; cluster.sync() at the end of the kernel keeps it",
                             rank));
  } else {
    fault(warp, FindingKind::kOutOfBounds, at, lane,
          what + fmt::format("byte {} of the {} that the block of rank {} has",
                             address % kWindowBytes, owner->shared_bytes, rank));
  }
}

void Block::no_target(const Warp& warp, const Ins* at, unsigned lane, std::uint32_t index,
                      std::uint64_t targets) {
  fault(warp, FindingKind::kOutOfBounds, at, lane,
        fmt::format("a jump to entry {} of a table that has {}", index, targets));
}

const Ins* Block::warp_sync(Warp& warp, const Ins* at, const LaneMasks& members) {
  using State = Split::State;
  const std::uint32_t here = warp.mask | warp.splits->mask_of(State::kWarpBarrier);
  std::uint32_t named = 0;
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    named |= members[static_cast<unsigned>(__builtin_ctz(left))];
  }
  if ((named & warp.live & ~here) != 0) {
    // The others may be on another path, which leads them to a barrier as well.
    return warp.splits->park(warp, at + 1, State::kWarpBarrier);
  }
  warp.splits->release(State::kWarpBarrier);
  if (observer == nullptr) return at + 1;
  // Lanes may name others: in tiles of 16, each half names itself.
  for (std::uint32_t left = warp.mask; left != 0;) {
    const std::uint32_t group = members[static_cast<unsigned>(__builtin_ctz(left))];
    observer->warp_synchronised(warp, group & here);
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      if (members[lane] == group) left &= ~(1U << lane);
    }
  }
  return at + 1;
}

const Ins* Block::trap(const Warp& warp, const Ins* at) {
  fault(warp, FindingKind::kTrap, at, static_cast<unsigned>(__builtin_ctz(warp.mask)), {});
  abort(Stop::kFault);
  return nullptr;
}

bool Block::release_warp_barriers() {
  bool released = false;
  for (Warp& warp : warps_) {
    const std::uint32_t waiting = warp.splits->mask_of(Split::State::kWarpBarrier);
    if (waiting == 0) continue;
    const Ins* at = warp.splits->parked_at(Split::State::kWarpBarrier) - 1;
    fault(warp, FindingKind::kInvalidWarpOperation, at,
          static_cast<unsigned>(__builtin_ctz(waiting)),
          "__syncwarp() names threads that never come: " +
              std::to_string(__builtin_popcount(waiting)) + " wait, " +
              std::to_string(__builtin_popcount(warp.live & ~waiting)) + " are elsewhere");
    warp.splits->release(Split::State::kWarpBarrier);
    released = true;
  }
  return released;
}

void Block::report_deadlock() {
  for (std::uint32_t id = 0; id < barriers_.size(); ++id) {
    if (!barriers_[id].pending()) continue;
    const Arrival& first = barriers_[id].arrivals().front();
    if (never_ends(first.ins)) {
      report_endless(*first.warp, first.ins);
      continue;
    }
    int arrived = 0;
    for (const Arrival& each : barriers_[id].arrivals()) arrived += __builtin_popcount(each.mask);
    int alive = 0;
    for (const Warp& warp : warps_) alive += __builtin_popcount(warp.live);
    const std::string of = first.expected != 0
                               ? " of the " + std::to_string(first.expected) + " threads it counts"
                               : " of " + std::to_string(alive) + " threads that have not exited";
    fault(*first.warp, FindingKind::kBarrierDeadlock, first.ins,
          static_cast<unsigned>(__builtin_ctz(first.mask)),
          (id == kClusterBarrier ? "the cluster's barrier" : "barrier " + std::to_string(id)) +
              " waits forever: " + std::to_string(arrived) + of + " arrived at it");
  }
  abort(Stop::kFault);
}

std::uint64_t Block::warp_instructions() const {
  const Program& program = *launch->program;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < entered_.size(); ++i) {
    total += entered_[i] * program.blocks[i].instructions;
  }
  return total;
}

}  // namespace lab::model
