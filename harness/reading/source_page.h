// The cost of each line of a run's source, and what a warp touches there, as blocks of a page.
#pragma once

#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "harness/page/page.h"

namespace lab::reading {

/// The model's counts in the first case of each section; of a long source the lines that cost most,
/// and all of it in a fold. Without counts the source alone.
[[nodiscard]] std::vector<page::Block> source_blocks(const RunRecord& run,
                                                     const std::vector<Section>& sections);

/// The costliest accesses, drawn: the first two, and the others in a fold.
[[nodiscard]] std::vector<page::Block> touched_blocks(const RunRecord& run);

}  // namespace lab::reading
