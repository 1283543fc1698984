// The watchdog of a block: finds splits that spin, lets others run in their place, and reports
// where no thread makes progress any more.
//
// A split spins where it comes back to the same instruction with the same registers: whatever it
// does, it will do again until another thread changes memory. A loop that counts is never taken for
// a spin, however long it runs. Only splits that spin, and those that have run for very long, give
// way to others: lanes that wait to reconverge are left alone where that would change counts.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "harness/model/execute/block.h"

namespace lab::model {
namespace {

// A split that comes back more often than this to where it was watched is taken for one that
// computes.
constexpr int kLooks = 4;
// How many slices a split that computes gets before another has its turn: half a second or so.
constexpr int kLongRun = 256;
// A slice is short at first, so that a spin is soon found, and doubles while the split computes, so
// that looking costs nothing: from 1,024 basic blocks to 65,536, a millisecond or two.
constexpr std::int64_t kFirstSlice = 1 << 10;
constexpr int kDoublings = 6;
// Where blocks run on several cores, another block may still make the change that this one waits
// for.
constexpr auto kOtherCores = std::chrono::seconds(2);

std::uint64_t digest_of(const Warp& warp, const Ins* pc, std::uint32_t frame_bytes) {
  std::uint64_t hash = reinterpret_cast<std::uintptr_t>(pc) ^ (std::uint64_t{warp.mask} << 32U);
  for (std::uint32_t at = 0; at + 8 <= frame_bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, warp.bank[0] + at, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return hash | 1U;  // never 0
}

}  // namespace

std::int64_t Block::slice(int taken) { return kFirstSlice << std::min(taken, kDoublings); }

bool Block::out_of_patience(const Ins* pc) {
  if (launch->stopped && launch->stopped()) {
    abort(Stop::kCancelled);
  } else if (launch->too_many && launch->too_many(warp_instructions())) {
    abort(Stop::kBudget);
  }
  if (stop_ == Stop::kRunning) return false;
  stopped_at_ = static_cast<std::uint32_t>(pc - launch->program->code.data());
  return true;
}

const Ins* Block::watch(Warp& warp, const Ins* pc, std::uint32_t block) {
  SpinWatch& spin = spins_[warp.index];
  const auto go_on = [&](std::int64_t fuel) {
    warp.fuel = fuel;
    ++warp.entered[block];
    return pc;
  };
  if (spin.pc == nullptr) {  // the slice is over: begin to look
    if (out_of_patience(pc)) return nullptr;
    if (launch->program->blocks[block].endless) {
      report_endless(warp, pc);
      abort(Stop::kFault);
      return nullptr;
    }
    spin.pc = pc;
    spin.mask = warp.mask;
    spin.digest = digest_of(warp, pc, launch->program->frame_bytes);
    spin.looks = 0;
    ++spin.slices;
    return go_on(0);
  }
  if (pc != spin.pc || warp.mask != spin.mask) {
    if (++spin.looks < kLooks * 64) return go_on(0);
    spin.pc = nullptr;
  } else if (digest_of(warp, pc, launch->program->frame_bytes) == spin.digest) {
    return let_others_run(warp, pc, block);
  } else if (++spin.looks < kLooks) {
    return go_on(0);
  }
  // It computes.
  stuck_ = 0;
  stalled_ = false;
  spin.pc = nullptr;
  if (spin.slices < kLongRun) return go_on(slice(spin.slices));
  spin.slices = 0;
  warp.fuel = slice(0);
  return warp.splits->rotate(warp, pc, block) ? warp.splits->resume(warp) : nullptr;
}

const Ins* Block::let_others_run(Warp& warp, const Ins* pc, std::uint32_t block) {
  SpinWatch& spin = spins_[warp.index];
  Split& split = warp.splits->current();
  const bool unchanged = split.spins_at == spin.digest;
  split.spins_at = spin.digest;
  spin = SpinWatch();
  warp.fuel = slice(0);
  if (!unchanged) {
    stuck_ = 0;
    stalled_ = false;
  } else if (stuck_++ == 0) {
    stuck_since_ = std::chrono::steady_clock::now();
  }
  // Where another block may make the change, lanes that wait to reconverge are left alone.
  const bool releases = !launch->resident || patience_ != Patience::kWaits;
  const bool others = warp.splits->rotate(warp, pc, block, releases);
  std::uint64_t ready = 0;
  for (const Warp& each : warps_) ready += each.splits->ready_count();
  // Twice around: each split has been seen to spin after whatever the others did last.
  if (stuck_ >= 2 * ready + 2) {
    if (launch->resident && patience_ != Patience::kGivesUp) return nullptr;
    const bool alone =
        !launch->parallel || std::chrono::steady_clock::now() - stuck_since_ > kOtherCores;
    if (alone) {
      report_no_progress(warp, pc);
      return nullptr;
    }
  }
  return others ? warp.splits->resume(warp) : nullptr;
}

void Block::lose_patience() {
  patience_ = patience_ == Patience::kWaits ? Patience::kReleases : Patience::kGivesUp;
}
void Block::regain_patience() {
  if (patience_ == Patience::kGivesUp) patience_ = Patience::kReleases;
}

void Block::report_no_progress(const Warp& warp, const Ins* pc) {
  const std::uint64_t blocks = launch->launch.grid.count();
  const bool too_many = launch->program->waits && blocks > launch->at_once;
  fault(warp, FindingKind::kNoProgress, pc, static_cast<unsigned>(__builtin_ctz(warp.mask)),
        fmt::format(
            "no progress: the thread waits in a loop for a change that no thread of its {} makes{}",
            launch->resident ? "grid" : "block",
            too_many ? fmt::format("; blocks can wait for each other where all are on the GPU at "
                                   "once, and of these {} it has room for {}",
                                   blocks, launch->at_once)
                     : ""),
        LoopFault::kSpins);
  abort(Stop::kFault);
}

bool Block::never_ends(const Ins* at) const {
  const auto where = static_cast<std::uint32_t>(at - launch->program->code.data());
  const std::vector<BasicBlock>& blocks = launch->program->blocks;
  const auto behind = std::upper_bound(
      blocks.begin(), blocks.end(), where,
      [](std::uint32_t index, const BasicBlock& block) { return index < block.first; });
  return behind != blocks.begin() && std::prev(behind)->endless;
}

void Block::report_endless(const Warp& warp, const Ins* at) {
  Fault f;
  f.kind = FindingKind::kNoProgress;
  f.loop = LoopFault::kNoWayOut;
  f.where = static_cast<std::uint32_t>(at - launch->program->code.data());
  f.warp = warp.index;
  f.lane = static_cast<unsigned>(__builtin_ctz(warp.mask));
  f.block = index_;
  faults.add(std::move(f));
}

}  // namespace lab::model
