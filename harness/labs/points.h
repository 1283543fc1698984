// Default points of a variant: sweeps as `--param` has them.
#pragma once

#include <vector>

#include "harness/core/lab.h"
#include "harness/labs/scope.h"

namespace lab::labs {

/// The points that `sweeps` name, in order; of one sweep the last name varies fastest. Parameters
/// that a sweep does not name have their default. A value may be a formula over the others, without
/// blanks: `stride=0..33 n=floor(2^16/max(1,stride))`.
[[nodiscard]] std::vector<Params> read_points(const std::vector<ParamSpec>& params,
                                              const std::vector<PlacedText>& sweeps);

/// Those of `points` that one of the sweeps fits: that have, of each name which they have at all,
/// one of its values. In the order of the sweeps.
[[nodiscard]] std::vector<Params> pick_points(const std::vector<ParamSpec>& params,
                                              const std::vector<PlacedText>& sweeps,
                                              const std::vector<Params>& points);

}  // namespace lab::labs
