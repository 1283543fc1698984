// How a student's kernel stands to its target: case by case, and in one sentence.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// `1 of 3 on target. Furthest from it: column pad=0, 32 x the target in wavefronts, load.`; empty
/// where the kernels are the lab's own.
[[nodiscard]] std::string standing_text(const RunRecord& run, const Terminal& terminal);

/// What changed from one run of a student's file to the next: the cases whose standing differs, a
/// line each; with no `before` all cases. Then how many are as before.
[[nodiscard]] std::string changes_text(const RunRecord* before, const RunRecord& now,
                                       const Terminal& terminal);

}  // namespace lab::cli
