// One variant of a run as HTML: formulas, charts, table.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "metrics/machine.h"

namespace lab::report {

/// What came of a case, in a word or two, as a cell of its class in the style sheet.
[[nodiscard]] std::string outcome_html(const CaseRecord& record);

/// A row per case: parameters, what came of it, and each metric: one number where all sources have
/// the same, else side by side; then its time beside the least that `machine` allows.
[[nodiscard]] std::string section_html(const Section& section, const Lab* lab,
                                       const std::vector<std::string>& metrics,
                                       const metrics::Machine& machine);

}  // namespace lab::report
