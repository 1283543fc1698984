// The changes from one run of a student's file to the next.
#pragma once

#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::reading {

/// The cases whose standing differs from that in `before`, a line each; then how many are as
/// before.
[[nodiscard]] std::vector<page::Block> changes_blocks(const RunRecord& before,
                                                      const RunRecord& now);

}  // namespace lab::reading
