// Conditions under which values were taken, where they differ.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"

namespace lab::cli {

/// `title` and the first ten lines below it; empty if there are none.
[[nodiscard]] std::string list_text(const std::string& title,
                                    const std::vector<std::string>& lines);

/// How the conditions of our values and of those imported differ, a sentence each.
[[nodiscard]] std::vector<std::string> unlike_of(const RunRecord& run);

/// How the conditions of our values and of Nsight Compute's differ; empty: they do not, or there
/// are not values of Nsight Compute.
[[nodiscard]] std::string unlike_ncu_text(const RunRecord& run);

/// How the conditions of two runs differ; empty: they do not.
[[nodiscard]] std::string unlike_runs_text(const RunRecord& first, const RunRecord& second);

}  // namespace lab::cli
