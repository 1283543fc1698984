#include "tools/cli/commands/advising.h"

#include <algorithm>

#include "harness/reading/accesses.h"
#include "harness/reading/metric_view.h"
#include "harness/run/engines.h"
#include "harness/run/session.h"

namespace lab::cli {

namespace {

// Warp instructions that a laptop's core runs in a second or two.
constexpr double kMostInstructions = 5e7;

bool is_worth_it(const CaseRecord& record) {
  if (record.status != CaseStatus::kOk || record.lines.empty()) return false;
  const auto instructions = reading::view_of(record, "instructions").value(SourceOf::kModel);
  return instructions && *instructions <= kMostInstructions;
}

// The same case alone, with the first warp's accesses logged and nothing else asked for.
run::Prepared alone(run::Prepared run, const CaseRecord& record) {
  run.leave_out(
      [&](const run::Part&, const CaseRequest& request) { return request.index != record.index; });
  for (run::Part& part : run.parts) {
    part.batch.warp = {0, 0};
    part.batch.habits = true;
    part.batch.checks = Checks::kOff;
  }
  return run;
}

}  // namespace

std::optional<metrics::Diagnosis> advice_on(const CaseRecord& record, const run::Prepared& run,
                                            const metrics::Machine& machine,
                                            run::EngineSettings workers,
                                            std::vector<Access>* accesses) {
  if (!is_worth_it(record)) return {};
  workers.backend = run::Backends::kModel;
  run::EngineSet model(workers);
  const RunRecord again =
      run::perform(alone(run, record), model, {nullptr, {{}, {}, workers.cancelled}}).run;
  if (again.cases.empty()) return {};
  CaseRecord whole = record;
  whole.accesses = again.cases.front().accesses;
  whole.lines = again.cases.front().lines;
  if (accesses != nullptr) {
    for (const reading::AccessPattern& pattern : reading::patterns_of(whole.accesses)) {
      accesses->push_back(*pattern.first);
    }
  }
  return metrics::diagnose(whole, machine);
}

}  // namespace lab::cli
