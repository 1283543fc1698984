// Every metric of a run, one row each; and two runs side by side.
#pragma once

#include <set>
#include <string>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// What is shown; an empty set lets everything through.
struct CompareFilter {
  std::set<std::string> metrics = {};
  std::set<std::string> verdicts = {};
  bool zeros = true;      ///< also metrics of which nothing was found: each of their values is 0
  std::string lead = {};  ///< stands above a case's table in place of its reason
  bool overview = false;  ///< what differs and what agrees, metric by metric, in place of cases
};

/// What differs, each metric with its first case, and what agrees; or one table per case: metric,
/// theory, model, the measurements that there are, verdict, reason.
[[nodiscard]] std::string compare_text(const RunRecord& run, const CompareFilter& filter,
                                       const Terminal& terminal);

/// A row for each metric of the cases that both runs have: the measured value where both have one,
/// else the model's, and second / first.
[[nodiscard]] std::string two_runs_text(const RunRecord& first, const RunRecord& second,
                                        const CompareFilter& filter, const Terminal& terminal);

}  // namespace lab::cli
