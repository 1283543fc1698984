#include "harness/model/case/barrier_habits.h"

#include "harness/core/metric_keys.h"
#include "harness/model/execute/warp.h"

namespace lab::model {

void BarrierHabits::access(const AccessEvent& event, bool orders) {
  // Blocks that wait for each other take turns.
  if (event.site->kin != Site::Kin::kPlain || event.warp->block != running_) unknown_ = true;
  if (event.space != ptx::Space::kShared && event.space != ptx::Space::kGlobal) return;
  if (event.site->op != AccessOp::kLoad || orders) block_.wrote = true;
}

void BarrierHabits::settle() {
  if (block_.last == kNone) return;
  Sums& sums = barriers_[block_.last];
  ++sums.passed;
  if (!block_.wrote_before && !block_.wrote) ++sums.needless;
}

void BarrierHabits::barrier_released() {
  settle();
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
  }
}

void BarrierHabits::write(LineSums& sums) const {
  if (unknown_) return;
  for (const auto& [barrier, seen] : barriers_) {
    const ptx::Where& where = instruction_of(*program_, barrier).where;
    sums.add(where, metric::kBarriersPassed, seen.passed);
    sums.add(where, metric::kNeedlessBarriers, seen.needless);
  }
}

}  // namespace lab::model
