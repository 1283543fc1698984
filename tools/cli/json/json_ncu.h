// The JSON of `lab import` and `lab ncu`.
#pragma once

#include <string>

#include "harness/run/ncu_import.h"

namespace lab::cli {

/// {"run", "launches", "cases", "by_range", "values", "unmatched": [], "notes": [], "unlike": [],
/// "counters": [{"metric", "source", "class", "cases", "equal", "ours", "ncu", "where", "cause"}],
/// "disagrees"}
[[nodiscard]] std::string imported_json(const run::Imported& imported);

}  // namespace lab::cli
