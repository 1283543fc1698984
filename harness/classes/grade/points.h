// What a rubric makes of a run: points, criterion by criterion. Nothing is run here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/grades.h"
#include "harness/classes/grade/rubric.h"
#include "harness/core/record.h"

namespace lab::grade {

/// Whether all of it is there: all its points, and of a condition, which has none, that it holds.
[[nodiscard]] bool is_met(const db::CriterionRow& row);

/// The rows of a submission that has no run, or whose run did not come to its cases.
[[nodiscard]] std::vector<db::CriterionRow> no_points(const Rubric& rubric,
                                                      const std::string& reason,
                                                      std::optional<double> points);

/// Sets points, status, reason and criteria from the cases of `run`, one for each of the rubric's.
void give_points(const Rubric& rubric, const RunRecord& run, db::GradeRow& grade);

/// The grade that a stored run gets by another rubric, at the sizes that the run's seed draws. An
/// input error where the rubric has cases that were not run.
[[nodiscard]] db::GradeRow regrade(const Rubric& rubric, const db::GradeRow& before,
                                   const std::optional<RunRecord>& run);

}  // namespace lab::grade
