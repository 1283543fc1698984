// A submission that is a whole program: built, run in a box as its rubric says, and recorded.
#pragma once

#include <string>

#include "harness/classes/grade/grade.h"
#include "harness/core/record.h"

namespace lab::grade {

struct ProgramRuns {
  /// For each run a case of the program itself, which has no kernel, and the cases of what it
  /// launched; each has the run's name for a variant.
  RunRecord run;
  std::string unknown = {};  ///< why a person has to say; empty: the cases tell
};

/// Whatever a program does is recorded; throws only what the machine cannot do.
[[nodiscard]] ProgramRuns run_programs(const Rubric& rubric, const Submission& submission,
                                       const GradeOptions& options);

}  // namespace lab::grade
