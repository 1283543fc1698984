// Formulas written as text, as a lab's data files have them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/expression.h"
#include "harness/formula/value.h"

namespace lab::language {

/// What a name stands for. Throws an input error where it stands for nothing.
using Lookup = std::function<Value(const std::string& name)>;

/// Operators of one rank, and what they give.
struct OperatorRank {
  std::vector<std::string_view> signs;
  std::string_view meaning;
};
/// The weakest first.
[[nodiscard]] std::vector<OperatorRank> operator_ranks();

/// `32 / gcd(stride, 32) + 1`: numbers, names, `or`, `and`, comparisons (< <= > >= == !=), + - * /
/// % with the usual ranks, parentheses, and the functions of functions.h. `and` is the product of
/// two conditions, `or` the larger of them. Throws an input error with the place in `text`.
[[nodiscard]] Value parse_value(std::string_view text, const Lookup& lookup);

/// A number whose names stand for themselves.
[[nodiscard]] Expr parse_expression(std::string_view text);

}  // namespace lab::language
