#include "metrics/formulas.h"

#include <algorithm>

#include "harness/core/error.h"

namespace lab::metrics {

FormulaNames names_of(const Variant& variant, const CaseRecord& record) {
  // A library's launches are unknown; its theory speaks of parameters alone.
  const auto launch = variant.launch ? variant.launch(record.params) : record.launch;
  return formula_names(variant, record.params, launch, record.arch);
}

std::vector<FormulaNames> names_of_sweep(const Variant& variant) {
  std::vector<FormulaNames> points;
  for (const auto& point : variant.points) {
    points.push_back(formula_names(variant, point, variant.launch(point)));
  }
  return points;
}

namespace {

// At these points and at those of the cases.
Expr specialised(const Expr& formula, const Variant& variant, std::vector<FormulaNames> points,
                 const std::vector<const CaseRecord*>& cases) {
  try {
    for (const auto* record : cases) points.push_back(names_of(variant, *record));
    return formula.specialised(points);
  } catch (const Error&) {
    return formula.simplified();
  }
}

}  // namespace

Expr over_cases(const Expr& formula, const Variant& variant,
                const std::vector<const CaseRecord*>& cases) {
  return specialised(formula, variant, {}, cases);
}

Expr over_defaults(const Expr& formula, const Variant& variant) {
  return formula.specialised(names_of_sweep(variant));
}

Expr over_defaults_and_cases(const Expr& formula, const Variant& variant,
                             const std::vector<const CaseRecord*>& cases) {
  return specialised(formula, variant, names_of_sweep(variant), cases);
}

const TheoryRow* theory_row(const Variant& variant, const std::string& metric) {
  const auto found = std::find_if(variant.theory.begin(), variant.theory.end(),
                                  [&](const TheoryRow& row) { return row.metric == metric; });
  return found == variant.theory.end() ? nullptr : &*found;
}

}  // namespace lab::metrics
