// What of a lab is to be run, from the options that name variants, parameters and kernels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/run/plan.h"
#include "tools/cli/run_session.h"

namespace lab::cli {

struct LabRequest {
  BatchRequest batch;  ///< all but its lab, source and cases
  std::vector<CaseRequest> cases;
  std::optional<KernelText> kernel;  ///< of --kernel
  std::string labs_folder;
};

/// --variant and --param.
[[nodiscard]] run::Selection selection_from(const Arguments& arguments);

/// The file of --kernel; an input error where it cannot be read, is empty or no text.
[[nodiscard]] std::optional<KernelText> students_kernel(const Arguments& arguments);

/// Fills in the lab's part of `head`. Compiles kernels that are not the lab's own.
[[nodiscard]] RunPlan plan_of(const Lab& lab, const LabRequest& request, RunRecord head,
                              EngineSet& engines);

}  // namespace lab::cli
