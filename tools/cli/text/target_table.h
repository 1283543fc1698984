// A student's kernel beside the lab's theory: what it takes, what it could take, and where.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// A row per point: the metric that is furthest from its target, the target, and how many times
/// it is; below, what that comes to in a sentence and the line of the source that costs most.
[[nodiscard]] std::string target_text(const RunRecord& run, const Section& section,
                                      const Terminal& terminal);

}  // namespace lab::cli
