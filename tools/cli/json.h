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

}  // namespace lab::cli
