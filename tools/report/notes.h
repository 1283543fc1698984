// What of a run needs a sentence: findings, failures, verdicts that are not plain agreement.
#pragma once

#include <string>

#include "harness/core/record.h"

namespace lab::report {

/// A list; sentences that differ in their numbers alone are one, with the first as its example.
/// Empty where nothing needs a word.
[[nodiscard]] std::string notes_html(const RunRecord& run);

}  // namespace lab::report
