// Conditions under which values were taken, where they differ.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::ncu {

/// How the conditions of our values and of those imported differ, a sentence each.
[[nodiscard]] std::vector<std::string> unlike_of(const RunRecord& run);

/// A list of how the conditions of our values and of Nsight Compute's differ; nothing where they do
/// not, or where Nsight Compute counted nothing.
[[nodiscard]] std::vector<page::Block> unlike_ncu(const RunRecord& run);

/// A list of how the conditions of two runs differ; nothing where they do not.
[[nodiscard]] std::vector<page::Block> unlike_runs(const RunRecord& first, const RunRecord& second);

}  // namespace lab::ncu
