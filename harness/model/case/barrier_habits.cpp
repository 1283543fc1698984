#include "harness/model/case/barrier_habits.h"

#include <set>

#include "harness/core/metric_keys.h"
#include "harness/core/trial_keys.h"
#include "harness/model/execute/warp.h"

namespace lab::model {

void BarrierHabits::access(const AccessEvent& event, bool orders) {
  // Blocks that wait for each other take turns.
  if (event.site->kin != Site::Kin::kPlain || event.warp->block != running_) unknown_ = true;
  if (event.space != ptx::Space::kShared && event.space != ptx::Space::kGlobal) return;
  if (event.site->op != AccessOp::kLoad || orders) block_.wrote = true;
}

std::uint32_t BarrierHabits::line_of(std::uint32_t barrier) const {
  return instruction_of(*program_, barrier).where.line;
}

void BarrierHabits::Sums::add_before(std::uint32_t line) {
  several = several || (before != 0 && before != line);
  before = line;
}

void BarrierHabits::settle() {
  if (block_.last == kNone) return;
  Sums& sums = barriers_[block_.last];
  ++sums.passed;
  if (block_.wrote_before || block_.wrote) return;
  ++sums.needless;
  sums.add_before(block_.before);
}

void BarrierHabits::barrier_released() {
  settle();
  const bool other = block_.last != kNone && line_of(block_.last) != line_of(block_.reached);
  if (other) block_.before = line_of(block_.last);
  block_.last = block_.reached;
  block_.wrote_before = block_.wrote;
  block_.wrote = false;
}

void BarrierHabits::block_ends() {
  settle();
  block_ = {};
}

void BarrierHabits::add(const BarrierHabits& other) {
  unknown_ = unknown_ || other.unknown_;
  for (const auto& [barrier, sums] : other.barriers_) {
    barriers_[barrier].passed += sums.passed;
    barriers_[barrier].needless += sums.needless;
    barriers_[barrier].several = barriers_[barrier].several || sums.several;
    if (sums.needless > 0) barriers_[barrier].add_before(sums.before);
  }
}

void BarrierHabits::write(LineSums& sums) const {
  if (unknown_) return;
  // A line's copies in an unrolled loop are one barrier of the source.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sums> lines;
  std::set<std::uint32_t> needless;
  for (const auto& [barrier, seen] : barriers_) {
    const ptx::Where& where = instruction_of(*program_, barrier).where;
    sums.add(where, metric::kBarriersPassed, seen.passed);
    sums.add(where, metric::kNeedlessBarriers, seen.needless);
    if (seen.needless == 0) continue;
    needless.insert(where.line);
    Sums& line = lines[{where.file, where.line}];
    line.several = line.several || seen.several;
    line.add_before(seen.before);
  }
  for (const auto& [place, seen] : lines) {
    if (seen.several || needless.contains(seen.before)) continue;
    ptx::Where where;
    where.file = place.first;
    where.line = place.second;
    sums.add(where, metric::kBarrierBefore, seen.before);
  }
}

}  // namespace lab::model
