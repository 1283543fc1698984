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

/// `lab check --json`: {"checks": [{"case", "arch", "fine", "error", "criteria": [{"name", "met",
/// "reason"}], "changes": [], "no_baseline",
/// "problems": [{"file", "line", "text"}]}]}
[[nodiscard]] std::string checked_json(const std::vector<grade::Checked>& all);

/// `lab grade --json`: {"graded", "kept", "failures", "grades": [{"student", "status", "points",
/// "of", "reason", "seconds", "memory_bytes", "adjusted", "total", "criteria": [{"name", "variant",
/// "points", "of", "metric", "value", "excess", "threshold", "params", "reason"}]}]}
[[nodiscard]] std::string gradebook_json(const std::vector<db::GradebookRow>& book,
                                         const grade::ClassResult& result);

/// A grade that another rubric changes.
struct Regraded {
  std::string student;
  std::optional<double> before, now;
  double of = 0;
};
/// `lab grade --again --json` without submissions: {"dry_run", "grades", "changed": [{"student",
/// "before", "now", "of"}]}
[[nodiscard]] std::string regraded_json(bool dry_run, std::size_t grades,
                                        const std::vector<Regraded>& changed);

/// `lab copies --json`: {"submissions", "clusters": [{"students": [], "with_solution", "alike",
/// "share", "shown", "own_tokens"}]}
[[nodiscard]] std::string copies_json(std::size_t submissions,
                                      const std::vector<grade::Cluster>& clusters);

/// What `lab submit` writes beside the kernel.
struct Submitted {
  int lab = 0;
  std::string student, file, sha256, program_version, made_at;
  db::GradeRow grade;
};
/// `lab submit --json`: {"lab", "student", "file", "sha256", "program_version", "made_at",
/// "status", "points", "of"}
[[nodiscard]] std::string submitted_json(const Submitted& submitted);

}  // namespace lab::cli
