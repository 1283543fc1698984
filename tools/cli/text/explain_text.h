// Source lines with their costs beside them.
#pragma once

#include <map>
#include <string>

#include "harness/core/record.h"
#include "metrics/machine.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The case's expected time with what sets it; and the lines of the run's source that cost
/// something, the greatest share of that time on `machine` first: instructions, sectors and
/// wavefronts as they are and as the bytes asked for alone would take, of the model and, where
/// there are any, as measured and as Nsight Compute has them. Below each the whole line, what
/// `compiled` says of it, and what warps waited for there. Lines of other files are added up as one
/// row, those with no access to memory and no share as another.
[[nodiscard]] std::string explain_text(const RunRecord& run, const CaseRecord& record,
                                       const metrics::Machine& machine,
                                       const std::map<int, std::string>& compiled,
                                       const Terminal& terminal);

}  // namespace lab::cli
