// A grade as its student reads it.
#pragma once

#include <string>

#include "db/grades.h"
#include "harness/classes/grade/rubric.h"
#include "harness/core/record.h"

namespace lab::grade {

/// Markdown: points by criterion, what was found at which line, and what to change. `run` is the
/// submission's; null: there is none. Parameters of hidden cases are not told.
[[nodiscard]] std::string feedback_text(const Rubric& rubric, const db::GradeRow& grade,
                                        const RunRecord* run);

/// `12 of 20`, or `open` where a person has to say.
[[nodiscard]] std::string points_text(const std::optional<double>& points, double of);

}  // namespace lab::grade
