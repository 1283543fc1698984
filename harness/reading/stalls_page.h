// Why warps waited, by source line.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::reading {

/// One table per sampled case (`--stalls`): the lines at which warps waited longest, with the
/// reasons, at most `most` of them. Where cases could not be sampled, the cause, once. Nothing
/// without `--stalls`.
[[nodiscard]] std::vector<page::Block> stalls_blocks(const RunRecord& run, std::size_t most = 6);

}  // namespace lab::reading
