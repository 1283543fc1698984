// A page as one HTML file that needs no network.
#pragma once

#include <string>

#include "harness/page/page.h"

namespace lab::report {

/// With its styles, and the scripts that draw its charts. Whatever others wrote is escaped.
[[nodiscard]] std::string report_html(const std::string& title, const page::Page& page);

/// What charts.js draws of all the page's charts, also of those in folds: a list of {"kind", "id",
/// "title", ...}. Kinds and their keys:
///   curve   "unit", "x", "log_x", "log_y", "series": [{"name", "points": [{"x", "y", "high"}]}];
///           "high" is the upper end of an interval, absent for a number
///   bars    "unit", "log", "labels": [...], "values": [...]
///   points  "x", "y" (titles), "log_x", "log_y", "lines": [{"name", "points": [{"x", "y"}]}],
///           "points": [{"x", "y", "name"}], "named": true where names are drawn, too
[[nodiscard]] std::string charts_json(const page::Page& page);

}  // namespace lab::report
