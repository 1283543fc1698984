// The lines above a case that is looked at closely.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The variant or kernel, its parameters and `rest`, in as many lines as that takes, and an empty
/// line.
[[nodiscard]] std::string case_heading(const CaseRecord& record, const std::string& rest,
                                       const Terminal& terminal);

}  // namespace lab::cli
