// Two runs of the same task: what differs, and what of it is better.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

struct DifferenceOptions {
  std::set<std::string> metrics = {};  ///< these alone; empty: all
  bool all = false;                    ///< every difference, not the largest ones alone
};

/// For each pair of cases the metrics and source lines that differ, the largest differences first,
/// each with both values and whether that is better; then how many are the same. `names` are the
/// two sides' as the user gave them.
[[nodiscard]] std::string differences_text(const RunRecord& first, const RunRecord& second,
                                           const std::pair<std::string, std::string>& names,
                                           const DifferenceOptions& options,
                                           const Terminal& terminal);

}  // namespace lab::cli
