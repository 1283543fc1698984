// What charts.js draws, as JSON: curves over a parameter, bars of variants, points on axes.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "metrics/machine.h"

namespace lab::report {

/// The id of a section's canvas.
[[nodiscard]] std::string curve_id(const Section& section, const std::string& metric);

/// Charts of a whole run, each with the id of its canvas: `bars` (variants), `agreement` (theory
/// against what was measured, else the model), `roofline`.
struct RunChart {
  std::string id;
  std::string label;  ///< for who does not see it
  std::string json;
};
[[nodiscard]] std::vector<RunChart> run_charts(const RunRecord& run,
                                               const std::vector<Section>& sections,
                                               const std::vector<std::string>& metrics,
                                               const metrics::Machine& machine);

/// A list of {"kind", "id", "title", ...}; kinds and their keys:
///   curve   "unit", "x", "log_x", "log_y", "series": [{"name", "points": [{"x", "y", "high"}]}];
///           "high" is the upper end of an interval, absent for a number
///   bars    "unit", "log", "labels": [...], "values": [...]
///   points  "x", "y" (titles), "log_x", "log_y", "lines": [{"name", "points": [{"x", "y"}]}],
///           "points": [{"x", "y", "name"}], "named": true where names are drawn, too
[[nodiscard]] std::string charts_json(const std::vector<Section>& sections,
                                      const std::vector<std::string>& metrics,
                                      const std::vector<RunChart>& of_run);

}  // namespace lab::report
