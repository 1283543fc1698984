#include "harness/model/execute/barrier.h"

#include <bit>

#include "harness/model/execute/splits.h"
#include "harness/model/execute/warp.h"

namespace lab::model {
namespace {

std::uint32_t reduce(const std::vector<Arrival>& arrivals) {
  std::uint32_t ones = 0;
  bool all = true;
  for (const Arrival& a : arrivals) {
    ones += static_cast<std::uint32_t>(std::popcount(a.votes & a.mask));
    all = all && (a.votes & a.mask) == a.mask;
  }
  switch (arrivals.front().reduction) {
    case Reduction::kPopc:
      return ones;
    case Reduction::kAnd:
      return all ? 1 : 0;
    default:
      return ones > 0 ? 1 : 0;
  }
}

void hand_over(const Arrival& a, std::uint32_t result) {
  if (a.reduction == Reduction::kPopc) {
    auto* lanes = a.warp->out<std::uint32_t>(a.ins->d);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (((a.mask >> lane) & 1U) != 0) lanes[lane] = result;
    }
  } else if (a.reduction != Reduction::kNoVote) {
    auto* bits = a.warp->out<std::uint32_t>(a.ins->d);
    *bits = (*bits & ~a.mask) | (result != 0 ? a.mask : 0);
  }
}

}  // namespace

bool Barrier::complete(const std::vector<Warp>& warps) const {
  if (arrivals_.empty()) return false;
  const std::uint32_t expected = arrivals_.front().expected;
  std::uint64_t arrived = 0;
  if (expected != 0) {
    // The count goes by warps: each counts as 32 threads, however many of its lanes are there.
    for (std::size_t i = 0; i < arrivals_.size(); ++i) {
      bool first = true;
      for (std::size_t j = 0; j < i; ++j) first = first && arrivals_[j].warp != arrivals_[i].warp;
      arrived += first ? kLanes : 0;
    }
    return arrived >= expected;
  }
  std::size_t alive = 0;
  for (const Warp& warp : warps) alive += warp.live != 0 ? 1U : 0U;
  if (arrivals_.size() < alive) return false;
  // The common case: each warp arrives once, with all its lanes.
  std::size_t whole = 0;
  for (const Arrival& a : arrivals_) whole += a.mask == a.warp->live && a.mask != 0 ? 1U : 0U;
  if (whole == alive) return true;
  for (const Warp& warp : warps) {
    std::uint32_t there = 0;
    for (const Arrival& a : arrivals_) there |= a.warp == &warp ? a.mask : 0U;
    if ((warp.live & ~there) != 0) return false;
  }
  return true;
}

void Barrier::release() {
  const std::uint32_t result = reduce(arrivals_);
  for (const Arrival& a : arrivals_) {
    hand_over(a, result);
    if (a.waits) a.warp->splits->release(Split::State::kBarrier);
  }
  arrivals_.clear();
}

}  // namespace lab::model
