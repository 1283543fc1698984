// Why warps waited, by source line, as tables.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// A table a case that was sampled (`--stalls`): its lines at which warps waited longest, with the
/// reasons; for cases that could not be sampled the cause, once. Empty where nobody asked for it.
[[nodiscard]] std::string stalls_text(const RunRecord& run, const Terminal& terminal);

}  // namespace lab::cli
