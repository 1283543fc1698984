// Tells a checker's findings in the terminal.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Of each of the first findings and remarks its line, who did what there, and the cure; empty:
/// there are none.
[[nodiscard]] std::string findings_text(const CaseRecord& record, const Terminal& terminal);

}  // namespace lab::cli
