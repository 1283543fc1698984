// One run from plan to stored record.
#pragma once

#include <exception>
#include <string>

#include "db/store.h"
#include "harness/core/record.h"
#include "harness/run/engines.h"
#include "harness/run/execute.h"
#include "harness/run/prepared.h"

namespace lab::run {

/// The record of a run. `store_failure` is for the caller to throw, after it has shown the results.
struct RunResult {
  RunRecord run;
  Prepared prepared;  ///< as it was performed: for whoever looks at a case once more
  std::exception_ptr store_failure = {};
};

/// Where results go while a run goes on.
struct Outlet {
  db::Store* store = nullptr;  ///< gets each case as it comes; null: nothing is stored
  RunSink sink = {};           ///< gets the cases in order, and the work done of all of them
};

/// Runs what was prepared. Cases that were not run because the user stopped are left out and
/// counted: the run is `interrupted` then. Why a backend could not run is in the record's
/// environment, under `model_unavailable` or `gpu_unavailable`.
/// `ran`, where given, takes the place of the workers.
[[nodiscard]] RunResult perform(Prepared prepared, EngineSet& engines, const Outlet& outlet,
                                const Engines* ran = nullptr);

/// A run from its plan to its record: prepare() and perform().
struct Request {
  Plan plan;
  std::string arch = std::string(kDefaultArch);
  Outlet outlet = {};
};
[[nodiscard]] RunResult go(const Request& request, EngineSet& engines);

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
