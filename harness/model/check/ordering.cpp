#include "harness/model/check/ordering.h"

namespace lab::model::check {

bool is_stale_read(const Site& site, const Ordering& read, const Ordering& write) {
  // Wider reads may get half of each of two values.
  constexpr std::uint32_t kMostOfOnePiece = 8;
  return site.op == AccessOp::kLoad && site.bytes() <= kMostOfOnePiece && read.is_weak() &&
         write.is_atomic;
}

std::vector<Ordering> orderings_of(const Program& program) {
  std::vector<Ordering> all(program.sites.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Site& site = program.sites[i];
    const bool global = site.space == ptx::Space::kGlobal;
    if (site.space != ptx::Space::kShared && !global) continue;
    using enum ptx::Order;
    const Origin& origin = program.origins[site.where];
    const ptx::Instruction& ins =
        program.module->functions[origin.function].instructions[origin.instruction];
    Ordering& one = all[i];
    one.is_store = site.op == AccessOp::kStore;
    one.is_together = program.code[site.where].flow == Flow::kMatrix;
    one.acquires = ins.order == kAcquire || ins.order == kAcqRel;
    one.releases = ins.order == kRelease || ins.order == kAcqRel;
    const bool ordered = ins.order != kNone && ins.order != kWeak;
    one.is_atomic = ordered || site.op == AccessOp::kAtomic || site.op == AccessOp::kReduction;
    // In shared memory people take volatile for a barrier between lanes, which it is not.
    one.is_strong = ordered || (global && ins.is_volatile);
  }
  return all;
}

}  // namespace lab::model::check
