// What to change in a student's kernel, as the terminal says it after a run.
#pragma once

#include <string>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "metrics/machine.h"

namespace lab::report {

/// Of each variant the case that misses its target the most, of those whose accesses are known: the
/// line, what its lanes do, the cure and what that saves. Empty where there is nothing to change,
/// or nothing known.
[[nodiscard]] std::string advice_html(const RunRecord& run, const Lab* lab,
                                      const metrics::Machine& machine);

}  // namespace lab::report
