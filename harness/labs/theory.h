// Rows of theory as a lab's file has them.
#pragma once

#include <vector>

#include "harness/core/lab.h"
#include "harness/labs/arrays.h"
#include "harness/labs/scope.h"
#include "harness/labs/section.h"

namespace lab::labs {

/// The rows that `theory` stands for, in its order; `uses` gets the names that they use. Throws an
/// input error with its place at what is not a row.
[[nodiscard]] std::vector<TheoryRow> read_theory(Scope& scope, const Section& theory, Uses& uses);

}  // namespace lab::labs
