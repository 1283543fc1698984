// A class of submissions graded side by side; one never stops the rest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "db/grades.h"
#include "harness/classes/grade/grade.h"

namespace lab::grade {

struct ClassOptions {
  GradeOptions each;
  int jobs = 1;        ///< submissions at a time
  bool again = false;  ///< grade what has its grade already
};

struct ClassSink {
  /// Each submission as its grade is stored; from the caller's thread.
  std::function<void(const db::GradeRow&, std::size_t done, std::size_t all)> graded = {};
};

struct ClassResult {
  std::size_t graded = 0;
  std::size_t kept = 0;  ///< whose source and rubric are those of their newest grade
  std::vector<std::string> failures = {};  ///< what the machine could not do, a sentence each
};

/// Grades what has no grade of this rubric and source yet, and stores each grade with its run in
/// one transaction: a killed program goes on where it was.
[[nodiscard]] ClassResult grade_class(const Rubric& rubric,
                                      const std::vector<Submission>& submissions, db::Store& store,
                                      const ClassOptions& options, const ClassSink& sink);

}  // namespace lab::grade
