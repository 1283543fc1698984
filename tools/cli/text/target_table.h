// A student's kernel beside the lab's theory: what it takes, what it could take, and where.
#pragma once

#include <string>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Whether the results are right and how many are on target, in a sentence; the line of the source
/// that costs most; a row per point: the metric that is furthest from its target or is the lab's
/// goal, where the exercise starts, the target, and how many times it is. Where all are on target,
/// what that saved.
[[nodiscard]] std::string target_text(const RunRecord& run, const Lab* lab, const Section& section,
                                      const Terminal& terminal);

}  // namespace lab::cli
