// Formulas written as text, as a lab's data files have them.
#pragma once

#include <string_view>

#include "harness/core/expression.h"

namespace lab {

/// `32 / gcd(stride, 32) + 1`: numbers, names, + - * / % with the usual ranks, parentheses, and the
/// functions min, max, gcd, ceil, floor and if(condition, then, otherwise), whose condition may be
/// a comparison (< <= > >= == !=). Throws an input error with the place in `text`.
[[nodiscard]] Expr parse_expression(std::string_view text);

}  // namespace lab
