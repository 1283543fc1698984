// Which lane of a warp touches which bank or sector, as a page and as pictures.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::reading {

/// Shared memory: banks side by side, a row for each further word that a bank has to give, and a
/// picture for each group of lanes that is served alone. Global memory: a row for each sector, of
/// its 8 words. `title` says what is drawn.
[[nodiscard]] std::vector<page::Grid> grids_of(const Access& access, const std::string& title);

/// The pictures of a case's patterns, each by its line and its cost.
[[nodiscard]] std::vector<page::Grid> pictures_of(const CaseRecord& record);

/// The patterns of the case of `run`, each with its source line, each picture once, and what GPUs
/// of `capability` (3.5, or all) make of it; empty: of no other GPU. `warp` says whose they are.
[[nodiscard]] page::Page map_page(const RunRecord& run, const CaseRecord& record, std::string warp,
                                  const std::string& capability);

}  // namespace lab::reading
