// Points that depend on nothing but names and ranges: however labs are made, they are the same.
#pragma once

#include <vector>

#include "harness/core/lab.h"

namespace lab {

/// `count` points of a variant, of every magnitude. No number is above `largest`, unless its range
/// begins there.
[[nodiscard]] std::vector<Params> named_points(const Lab& lab, const Variant& variant, int count,
                                               std::int64_t largest);

}  // namespace lab
