// Branches, calls, ends, and guards.
#include <cstdint>

#include "harness/model/execute/block.h"
#include "harness/model/execute/warp.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/lane_mask.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

/// Goes on at `pc`, the first instruction of `block`.
[[gnu::always_inline]] inline const Ins* enter(Warp& w, std::uint32_t block, const Ins* pc) {
  if (block == w.rpc) return w.splits->arrive(w);
  if (--w.fuel < 0) [[unlikely]] {
    return w.block->watch(w, pc, block);
  }
  ++w.entered[block];
  return pc;
}

LAB_HANDLER const Ins* jump(const Ins* ins, Warp& w) noexcept {
  return enter(w, ins->block, ins->target);
}

[[gnu::always_inline]] inline const Ins* branch(const Ins* ins, Warp& w, std::uint32_t taken) {
  if (taken == w.mask) return enter(w, ins->block, ins->target);
  if (taken == 0) return enter(w, ins->next_block, ins + 1);
  if (ins->extra == w.rpc && w.rpc != kNone) {
    // Lanes that go to where the others wait just leave this split.
    if (ins->next_block == w.rpc) {
      w.mask = taken;
      return enter(w, ins->block, ins->target);
    }
    if (ins->block == w.rpc) {
      w.mask &= ~taken;
      return enter(w, ins->next_block, ins + 1);
    }
  }
  return w.splits->diverge(w, ins, taken);
}
LAB_HANDLER const Ins* branch_if(const Ins* ins, Warp& w) noexcept {
  return branch(ins, w, w.predicate(ins->a) & w.mask);
}
LAB_HANDLER const Ins* branch_if_not(const Ins* ins, Warp& w) noexcept {
  return branch(ins, w, ~w.predicate(ins->a) & w.mask);
}

/// The lanes that the instruction's guard lets through. imm 0: all; 1: where it is true; 2: where
/// it is false.
[[gnu::always_inline]] inline std::uint32_t guarded(const Ins* ins, const Warp& w) {
  if (ins->imm == 0) return w.mask;
  const std::uint32_t bits = w.predicate(ins->a);
  return w.mask & (ins->imm == 1 ? bits : ~bits);
}

const Ins* exit_lanes(const Ins* ins, Warp& w) noexcept {
  const std::uint32_t gone = guarded(ins, w);
  return gone == 0 ? ins + 1 : w.splits->exit_lanes(w, gone, ins + 1);
}
const Ins* return_lanes(const Ins* ins, Warp& w) noexcept {
  const std::uint32_t gone = guarded(ins, w);
  return gone == 0 ? ins + 1 : w.splits->return_lanes(w, gone, ins + 1);
}
const Ins* call(const Ins* ins, Warp& w) noexcept {
  const std::uint32_t who = guarded(ins, w);
  return who == 0 ? ins + 1 : w.splits->call(w, ins->extra, who, ins + 1);
}

/// Narrows the mask to the lanes that a guard lets through; skips the instruction where there are
/// none. `target` is the instruction after the closing one.
const Ins* guard_open(const Ins* ins, Warp& w) noexcept {
  const std::uint32_t who = guarded(ins, w);
  if (who == 0) return ins->target;
  w.outer_mask = w.saved_mask;
  w.saved_mask = w.mask;
  w.mask = who;
  return ins + 1;
}
const Ins* guard_close(const Ins* ins, Warp& w) noexcept {
  w.mask = w.saved_mask;
  w.saved_mask = w.outer_mask;
  return ins + 1;
}

const Ins* stop(const Ins*, Warp&) noexcept { return nullptr; }

const Ins* invert(const Ins* ins, Warp& w) noexcept {
  w.set_predicate(ins->d, ~w.predicate(ins->a));
  return ins + 1;
}

// An indirect call: predicate d2 holds the lanes that have not found their function yet.
const Ins* match_start(const Ins* ins, Warp& w) noexcept {
  w.set_predicate(ins->d, guarded(ins, w));
  return ins + 1;
}
/// d: the lanes among them whose pointer a equals imm.
const Ins* match_target(const Ins* ins, Warp& w) noexcept {
  const auto* pointer = w.in<std::uint64_t>(ins->a);
  const std::uint32_t left = w.predicate(ins->d2) & w.mask;
  const std::uint64_t wanted = ins->imm;
  const std::uint32_t found = lane_mask<8>([=](unsigned i) { return pointer[i] == wanted; });
  w.set_predicate(ins->d, found & left);
  w.set_predicate(ins->d2, left & ~found);
  return ins + 1;
}
/// The lanes that are left point to no function. That is reported, and they go on.
const Ins* match_none(const Ins* ins, Warp& w) noexcept {
  const std::uint32_t left = w.predicate(ins->d2) & w.mask;
  if (left != 0) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    w.block->no_function(w, ins, lane, w.in<std::uint64_t>(ins->a)[lane]);
  }
  return ins + 1;
}

/// brx.idx: imm is the number of targets; they lie as jumps after this instruction.
const Ins* branch_table(const Ins* ins, Warp& w) noexcept {
  const auto* index = w.in<std::uint32_t>(ins->a);
  const auto first = static_cast<unsigned>(__builtin_ctz(w.mask));
  const std::uint32_t wanted = index[first];
  const std::uint32_t same = lane_mask<4>([=](unsigned i) { return index[i] == wanted; }) & w.mask;
  const std::uint64_t last = ins->imm - 1;
  if (wanted > last) [[unlikely]] {
    w.block->no_target(w, ins, first, wanted, ins->imm);
  }
  const Ins* to = ins + 1 + (wanted < last ? wanted : last);
  if (same == w.mask) return to;
  // One target at a time; the other lanes come back here, as in a chain of branches.
  return w.splits->peel(w, ins, same, to);
}

const Ins* nothing(const Ins* ins, Warp&) noexcept { return ins + 1; }

const Ins* fence(const Ins* ins, Warp& w) noexcept {
  if (w.block->observer != nullptr) w.block->observer->fenced(w);
  return ins + 1;
}

/// Groups of copies, which are executed at once: who waits for them matters to observers alone.
/// imm: GroupEvent::newest.
template <GroupEvent::What kWhat, bool kBulk, bool kReading>
const Ins* copy_group(const Ins* ins, Warp& w) noexcept {
  if (w.block->observer == nullptr) return ins + 1;
  w.block->observer->copy_group({&w, kWhat, kBulk, kReading, static_cast<std::uint32_t>(ins->imm)});
  return ins + 1;
}
const Ins* cluster_arrive(const Ins* ins, Warp& w) noexcept {
  if (w.block->observer != nullptr) w.block->observer->cluster_arrived(w);
  return ins + 1;
}

const Ins* trap(const Ins* ins, Warp& w) noexcept { return w.block->trap(w, ins); }

Found find_nothing(const Shape&) { return {&nothing}; }
Found find_fence(const Shape&) { return {&fence}; }
Found find_cluster_arrive(const Shape&) { return {&cluster_arrive}; }
template <bool kBulk>
Found find_commit(const Shape&) {
  return {&copy_group<GroupEvent::What::kCommit, kBulk, false>};
}
template <bool kBulk>
Found find_wait(const Shape& s) {
  using What = GroupEvent::What;
  Found found{&copy_group<What::kWait, kBulk, false>};
  if (kBulk && s.ins.sub == ptx::Sub::kRead) found.fn = &copy_group<What::kWait, kBulk, true>;
  found.imm = s.ins.operands.empty() ? GroupEvent::kNone : s.ins.operands.front().bits;
  return found;
}
Found find_trap(const Shape&) { return {&trap}; }

constexpr Row kRows[] = {
    {ptx::Op::kMembar, find_fence},
    {ptx::Op::kFence, find_fence},
    {ptx::Op::kNanosleep, find_nothing},
    {ptx::Op::kPmevent, find_nothing},
    {ptx::Op::kGriddepcontrol, find_nothing},
    {ptx::Op::kBarrierClusterArrive, find_cluster_arrive},
    {ptx::Op::kPrefetch, find_nothing},
    {ptx::Op::kPrefetchu, find_nothing},
    {ptx::Op::kDiscard, find_nothing},
    {ptx::Op::kApplypriority, find_nothing},
    {ptx::Op::kCpAsyncCommitGroup, find_commit<false>},
    {ptx::Op::kCpAsyncWaitGroup, find_wait<false>},
    {ptx::Op::kCpAsyncWaitAll, find_wait<false>},
    {ptx::Op::kCpAsyncBulkCommitGroup, find_commit<true>},
    {ptx::Op::kCpAsyncBulkWaitGroup, find_wait<true>},
    {ptx::Op::kCpAsyncBulkPrefetch, find_nothing},
    {ptx::Op::kFenceProxyAsync, find_nothing},
    {ptx::Op::kFenceMbarrierInit, find_nothing},
    {ptx::Op::kTrap, find_trap},
    {ptx::Op::kBrkpt, find_trap},
};

}  // namespace

std::span<const Row> control_rows() { return kRows; }

CoreHandlers core_handlers() {
  return {jump,         branch_if,   branch_if_not, branch_table, exit_lanes,
          return_lanes, call,        guard_open,    guard_close,  stop,
          invert,       match_start, match_target,  match_none};
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
