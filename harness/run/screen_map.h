// The access that a lab's screen draws.
#pragma once

#include <optional>
#include <vector>

#include "harness/core/access.h"
#include "harness/run/engines.h"
#include "harness/run/session.h"

namespace lab::run {

/// Whether the lab's screen draws an access: it has neither bars nor a curve.
[[nodiscard]] bool draws_access(const Lab& lab);

/// The run's case that the lab's picture is of; null: it did not run, or the kernels are not the
/// lab's own.
[[nodiscard]] const CaseRecord* pictured_case(const RunRecord& run, const Lab& lab);

/// The accesses of that case's first warp, which the model runs again for them. Empty where there
/// is no such case, and without a model.
[[nodiscard]] std::vector<Access> pictured_accesses(const RunResult& result, EngineSet& engines);

/// The one of them that is drawn: the first load from shared memory, else from global memory.
[[nodiscard]] std::optional<Access> mapped_access(const std::vector<Access>& accesses);

}  // namespace lab::run
