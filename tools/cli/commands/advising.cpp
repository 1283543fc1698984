#include "tools/cli/commands/advising.h"

#include <algorithm>

#include "harness/run/engines.h"
#include "harness/run/session.h"
#include "metrics/values.h"
#include "tools/cli/text/map_text.h"

namespace lab::cli {

namespace {

// Warp instructions that a laptop's core runs in a second or two.
constexpr double kMostInstructions = 5e7;

bool is_worth_it(const CaseRecord& record) {
  if (record.status != CaseStatus::kOk || record.lines.empty()) return false;
  const auto instructions = metrics::value_of(record, "instructions", SourceOf::kModel);
  return instructions && *instructions <= kMostInstructions;
}

// The same case alone, with the first warp's accesses logged and nothing else asked for.
run::Plan alone(const run::Plan& plan, const CaseRecord& record) {
  run::Plan one = plan;
  for (run::Job& job : one.jobs) {
    std::erase_if(job.batch.cases,
                  [&](const CaseRequest& request) { return request.index != record.index; });
    job.batch.warp = {0, 0};
    job.batch.checks = Checks::kOff;
  }
  std::erase_if(one.jobs, [](const run::Job& job) { return job.batch.cases.empty(); });
  return one;
}

}  // namespace

std::optional<metrics::Diagnosis> advice_on(const CaseRecord& record, const run::Plan& plan,
                                            const metrics::Machine& machine, const Console& console,
                                            std::vector<Access>* accesses) {
  if (!is_worth_it(record)) return {};
  run::EngineSet model("model");
  const run::RunSink sink{{}, {}, [&] { return console.interrupted(); }};
  const RunRecord again = run::perform(alone(plan, record), model, nullptr, sink).run;
  if (again.cases.empty()) return {};
  CaseRecord whole = record;
  whole.accesses = again.cases.front().accesses;
  if (accesses != nullptr) {
    for (const AccessPattern& pattern : patterns_of(whole.accesses)) {
      accesses->push_back(*pattern.first);
    }
  }
  return metrics::diagnose(whole, machine);
}

}  // namespace lab::cli
