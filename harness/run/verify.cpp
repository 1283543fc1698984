#include "harness/run/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/seal.h"
#include "harness/core/error.h"
#include "harness/run/kernels.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "harness/run/version.h"
#include "labs/registry.h"
#include "metrics/compare.h"
#include "metrics/expected.h"

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
  metrics::drop_expected_time(record);
  return record;
}

std::string fact(const RunRecord& run, const std::string& key) {
  const auto found = run.environment.find(key);
  return found == run.environment.end() ? std::string() : found->second;
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

VerifiedRun Verifier::verify(db::Store& store, const std::string& selector) {
  VerifiedRun verified;
  try {
    verified.id = store.find_run(selector);
    const db::SealCheck seal = store.connection().guarded(
        [&] { return db::check_seal(store.connection().database(), verified.id, store.key()); });
    verified.problems = seal.problems;
    verified.seal_note = seal.note;
    const RunRecord run = store.load_run(std::to_string(verified.id));
    verified.uuid = run.uuid;
    run_again(run, verified);
  } catch (const Error& error) {
    if (verified.id == 0 || (cancelled_ && cancelled_())) throw;  // no such run
    verified.error = error.what();
  }
  return verified;
}

void Verifier::run_again(const RunRecord& run, VerifiedRun& verified) {
  db::Replay replay = db::replay_of(run);
  verified.cases = replay.batch.cases.size();
  verified.left_out = replay.left_out;
  const Lab* lab = lab_with_number(run.lab);
  if (replay.batch.cases.empty() || lab == nullptr) return;
  Plan plan;
  plan.lab = lab;
  if (!run.source_is_labs_own) plan.own = own_kernels(*lab, labs_folder_);
  const std::string arch = replay.batch.arch;
  plan.jobs = {{std::move(replay.batch), run.source_is_labs_own}};
  prepare(plan, arch, engines().any());
  const std::vector<Job> jobs = plan.jobs;
  const RunRecord again = perform(std::move(plan), engines(), nullptr, {{}, {}, cancelled_}).run;
  const std::string compiler = fact(run, "nvrtc");
  const bool same_compiler = compiler.empty() || compiler == fact(again, "nvrtc");
  const bool same_program = !fact(run, "commit").empty() && fact(run, "commit") == program_commit();
  for (const CaseRecord& fresh : again.cases) {
    const CaseRecord* stored = case_at(run, fresh.index);
    if (stored == nullptr) continue;
    if (!same_compiler && stored->facts.ptx_sha256 != fresh.facts.ptx_sha256) {
      verified.left_out.push_back(
          {fresh.index, fmt::format("NVRTC {} compiled it then, {} now, to other code", compiler,
                                    fact(again, "nvrtc"))});
      --verified.cases;
      continue;
    }
    const CaseRecord record = judged(*lab, ran_own_kernel(jobs, fresh.index), fresh, *stored);
    CaseRecord held = *stored;
    metrics::drop_expected_time(held);
    for (db::Difference& difference : db::differences(held, record, same_program)) {
      verified.differences.push_back(std::move(difference));
    }
  }
}

}  // namespace lab::run
