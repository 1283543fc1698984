// The names that formulas may use.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "harness/core/launch.h"
#include "harness/core/params.h"

namespace lab {

/// The names a formula may use: a case's numeric parameters, and of its launch grid_x, grid_y,
/// grid_z, block_x, block_y, block_z, blocks, threads (a block's), warps (a block's, rounded up),
/// all_threads, all_warps.
using FormulaNames = std::map<std::string, double, std::less<>>;

/// The numeric parameters alone: before there is a launch. One of them may be called `blocks`.
[[nodiscard]] FormulaNames numbers_of(const Params& params);

[[nodiscard]] FormulaNames formula_names(const Params& params, const Launch& launch);

}  // namespace lab
