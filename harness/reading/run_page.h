// A run as a page: the lab's lesson where it came to what was predicted, else its tables, formulas
// and notes; what it came to; what comes next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/access.h"
#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "harness/page/page.h"

namespace lab::reading {

/// The choice of what a page shows of a run, and what is known above reading.
struct RunView {
  std::vector<std::string> metrics = {};  ///< shown by name; empty: the lab's headline metrics
  bool all = false;                       ///< every source and every number
  bool lesson = false;  ///< the lab's alone, where the run came to what was predicted
  bool whole = false;   ///< nothing is put away
  std::optional<Access> picture = {};      ///< that the lesson draws
  bool has_picture = true;                 ///< false: a stored run of before they were kept
  std::string next = {};                   ///< the command that comes next; empty: lab start N
  std::optional<std::string> stored = {};  ///< the database, empty: the usual one; none: not stored
  std::size_t left_out = 0;                ///< points of the lab that were not run
  std::string saved = {};                  ///< when a file that is watched was saved; else empty
  const RunRecord* before =
      nullptr;  ///< the run before, whose cases a watched file is held against
};

/// A sweep is a table as wide as it has points, variants at one or a few points are the rows of
/// one table (a ladder), a student's kernel stands beside its target. Where theory, model and
/// measurement are equal there is one number; they stand side by side where they differ, or where
/// metrics or all were asked for. `lab` is null for a lab that this program does not know.
[[nodiscard]] page::Page run_page(const RunRecord& run, const Lab* lab, const RunView& view);

/// `Lab 3: Bank conflicts`, with the size and the machine; of a student's file its name, too.
[[nodiscard]] page::Heading run_heading(const RunRecord& run, const Lab* lab,
                                        const std::string& size);

/// A lab's own tables of these cases: all, or the first ones, which say what the others say again.
[[nodiscard]] std::vector<page::Block> lab_tables(const Lab& lab,
                                                  const std::vector<CaseRecord>& cases, bool all);

/// How a student's cases of one variant stand: the sentence, the line that costs most, the numbers
/// beside the target, what reaching it saved. Nothing where all have a mistake.
[[nodiscard]] std::vector<page::Block> target_blocks(const RunRecord& run, const Lab* lab,
                                                     const Section& section);

}  // namespace lab::reading
