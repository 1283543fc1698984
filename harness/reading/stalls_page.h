// Why warps waited, by source line.
#pragma once

#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::reading {

/// One table per sampled case (`--stalls`): the lines at which warps waited longest, with the
/// reasons. Where cases could not be sampled, the cause, once. Nothing without `--stalls`.
[[nodiscard]] std::vector<page::Block> stalls_blocks(const RunRecord& run);

}  // namespace lab::reading
