// One submission graded: run at the rubric's cases by the model, in its box, and judged.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "db/grades.h"
#include "harness/classes/grade/rubric.h"
#include "harness/classes/grade/submissions.h"
#include "harness/core/record.h"
#include "harness/run/engines.h"

namespace lab::grade {

struct GradeOptions {
  std::uint64_t seed = 1;  ///< of the input data
  /// CPU time for all of a submission, compiling and every case, so that a busy machine takes no
  /// points; three times as long by the clock.
  double budget_s = 60;
  int threads = 0;                       ///< of the model; 0: all cores
  run::EngineSettings workers = {};      ///< of the model; but for a submission's own
  std::function<bool()> cancelled = {};  ///< by the user; the grade says nothing then
};

struct Graded {
  db::GradeRow row;
  std::optional<RunRecord> run = {};                     ///< empty: nothing could be run
  std::map<std::string, std::string> fingerprints = {};  ///< of its kernels, by name
};

/// Whatever a submission does is a grade; throws only what the machine cannot do.
[[nodiscard]] Graded grade_one(const Rubric& rubric, const Submission& submission,
                               const GradeOptions& options);

/// Fingerprints of the lab's own kernels that the rubric asks for.
[[nodiscard]] std::map<std::string, std::string> solution_of(const Rubric& rubric,
                                                             const run::EngineSettings& workers);

}  // namespace lab::grade
