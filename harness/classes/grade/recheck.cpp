#include "harness/classes/grade/recheck.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

#include "db/grades.h"
#include "harness/classes/grade/assignment.h"
#include "harness/classes/grade/points.h"
#include "harness/classes/grade/rubric.h"
#include "harness/classes/grade/submissions.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"

namespace lab::grade {

namespace {

std::string points_text(const std::optional<double>& points) {
  return points ? number_text(*points) : std::string("no points yet");
}

// Stored by the same program the two are equal; a sum may be made in another order.
bool equal(const std::optional<double>& one, const std::optional<double>& other) {
  constexpr double kDigits = 1e-6;
  return one.has_value() == other.has_value() && (!one || std::abs(*one - *other) <= kDigits);
}

// What the grade has that its run does not give: a sentence, or empty.
std::string difference(const db::GradeRow& stored, const db::GradeRow& now) {
  if (stored.criteria.size() != now.criteria.size()) {
    return fmt::format("it has {} criteria, its rubric {}", stored.criteria.size(),
                       now.criteria.size());
  }
  for (std::size_t i = 0; i < now.criteria.size(); ++i) {
    const db::CriterionRow& was = stored.criteria[i];
    const db::CriterionRow& is = now.criteria[i];
    if (was.name == is.name && was.of == is.of && equal(was.points, is.points)) continue;
    return fmt::format("'{}' has {} of {}, its run gives {} of {}", was.name,
                       points_text(was.points), number_text(was.of), points_text(is.points),
                       number_text(is.of));
  }
  if (!equal(stored.of, now.of)) {
    return fmt::format("it is of {} points, its rubric of {}", number_text(stored.of),
                       number_text(now.of));
  }
  if (!equal(stored.points, now.points)) {
    return fmt::format("it has {}, its run gives {}", points_text(stored.points),
                       points_text(now.points));
  }
  if (stored.status == now.status) return {};
  return fmt::format("its status is {}, its run's {}", name_of(stored.status), name_of(now.status));
}

/// Rubrics by their hash, each read once.
class Rubrics {
 public:
  explicit Rubrics(db::Store& store) : rows_(db::every_rubric(store)) {}

  const Rubric& at(const std::string& sha256) {
    const auto known = read_.find(sha256);
    if (known != read_.end()) return known->second;
    const db::RubricRow& row = rows_.at(sha256);
    if (auto assignment = read_assignment("the rubric", row.text)) {
      return read_.emplace(sha256, *std::move(assignment)).first->second;
    }
    const Lab* lab = lab_with_number(row.lab);
    if (lab == nullptr) throw input_error(fmt::format("there is no lab {}", row.lab));
    return read_.emplace(sha256, read_rubric("the rubric", row.text, *lab)).first->second;
  }

 private:
  std::map<std::string, db::RubricRow> rows_;
  std::map<std::string, Rubric> read_ = {};
};

std::string problem_of(db::Store& store, const Rubric& rubric, const db::GradeRow& grade) {
  try {
    const RunRecord run = store.load_run(std::to_string(*grade.run));
    if (hash_of(source_of(run)) != grade.source_sha256) return "its run is of another submission";
    return difference(grade, regrade(rubric, grade, run));
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

Recheck check_points(db::Store& store) {
  Recheck result;
  Rubrics rubrics(store);
  for (const db::GradeRow& grade : db::every_grade(store)) {
    if (!grade.run) continue;
    const std::string whose =
        fmt::format("grade {} ({}, lab {}): ", grade.id, grade.student, grade.lab);
    try {  // of another version of the lab a rubric may not be one any more
      const std::string problem = problem_of(store, rubrics.at(grade.rubric_sha256), grade);
      if (!problem.empty()) result.problems.push_back(whose + problem);
    } catch (const Error& error) {
      result.open.push_back(whose + "cannot be added up again: " + error.what());
    }
  }
  return result;
}

}  // namespace lab::grade
