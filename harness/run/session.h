// One run from plan to stored record.
#pragma once

#include <exception>

#include "db/store.h"
#include "harness/core/record.h"
#include "harness/run/engines.h"
#include "harness/run/execute.h"
#include "harness/run/plan.h"

namespace lab::run {

/// What came of a plan. `store_failure` is for the caller to throw, after it has shown the results.
struct RunResult {
  RunRecord run;
  std::exception_ptr store_failure;
};

/// Names the run that begins now: uuid, time of start, version of the program.
void stamp(RunRecord& head);

/// Runs `plan` and stores each case as it comes; `store` may be null. The sink gets the cases, too,
/// in the order of the plan's jobs, and the work done of the whole plan. Cases that were not run
/// because the user stopped are left out and counted: the run is
/// `interrupted` then. What a backend that could
/// not run says is in the record's environment, under `model_unavailable` or `gpu_unavailable`.
[[nodiscard]] RunResult perform(Plan plan, EngineSet& engines, db::Store* store,
                                const RunSink& sink);

/// The record of a plan that ended before any of its cases began, as prepare() or a deadline ends
/// it: each case has `status` and `reason`, of which those behind the first have its first line;
/// the run is `failed`. Asks no worker.
[[nodiscard]] RunRecord not_run(const Plan& plan, const std::string& arch, const EngineSet& engines,
                                CaseStatus status, const std::string& reason);

/// $LAB_SEAL_KEY: a secret of the grader's that runs are sealed with, so that nobody else can;
/// empty: none.
[[nodiscard]] std::string seal_key();

/// The database at `path` to write to, made where there is none, with a view for every lab.
[[nodiscard]] db::Store open_database(const std::string& path);

}  // namespace lab::run
