// Cases of a lab, run and stored as `lab run` does, for commands that show them in another way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "harness/core/backend.h"
#include "harness/core/lab.h"
#include "harness/run/session.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

struct LabRun {
  const Lab* lab = nullptr;
  std::vector<CaseRequest> cases = {};
  /// In place of the lab's kernels; only cases whose kernel it defines are run.
  std::optional<KernelText> theirs = {};
  std::string student = {};
  db::Store* store = nullptr;  ///< null: the run is not stored
};

/// Throws the compiler's error; what could not be stored, too. The result has its plan.
[[nodiscard]] run::RunResult run_lab(LabRun what, const Arguments& arguments,
                                     run::EngineSet& engines, const Console& console);

/// --backend, --arch, --timeout and --no-sandbox, which run_lab() and workers_from() read.
[[nodiscard]] std::vector<Option> lab_run_options();

}  // namespace lab::cli
