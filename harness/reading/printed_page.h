// The output of kernels' printf.
#pragma once

#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::reading {

/// The first lines of the first cases that printed, each below the case's name where the run has
/// several; then how much was left out. Nothing where nothing was printed.
[[nodiscard]] std::vector<page::Block> printed_blocks(const RunRecord& run);

}  // namespace lab::reading
