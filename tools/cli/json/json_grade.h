// The JSON documents of the commands that hold kernels against criteria.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/grades.h"
#include "harness/classes/grade/check.h"
#include "harness/classes/grade/class.h"
#include "harness/classes/grade/copies.h"

namespace lab::cli {

/// `lab check --json`
[[nodiscard]] std::string checked_json(const std::vector<grade::Checked>& all);

/// `lab grade --json`
[[nodiscard]] std::string gradebook_json(const std::vector<db::GradebookRow>& book,
                                         const grade::ClassResult& result);

/// A grade that another rubric changes.
struct Regraded {
  std::string student;
  std::optional<double> before, now;
  double of = 0;
};
/// `lab grade --again --json` without submissions
[[nodiscard]] std::string regraded_json(bool dry_run, std::size_t grades,
                                        const std::vector<Regraded>& changed);

/// `lab copies --json`
[[nodiscard]] std::string copies_json(std::size_t submissions,
                                      const std::vector<grade::Cluster>& clusters);

/// The record that `lab submit` writes beside the kernel.
struct Submitted {
  int lab = 0;
  std::string student, file, sha256, program_version, made_at;
  db::GradeRow grade;
};
/// `lab submit --json`
[[nodiscard]] std::string submitted_json(const Submitted& submitted);

}  // namespace lab::cli
