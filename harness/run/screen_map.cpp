#include "harness/run/screen_map.h"

#include "harness/core/lab.h"
#include "harness/core/screen.h"

namespace lab::run {

namespace {

bool draws_nothing_else(const Lab& lab) {
  return lab.screen && lab.picture && lab.screen->bars.empty() && lab.screen->curve.empty();
}

std::optional<Access> first_load(const std::vector<Access>& accesses) {
  for (const Space space : {Space::kShared, Space::kGlobal}) {
    for (const Access& access : accesses) {
      if (access.space == space && access.op == AccessOp::kLoad) return access;
    }
  }
  return {};
}

}  // namespace

std::optional<Access> mapped_access(const RunResult& result, EngineSet& engines) {
  const Lab* const lab = result.prepared.lab;
  Backend* const model = engines.engines().model;
  if (lab == nullptr || !draws_nothing_else(*lab)) return {};
  if (model == nullptr || !result.run.source_is_labs_own) return {};
  Part part{result.prepared.parts.front().batch};
  part.batch.cases = {{0, lab->picture->row.variant, lab->picture->row.points.front(), {}}};
  part.batch.warp = {0, 0};
  std::optional<Access> found;
  const RunSink sink{
      [&](const CaseOutcome& outcome) { found = first_load(outcome.record.accesses); }};
  static_cast<void>(execute(lab, part, {model, nullptr}, sink, nullptr));
  return found;
}

}  // namespace lab::run
