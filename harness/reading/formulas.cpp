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

std::vector<Section> telling_first(std::vector<Section> sections, const Lab* lab) {
  for (Section& section : sections) {
    const Variant* variant = variant_of(section, lab);
    if (variant == nullptr) continue;
    const bool timed = std::any_of(section.cases.begin(), section.cases.end(),
                                   [](const auto* record) { return record->timing.has_value(); });
    std::vector<Params> points = default_points(*variant, timed, false);
    if (lab->picture && lab->picture->row.variant == section.variant) {
      const auto& drawn = lab->picture->row.points;
      std::stable_partition(points.begin(), points.end(), [&](const Params& point) {
        return std::find(drawn.begin(), drawn.end(), point) != drawn.end();
      });
    }
    for (const Params& point : points) {
      const auto found =
          std::find_if(section.cases.begin(), section.cases.end(), [&](const auto* record) {
            return record->params == point && record->timing.has_value() == timed;
          });
      if (found == section.cases.end()) continue;
      std::rotate(section.cases.begin(), found, found + 1);
      break;
    }
  }
  return sections;
}

JudgedBy formula_of(const CaseRecord& record, const Variant* variant, const std::string& metric) {
  const Verdict* stored = view_of(record, metric).row;
  if (stored == nullptr || stored->formula.empty()) return {};
  const auto* row = variant == nullptr ? nullptr : metrics::theory_row(*variant, metric);
  const bool current = row != nullptr && row->formula.general_text() == stored->formula;
  return {current ? row : nullptr, stored};
}

}  // namespace lab::reading
