// The output of `lab import` and `lab ncu`.
#pragma once

#include <string>

#include "harness/run/ncu_import.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The import for a person: what was matched, what was not, how the conditions differ, the rows.
[[nodiscard]] std::string imported_text(const run::Imported& imported, const Terminal& terminal);

}  // namespace lab::cli
