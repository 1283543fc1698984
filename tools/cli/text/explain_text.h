// What each source line costs, beside the line.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The lines of `source` that cost something, with the model's counts and, where there are any, the
/// measured ones. Lines of other files are added up as one row.
[[nodiscard]] std::string explain_text(const CaseRecord& record, const std::string& source_name,
                                       const std::string& source_text, const Terminal& terminal);

}  // namespace lab::cli
