// One case: a job, its compiled kernel, a launch, and the record of what came of it.
#pragma once

#include <functional>
#include <string>

#include "harness/core/backend.h"
#include "harness/core/job.h"
#include "harness/core/looked.h"
#include "harness/model/case/kernels.h"
#include "harness/model/case/ready_launch.h"
#include "harness/model/case/references.h"
#include "harness/model/check/session.h"

namespace lab::model {

struct CaseHooks {
  std::function<void(double)> progress = {};
  std::function<bool()> cancelled = {};
  std::function<void(const std::string&)> print = {};  ///< empty: printf's text goes to the record
};

/// Runs `job` with its kernel, holds what it leaves against its reference, and fills in the rest of
/// `outcome`. Throws an input error where the launch is impossible or an instruction is not
/// modelled, and a ReferenceError.
void run_case(const BatchRequest& batch, const Job& job, const LoadedKernel& kernel,
              const CaseHooks& hooks, References& references, CaseOutcome& outcome);

struct RanInPlace {
  Looked looked = Looked::kBasic;
  std::string stopped_in = {};  ///< "in the loop of line 4, ..."; empty: it came to its end
};

/// The same for memory that outlives the launch. Kernel and launch are in the outcome's record;
/// what the launch leaves is neither right nor wrong.
RanInPlace run_in_place(const BatchRequest& batch, const LaunchPlace& place,
                        const LoadedKernel& kernel, const CaseHooks& hooks, CaseOutcome& outcome);

}  // namespace lab::model
