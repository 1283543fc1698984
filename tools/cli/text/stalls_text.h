// Why warps waited, by source line, as tables.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// One table per sampled case (`--stalls`): the lines at which warps waited longest, with the
/// reasons. Where cases could not be sampled, the cause, once. Empty without `--stalls`.
[[nodiscard]] std::string stalls_text(const RunRecord& run, const Terminal& terminal);

}  // namespace lab::cli
