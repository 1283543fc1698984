// One variant of a run as HTML: formulas, charts, table, notes.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/core/sections.h"

namespace lab::report {

/// Metrics that are shown: the lab's headline ones, else all that the run has.
[[nodiscard]] std::vector<std::string> metrics_of(const RunRecord& run, const Lab* lab);

[[nodiscard]] std::string section_html(const Section& section, const Lab* lab,
                                       const std::vector<std::string>& metrics);

/// Charts as JSON for charts.js: [{"id", "title", "x", "series": [{"name", "points": [{"x",
/// "y", "high"}]}]}]; "high" is the upper end of an interval, absent for a number. A section has
/// charts where exactly one parameter varies, in whole numbers.
[[nodiscard]] std::string charts_json(const std::vector<Section>& sections,
                                      const std::vector<std::string>& metrics);

}  // namespace lab::report
