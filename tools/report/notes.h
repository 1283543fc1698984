// What of a run needs a sentence: findings, failures, verdicts that are not plain agreement.
#pragma once

#include <string>

#include "harness/core/lab.h"
#include "harness/core/record.h"

namespace lab::report {

/// A list; sentences that differ in their numbers alone are one, with the first as its example.
/// What explains single numbers is folded. Empty where nothing needs a word.
[[nodiscard]] std::string notes_html(const RunRecord& run, const Lab* lab);

}  // namespace lab::report
