// A student's case beside the lab's goal: where the exercise starts, what came out, the target.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/figures.h"

namespace lab::reading {

/// One of the goal's metrics.
struct GoalLine {
  std::string metric;
  std::optional<double> from = {};  ///< the formula's, of the case that the goal compares with
  double value = 0;                 ///< measured, else the model's
};

/// The goal's metrics that are known of this case; empty where the lab has no goal of its variant.
[[nodiscard]] std::vector<GoalLine> goal_lines(const CaseRecord& record, const Lab& lab);

/// `32-way bank conflict -> none; wavefronts, load: 512 instead of 16,384`: what the goal says is
/// gained, and how the kernel compares with the goal's other case; without both, what it has.
[[nodiscard]] std::string goal_sentence(const std::vector<GoalLine>& lines, const Goal& goal);

/// Whether each of the cases is on its target.
[[nodiscard]] bool all_on_target(const Cases& cases);

/// The goal's sentence of cases that are all on target; empty: some are not, or `lab` has no goal
/// of theirs.
[[nodiscard]] std::string success_sentence(const Cases& cases, const Lab* lab);

/// What a student's cases are told by: the metric that is `furthest` above its target; where none
/// is above, or the goal has it, the first of the goal.
[[nodiscard]] std::string told_metric(const Cases& cases, const Against& furthest, const Lab* lab);

/// Whether the cases' results were checked, and came out right.
enum class Results : std::uint8_t { kAllRight, kSomeRight, kNoneRight, kNotChecked };
[[nodiscard]] Results results_of(const Cases& cases);

/// Leaves out cases that ended with a finding: neither their cost nor their standing is told.
[[nodiscard]] Cases without_mistakes(const Cases& cases);

/// `0 of 3 on target: results are right; 32 times the target in ways, load.`: of cases that have
/// targets. Empty: all have a mistake.
[[nodiscard]] std::string target_sentence(const Cases& cases);

}  // namespace lab::reading
