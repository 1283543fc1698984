// Two runs of the same task: what differs, and what of it is better.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::reading {

struct DifferenceOptions {
  std::set<std::string> metrics = {};    ///< these alone; empty: all
  bool all = false;                      ///< every difference, not the largest ones alone
  std::vector<page::Block> unlike = {};  ///< conditions that differ, below the sides
};

/// For each pair of cases the metrics and source lines that differ, the largest differences first,
/// each with both values and whether that is better; then how many are the same. `names` are the
/// two sides' as the user gave them.
[[nodiscard]] page::Page difference_page(const RunRecord& first, const RunRecord& second,
                                         const std::pair<std::string, std::string>& names,
                                         const DifferenceOptions& options);

/// Whether conditions under which the two ran are worth a word: where text or variant are others,
/// the machine code is bound to be another.
[[nodiscard]] bool are_of_one_text(const RunRecord& first, const RunRecord& second);

}  // namespace lab::reading
