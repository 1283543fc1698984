#include "harness/model/check/session.h"

#include <algorithm>
#include <utility>

namespace lab::model::check {

Session::Session(const Program& program, const Launch& launch, const GlobalMemory& memory,
                 Checks asked, std::optional<GlobalShadows> known)
    : program_(program),
      shared_bytes_(program.shared_bytes + launch.dynamic_shared_bytes),
      asked_(asked),
      on_(asked != Checks::kOff) {
  if (on_) shadows_ = known ? std::move(*known) : make_shadows(memory);
  const bool several = launch.grid.count() * launch.block.count() > 1;
  const bool writes = std::any_of(program.sites.begin(), program.sites.end(), [](const Site& site) {
    return site.space == ptx::Space::kGlobal && site.op != AccessOp::kLoad;
  });
  may_race_ = several && writes;
  if (on_ && program.maps_blocks) {
    const std::uint32_t of_shared = memory_grain(program, ptx::Space::kShared);
    cluster_ = std::make_unique<ClusterRaces>(shared_bytes_, of_shared);
  }
  const bool fits = launch.grid.count() < GlobalAccess::kMostBlocks &&
                    program.sites.size() <= GlobalAccess::kMostSites;
  if (!on_ || !may_race_ || !fits) return;
  const std::uint32_t grain = memory_grain(program, ptx::Space::kGlobal);
  global_ = std::make_unique<GlobalRaces>(program, memory, grain);
}

Looked Session::looked() const {
  if (asked_ == Checks::kOff) return Looked::kOff;
  if (!on_) return Looked::kLarge;
  const bool globally = !may_race_ || (global_ != nullptr && global_->shadow().complete());
  return globally ? Looked::kFull : Looked::kShared;
}

void Session::expect(std::uint64_t warp_instructions) {
  if (asked_ != Checks::kAuto) return;
  on_ = warp_instructions <= kMostChecked;
  if (!on_) global_.reset();
}

std::unique_ptr<Observer> Session::observer() const {
  const bool anything = shared_bytes_ > 0 || !shadows_.empty() || global_ != nullptr;
  if (!on_ || !anything) return nullptr;
  return std::make_unique<Checker>(program_, shared_bytes_, shadows_, global_.get(),
                                   cluster_.get());
}

}  // namespace lab::model::check
