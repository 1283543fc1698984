// How theory's formulas read: in general, and over the cases that a person looks at.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"

namespace lab::metrics {

/// The names that the variant's formulas may use, with their values at a case's parameters.
[[nodiscard]] FormulaNames names_of(const Variant& variant, const CaseRecord& record);

/// The same at each point of the model's whole sweep.
[[nodiscard]] std::vector<FormulaNames> names_of_sweep(const Variant& variant);

/// A formula of the variant specialised to these cases; as it is in general where one of them
/// cannot be launched.
[[nodiscard]] Expr over_cases(const Expr& formula, const Variant& variant,
                              const std::vector<const CaseRecord*>& cases);
/// The same for the points that the variant runs by default.
[[nodiscard]] Expr over_defaults(const Expr& formula, const Variant& variant);
/// The same for both: it holds for these cases and reads as it does in general.
[[nodiscard]] Expr over_defaults_and_cases(const Expr& formula, const Variant& variant,
                                           const std::vector<const CaseRecord*>& cases);

/// The variant's row for a metric; null where there is none.
[[nodiscard]] const TheoryRow* theory_row(const Variant& variant, const std::string& metric);

}  // namespace lab::metrics
