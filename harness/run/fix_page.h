// Better layouts of a kernel's arrays, as a page: what each costs, which is best and why, and what
// to write.
#pragma once

#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"
#include "harness/run/fix.h"

namespace lab::run {

/// Whether with x and y of its threads exchanged a case costs less, and nothing that was counted
/// gets worse.
[[nodiscard]] bool exchange_helps(const CaseRecord& now, const CaseRecord& exchanged);

/// The case of `run` and its arrays. `exchanged`: the same case with x and y of its threads
/// exchanged, where that was tried; it stands first where nothing that was counted gets worse,
/// since it changes no array.
[[nodiscard]] page::Page fix_page(const RunRecord& run, const std::vector<ArrayFix>& fixes,
                                  const CaseRecord* exchanged);

/// The same for a tile with no kernel: its layouts, and what the best one is.
[[nodiscard]] page::Page tile_page(const ArrayFix& tile);

}  // namespace lab::run
