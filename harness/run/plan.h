// From what a person asked for to the list of cases: which variants, at which points.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/lab.h"

namespace lab::run {

struct Selection {
  std::vector<std::string> variants = {};                        ///< empty: all
  std::vector<std::pair<std::string, std::string>> sweeps = {};  ///< parameter, sweep text
  bool for_gpu = false;  ///< variants with larger sizes for a GPU take those
};

/// `stride=1,2,4` in two; an input error where there is no name or no `=`.
[[nodiscard]] std::pair<std::string, std::string> parse_param(const std::string& text);

/// The cases in the order in which tables show them, index 0, 1, .... A swept parameter replaces
/// that axis of every chosen variant that reads it; variants that don't read it keep their points.
/// Input errors: unknown variant or parameter (with the nearest), a value out of range, a
/// parameter given twice or read by none of the chosen variants.
[[nodiscard]] std::vector<CaseRequest> plan_cases(const Lab& lab, const Selection& selection);

}  // namespace lab::run
