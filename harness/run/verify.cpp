#include "harness/run/verify.h"

#include <algorithm>

#include "harness/run/kernels.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "labs/registry.h"
#include "metrics/compare.h"

namespace lab::run {

namespace {

const CaseRecord* case_at(const RunRecord& run, int index) {
  const auto found = std::find_if(run.cases.begin(), run.cases.end(),
                                  [&](const auto& record) { return record.index == index; });
  return found == run.cases.end() ? nullptr : &*found;
}

// Judged again with what was measured then, so that verdicts can be compared too.
CaseRecord judged(const Lab& lab, bool own_kernel, const CaseRecord& fresh,
                  const CaseRecord& stored) {
  CaseRecord record = db::with_measurements(fresh, stored);
  metrics::judge({&find_variant(lab, stored.variant), own_kernel, {}}, record);
  return record;
}

bool ran_own_kernel(const std::vector<Job>& jobs, int index) {
  for (const Job& job : jobs) {
    for (const CaseRequest& request : job.batch.cases) {
      if (request.index == index) return job.own_kernel;
    }
  }
  return true;
}

}  // namespace

EngineSet& Verifier::engines() {
  if (!engines_) engines_.emplace("model", cancelled_);
  return *engines_;
}

VerifiedRun Verifier::verify(const RunRecord& run) {
  db::Replay replay = db::replay_of(run);
  VerifiedRun verified{run.id, run.uuid, replay.batch.cases.size(), replay.left_out, {}};
  const Lab* lab = lab_with_number(run.lab);
  if (replay.batch.cases.empty() || lab == nullptr) return verified;
  Plan plan;
  plan.lab = lab;
  if (!run.source_is_labs_own) plan.own = own_kernels(*lab, labs_folder_);
  const std::string arch = replay.batch.arch;
  plan.jobs = {{std::move(replay.batch), run.source_is_labs_own}};
  prepare(plan, arch, engines().any());
  const std::vector<Job> jobs = plan.jobs;
  const RunRecord again = perform(std::move(plan), engines(), nullptr, {{}, {}, cancelled_}).run;
  for (const CaseRecord& fresh : again.cases) {
    const CaseRecord* stored = case_at(run, fresh.index);
    if (stored == nullptr) continue;
    const CaseRecord record = judged(*lab, ran_own_kernel(jobs, fresh.index), fresh, *stored);
    for (db::Difference& difference : db::differences(*stored, record)) {
      verified.differences.push_back(std::move(difference));
    }
  }
  return verified;
}

}  // namespace lab::run
