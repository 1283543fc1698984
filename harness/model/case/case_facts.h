// Facts that a few blocks of a case tell of its kernel's time: at sizes, too, at which all of
// them would take the model too long.
#pragma once

#include "harness/core/checker.h"
#include "harness/core/job.h"
#include "harness/core/kernel_facts.h"
#include "harness/model/case/kernels.h"

namespace lab::model {

/// Runs a few blocks of `job` in memory of `host`, as they find it before the launch. Throws as
/// run_case() does.
[[nodiscard]] KernelFacts case_facts(const Job& job, const LoadedKernel& kernel, Checker& host);

}  // namespace lab::model
