// One case: a job, its compiled kernel, a launch, and the record of what came of it.
#pragma once

#include <functional>

#include "harness/core/backend.h"
#include "harness/core/job.h"
#include "harness/model/case/kernels.h"
#include "harness/model/case/references.h"

namespace lab::model {

struct CaseHooks {
  std::function<void(double)> progress = {};
  std::function<bool()> cancelled = {};
};

/// Runs `job` with its kernel, holds what it leaves against its reference, and fills in the rest of
/// `outcome`. Throws an input error where the launch is impossible or an instruction is not
/// modelled, and a ReferenceError.
void run_case(const BatchRequest& batch, const Job& job, const LoadedKernel& kernel,
              const CaseHooks& hooks, References& references, CaseOutcome& outcome);

}  // namespace lab::model
