// What to change in a kernel, as sentences below a run.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "metrics/advice.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Each with its line, what it finds, the cure and what that saves; at last the command that draws
/// the accesses, `map`, where it is not empty. With no advice, that there is nothing to gain.
[[nodiscard]] std::string advice_text(const std::vector<metrics::Advice>& all, const RunRecord& run,
                                      const std::string& map, const Terminal& terminal);

}  // namespace lab::cli
