// The access that a lab's screen draws.
#pragma once

#include <optional>

#include "harness/core/access.h"
#include "harness/run/engines.h"
#include "harness/run/session.h"

namespace lab::run {

/// Of a lab whose screen has neither bars nor a curve: the first load from shared memory, else from
/// global memory, by the first warp of the case of the lab's picture. The model runs it for that;
/// nothing of it is stored. Empty where the kernels are not the lab's own, and without a model.
[[nodiscard]] std::optional<Access> mapped_access(const RunResult& result, EngineSet& engines);

}  // namespace lab::run
