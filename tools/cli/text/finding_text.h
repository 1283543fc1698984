// Tells a checker's findings in the terminal.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Which cases a finding is of.
struct FindingOf {
  std::string cases = {};    ///< "n=32 and 3 more"; empty: one, which is not named
  bool is_expected = false;  ///< its variant is there to show it, so that it needs no cure
};

/// `diff.cu:3   out[i] = in[i + 1] - in[i];`, and below it who did what, and the cure. Without a
/// line, the kernel's name stands there.
[[nodiscard]] std::string finding_text(const Finding& finding, const FindingOf& of,
                                       const Terminal& terminal);

/// Of each of the first findings and remarks its line, who did what there, and the cure; empty:
/// there are none.
[[nodiscard]] std::string findings_text(const CaseRecord& record, const Terminal& terminal);

}  // namespace lab::cli
