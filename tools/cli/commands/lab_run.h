// Cases of a lab, run and stored as `lab run` does, for commands that show them in another way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "harness/core/backend.h"
#include "harness/core/lab.h"
#include "harness/run/engines.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

struct LabRun {
  const Lab* lab = nullptr;
  std::vector<CaseRequest> cases = {};
  /// In place of the lab's kernels; only cases whose kernel it defines are run.
  std::optional<KernelText> theirs = {};
  std::string student = {};
};

/// Throws the compiler's error; what could not be stored, too. `store` may be null.
[[nodiscard]] RunRecord run_lab(LabRun what, BatchRequest batch, run::EngineSet& engines,
                                const std::string& arch, db::Store* store, const Console& console);

/// --backend, --arch, --timeout and --no-sandbox, and what they say.
[[nodiscard]] std::vector<Option> lab_run_options();
[[nodiscard]] BatchRequest lab_run_batch(const Arguments& arguments);

}  // namespace lab::cli
