#include "harness/reading/formulas.h"

#include <algorithm>

#include "harness/reading/metric_view.h"
#include "metrics/formulas.h"

namespace lab::reading {

const Variant* variant_of(const Section& section, const Lab* lab) {
  if (lab == nullptr) return nullptr;
  const auto& variants = lab->variants;
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant& v) { return v.name == section.variant; });
  return found == variants.end() ? nullptr : &*found;
}

const CaseRecord& example_case(const Section& section) {
  return *section.cases[section.cases.size() > 2 ? 2 : section.cases.size() - 1];
}

JudgedBy formula_of(const CaseRecord& record, const Variant* variant, const std::string& metric) {
  const Verdict* stored = view_of(record, metric).row;
  if (stored == nullptr || stored->formula.empty()) return {};
  const auto* row = variant == nullptr ? nullptr : metrics::theory_row(*variant, metric);
  const bool current = row != nullptr && row->formula.general_text() == stored->formula;
  return {current ? row : nullptr, stored};
}

}  // namespace lab::reading
