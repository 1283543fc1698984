// Every JSON document that the program prints. The keys are a contract: scripts read them.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"

namespace lab::cli {

/// `lab list --json`: {"labs": [{"number", "id", "title", "summary", "folder", "variants",
/// "cases"}]}
[[nodiscard]] std::string labs_json(const std::vector<Lab>& labs);

/// `lab show N --json`: {"lab": {"number", ..., "handout", "params": [{"name", "help", "default",
/// "min", "max", "choices"}], "variants": [{"name", "summary", "params": [names], "points": [{}],
/// "theory": [{"metric", "formula", "high", "level", "why"}]}]}}
[[nodiscard]] std::string lab_json(const Lab& lab, const std::string& handout_path);

/// `lab run --json`, `lab compare --json`, `lab probe --json`: {"runs": [{"run": {"id", "uuid",
/// "lab", ...}, "cases": [{"variant", "params", "kernel", "grid", "block", "shared_bytes",
/// "status", "correct", "reason", "findings", "metrics": {KEY: {"unit", "class", "theory",
/// "theory_high", "formula", "model", "cupti", "sass", "ncu", "measured", "verdict", "reason",
/// "missing": {SOURCE: WHY}}}, "time"}]}]}. What there is no value for is null.
[[nodiscard]] std::string runs_json(const std::vector<RunRecord>& runs);

}  // namespace lab::cli
