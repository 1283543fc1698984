#include "harness/run/screen_map.h"

#include <algorithm>
#include <utility>

#include "harness/core/lab.h"
#include "harness/core/screen.h"

namespace lab::run {

bool draws_access(const Lab& lab) {
  return lab.screen && lab.picture && lab.screen->bars.empty() && lab.screen->curve.empty();
}

const CaseRecord* pictured_case(const RunRecord& run, const Lab& lab) {
  if (!draws_access(lab) || !run.source_is_labs_own) return nullptr;
  const ScreenRow& row = lab.picture->row;
  const auto found = std::find_if(run.cases.begin(), run.cases.end(), [&](const auto& record) {
    return record.variant == row.variant && record.params == row.points.front();
  });
  return found == run.cases.end() ? nullptr : &*found;
}

std::vector<Access> pictured_accesses(const RunResult& result, EngineSet& engines) {
  const Lab* const lab = result.prepared.lab;
  Backend* const model = engines.engines().model;
  const CaseRecord* const pictured = lab == nullptr ? nullptr : pictured_case(result.run, *lab);
  if (pictured == nullptr || model == nullptr) return {};
  Part part{result.prepared.parts.front().batch};
  part.batch.cases = {{0, pictured->variant, pictured->params, {}}};
  part.batch.warp = {0, 0};
  std::vector<Access> accesses;
  const RunSink sink{[&](const CaseOutcome& outcome) { accesses = outcome.record.accesses; }};
  static_cast<void>(execute(lab, part, {model, nullptr}, sink, nullptr));
  return accesses;
}

std::optional<Access> mapped_access(const std::vector<Access>& accesses) {
  for (const Space space : {Space::kShared, Space::kGlobal}) {
    for (const Access& access : accesses) {
      if (access.space == space && access.op == AccessOp::kLoad) return access;
    }
  }
  return {};
}

}  // namespace lab::run
