// Every metric of a run, one row each; and two runs side by side.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"
#include "metrics/machine.h"

namespace lab::reading {

/// Chooses what is shown; an empty set lets everything through.
struct CompareFilter {
  std::set<std::string> metrics = {};
  std::set<std::string> verdicts = {};
  bool zeros = true;                     ///< also metrics of which nothing was found: all values 0
  std::vector<page::Block> lead = {};    ///< stands above a case's table in place of its reason
  bool overview = false;                 ///< what differs and what agrees, in place of cases
  std::vector<page::Block> unlike = {};  ///< conditions that differ, below the title
  /// The run's GPU, where its ceilings were measured: what is asked last is how close each case
  /// came to them.
  std::optional<metrics::Machine> ceilings = {};
};

/// The metrics that differ, each with its first case, and those that agree; or one table per case:
/// metric, theory, model, the measurements that there are, verdict, reason. Then where warps
/// waited, and how close the cases came to their GPU's ceilings.
[[nodiscard]] page::Page compare_page(const RunRecord& run, const CompareFilter& filter);

/// A row for each metric of the cases that both runs have: the measured value where both have one,
/// else the model's, and second / first.
[[nodiscard]] page::Page two_runs_page(const RunRecord& first, const RunRecord& second,
                                       const CompareFilter& filter);

}  // namespace lab::reading
