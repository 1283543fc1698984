// bar and barrier: PTX ISA, "Parallel Synchronization and Communication Instructions".
#include <cstdint>

#include "harness/model/execute/block.h"
#include "harness/model/execute/warp.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/lanewise.h"
#include "harness/model/semantics/mbarrier.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Op;
using ptx::Sub;

unsigned first_lane(const Warp& w) { return static_cast<unsigned>(__builtin_ctz(w.mask)); }

/// a: barrier id; b: thread count where kCounted; then the predicate of a reduction.
template <bool kAligned, bool kWaits, bool kCounted, Reduction kReduction>
const Ins* barrier(const Ins* ins, Warp& w) noexcept {
  Arrival arrival;
  arrival.warp = &w;
  arrival.ins = ins;
  arrival.mask = w.mask;
  arrival.waits = kWaits;
  arrival.reduction = kReduction;
  if constexpr (kCounted) arrival.expected = w.in<std::uint32_t>(ins->b)[first_lane(w)];
  arrival.counted = kCounted;
  if constexpr (kReduction != Reduction::kNoVote) {
    arrival.votes = w.predicate(kCounted ? ins->c : ins->b);
  }
  if (kAligned && !w.converged()) w.block->divergent_barrier(w, ins);
  return w.block->arrive(w, w.in<std::uint32_t>(ins->a)[first_lane(w)], arrival);
}

/// barrier.cluster.wait of a cluster of one block. A thread is taken to arrive where it waits, not
/// at the arrive before: what it does in between comes before the others go on.
template <bool kAligned>
const Ins* cluster_barrier(const Ins* ins, Warp& w) noexcept {
  Arrival arrival;
  arrival.warp = &w;
  arrival.ins = ins;
  arrival.mask = w.mask;
  if (kAligned && !w.converged()) w.block->divergent_barrier(w, ins);
  return w.block->arrive_at_cluster(w, arrival);
}
Found find_cluster_wait(const Shape& s) {
  return {s.ins.aligned ? &cluster_barrier<true> : &cluster_barrier<false>};
}

const Ins* warp_barrier(const Ins* ins, Warp& w) noexcept {
  const auto* of_lane = w.in<std::uint32_t>(ins->a);
  LaneMasks members{};
  for (unsigned lane = 0; lane < kLanes; ++lane) members[lane] = of_lane[lane];
  return w.block->warp_sync(w, ins, members);
}

template <bool kAligned, bool kCounted>
Found find_reduction(Sub how) {
  constexpr std::uint8_t kBool = Found::kPredicate;
  const auto found = [](Handler fn, std::uint8_t result) {
    Found f{fn, {result}, {4, kBool}};
    if (kCounted) f.sources = {4, 4, kBool};
    return f;
  };
  switch (how) {
    case Sub::kPopc:
      return found(&barrier<kAligned, true, kCounted, Reduction::kPopc>, 4);
    case Sub::kAnd:
      return found(&barrier<kAligned, true, kCounted, Reduction::kAnd>, kBool);
    case Sub::kOr:
      return found(&barrier<kAligned, true, kCounted, Reduction::kOr>, kBool);
    default:
      return {};
  }
}

template <bool kAligned>
Found find_kind(const Shape& s) {
  const std::size_t operands = s.ins.operands.size();
  switch (s.ins.sub) {
    case Sub::kRed:
      return operands == 4 ? find_reduction<kAligned, true>(s.ins.sub2)
                           : find_reduction<kAligned, false>(s.ins.sub2);
    case Sub::kArrive:
      return {&barrier<kAligned, false, true, Reduction::kNoVote>, {}, {4, 4}};
    case Sub::kWarp:
      return {&warp_barrier, {}, {4}};
    default:
      if (operands == 2) return {&barrier<kAligned, true, true, Reduction::kNoVote>, {}, {4, 4}};
      return {&barrier<kAligned, true, false, Reduction::kNoVote>, {}, {4}};
  }
}

Found find_barrier(const Shape& s) {
  return s.ins.op == Op::kBar || s.ins.aligned ? find_kind<true>(s) : find_kind<false>(s);
}

// The other operations on an mbarrier are in mbarrier.cpp: this one touches no memory.
Found find_pending_count(const Shape&) { return lanewise<&semantics::pending_count>(); }

constexpr Row kRows[] = {
    {Op::kMbarrierPendingCount, find_pending_count},
    {Op::kBar, find_barrier},
    {Op::kBarrier, find_barrier},
    {Op::kBarrierClusterWait, find_cluster_wait},
};

}  // namespace

std::span<const Row> sync_rows() { return kRows; }

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
