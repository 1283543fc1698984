// A run's cases as people look at them: variant by variant.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"

namespace lab {

/// One variant's cases, and which parameters tell them apart.
struct Section {
  std::string variant;
  std::vector<const CaseRecord*> cases = {};  ///< in the run's order; never empty
  std::vector<std::string> varying = {};      ///< parameters with several values, by name
  std::vector<std::string> fixed = {};        ///< the others
};

/// In the order in which variants first appear. The cases stay the run's.
[[nodiscard]] std::vector<Section> sections_of(const RunRecord& run);
[[nodiscard]] std::vector<Section> sections_of(const std::vector<const CaseRecord*>& cases);

/// Sets `varying` and `fixed` by the section's cases.
void find_varying(Section& section);

}  // namespace lab
