// Two runs of the same task: what differs, and what of it is better.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Cases of two runs that do the same: of one variant at one point, or, where each run has a single
/// variant of its own, at a point whose common parameters are equal.
using CasePair = std::pair<const CaseRecord*, const CaseRecord*>;
[[nodiscard]] std::vector<CasePair> pairs_of(const RunRecord& first, const RunRecord& second);

/// Which line of a second text stands for each line of a first one, both from 1: 0 at place 0, and
/// where a line went. Lines that stay are matched (a longest common subsequence). Between them
/// lines are matched in order: all where as many were replaced by as many, else those alike.
[[nodiscard]] std::vector<int> matched_lines(std::string_view first, std::string_view second);

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
