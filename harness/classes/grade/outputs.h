// A gradebook as others read it: spreadsheets, learning platforms, build servers, students.
#pragma once

#include <string>
#include <vector>

#include "db/grades.h"
#include "harness/classes/grade/rubric.h"

namespace lab::grade {

using Gradebook = std::vector<db::GradebookRow>;

/// student, name, status, total, of, adjusted, then the points of each criterion, then the reason.
[[nodiscard]] std::string gradebook_csv(const Rubric& rubric, const Gradebook& book);

/// A page with one row a student.
[[nodiscard]] std::string gradebook_html(const Rubric& rubric, const Gradebook& book);

/// A test for each student's criterion.
[[nodiscard]] std::string gradebook_junit(const Rubric& rubric, const Gradebook& book);

/// results.json of one submission as Gradescope's autograders write it. Where a person has to say
/// points, the score is what is decided without them, and students see nothing until the grades are
/// published.
[[nodiscard]] std::string gradescope_json(const db::GradebookRow& row);

/// The student's feedback with later adjustments.
[[nodiscard]] std::string feedback_of(const db::GradebookRow& row);

}  // namespace lab::grade
