// A run as people read it: sweeps and ladders of its variants, their formulas, what it came to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/access.h"
#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

struct RunTextOptions {
  std::vector<std::string> metrics = {};  ///< shown by name; empty: the lab's headline metrics
  std::string stored_in = {};             ///< the database's path; empty: not stored
  std::string next = {};                  ///< the command that comes next; empty: lab start N
  std::string tables = {};                ///< the lab's own, below those of the variants
  bool all = false;                       ///< every source and every number
  std::size_t left_out = 0;               ///< points of the lab that were not run
  bool screen = false;  ///< the lab's lesson alone, where the run came to what was predicted
  std::optional<Access> map = {};  ///< that the screen draws
  bool has_picture = true;         ///< false: a stored run of before they were kept
  int lines = 60;                  ///< at most, of what is as predicted; 0: all
};

/// A sweep is a table as wide as it has points, variants at one or a few points are the rows of
/// one table (a ladder), a student's kernel stands beside its target. Where theory, model and
/// measurement are equal there is one number; they stand side by side where they differ, or where
/// metrics or all were asked for. Where that makes too many lines, a ladder has a row per variant,
/// and sweeps that are as predicted are named in a sentence, the last ones first. `lab` is null for
/// a lab that this program does not know.
[[nodiscard]] std::string run_text(const RunRecord& run, const Lab* lab,
                                   const RunTextOptions& options, const Terminal& terminal);

}  // namespace lab::cli
