#include "harness/run/gpu_size.h"

#include <algorithm>
#include <utility>

#include "harness/core/lab.h"
#include "harness/core/screen.h"

namespace lab::run {

namespace {

bool shows_times(const Screen& screen) {
  return std::find(screen.columns.begin(), screen.columns.end(), kTimeColumn) !=
         screen.columns.end();
}

bool was_timed(const RunRecord& run) {
  return std::any_of(run.cases.begin(), run.cases.end(),
                     [](const CaseRecord& record) { return record.timing.has_value(); });
}

// Empty where a row has no point that a GPU runs.
std::vector<CaseRequest> requests_of(const Lab& lab) {
  std::vector<CaseRequest> requests;
  for (const ScreenRow& row : lab.screen->rows) {
    const Variant& variant = find_variant(lab, row.variant);
    const auto has = [](const std::vector<Params>& points, const Params& one) {
      return std::find(points.begin(), points.end(), one) != points.end();
    };
    // Of a point that both run the model's own time is as good.
    const auto point = std::find_if(row.points.begin(), row.points.end(), [&](const Params& one) {
      return has(variant.gpu_points, one) && !has(variant.points, one);
    });
    if (point == row.points.end()) return {};
    requests.push_back({static_cast<int>(requests.size()), row.variant, *point, {}});
  }
  return requests;
}

}  // namespace

std::vector<CaseRecord> at_gpu_size(const RunResult& result, EngineSet& engines,
                                    const metrics::Machine& machine) {
  const Lab* const lab = result.prepared.lab;
  if (lab == nullptr || !lab->screen || !result.run.source_is_labs_own) return {};
  if (!shows_times(*lab->screen) || was_timed(result.run)) return {};
  Backend* const model = engines.engines().model;
  Part part{result.prepared.parts.front().batch};
  part.batch.cases = requests_of(*lab);
  part.batch.depth = Depth::kFewBlocks;
  if (model == nullptr || part.batch.cases.empty()) return {};
  std::vector<CaseRecord> cases;
  bool all = true;
  const RunSink sink{[&](const CaseOutcome& outcome) {
    all = all && outcome.record.expected && outcome.record.expected->ns;
    cases.push_back(outcome.record);
  }};
  static_cast<void>(execute(lab, part, {model, nullptr}, sink, &machine));
  return all ? std::move(cases) : std::vector<CaseRecord>{};
}

}  // namespace lab::run
