// What kernels' printf wrote, as people read it.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The first lines of the first cases that printed, each below the case's name where the run has
/// several, with control characters escaped; then how much was left out. Empty: nothing was
/// printed.
[[nodiscard]] std::string printed_text(const RunRecord& run, const Terminal& terminal);

}  // namespace lab::cli
