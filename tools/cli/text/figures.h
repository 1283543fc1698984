// One metric over some cases: a line of numbers for each source, or a single one where all agree.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/reading/case_reading.h"
#include "tools/cli/text/case_view.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

/// What is shown of a run.
struct Shown {
  std::vector<std::string> metrics = {};
  bool asked = false;         ///< by name: shown though nothing is known of them
  bool side_by_side = false;  ///< every source, though they agree
  std::string rate = {};      ///< the bandwidth that stands beside the times; empty: none
  double peak = 0;            ///< of the GPU's DRAM, as its driver says, GB/s; 0: not known
};

/// The numbers of one source; `source` is empty where they are everybody's.
struct Figures {
  std::string source;
  std::vector<Cell> cells = {};  ///< one for each case
};

struct MetricFigures {
  std::string metric;
  std::string title;
  std::vector<Figures> lines = {};  ///< theory, model, measured; or one
  bool varies = false;              ///< with the cases
};

using Cases = std::vector<const CaseRecord*>;

/// Theory (the target of a student's kernel), the model and what was measured, those of them that
/// have a value in some case. One line, in brief numbers, where all are equal; where theory and
/// model say the same, or their intervals fit each other, theory speaks for both.
[[nodiscard]] MetricFigures figures_of(const std::string& metric, const Cases& cases,
                                       const Shown& shown);

/// All metrics that these cases have a value of, and those that were asked for.
[[nodiscard]] std::vector<MetricFigures> all_figures(const Cases& cases, const Shown& shown);

/// In brief, of one variant's points: the first metric that changes with the parameters and those
/// of its kind, such as the same of stores; the last of all, the most special, where none changes.
[[nodiscard]] std::vector<MetricFigures> worth_showing(std::vector<MetricFigures> all,
                                                       const Shown& shown);

/// Microseconds: `bound`, the least time by theory's counts, where it is known, and `measured`, the
/// medians of the timed launches. Empty where no case was timed.
[[nodiscard]] std::vector<Figures> time_figures(const Cases& cases);

/// `GB/s` as measured, of the bytes that `shown.rate` says (`GB/s, moved`, where those count that a
/// kernel moves beyond what its task needs), and `of peak`: of `shown.peak`, where it is known.
/// Empty where no case has any.
[[nodiscard]] std::vector<Figures> rate_figures(const Cases& cases, const Shown& shown);

/// Whether its numbers say all about a case: it ran, nothing was found, it has no target, and no
/// metric disagrees; side by side, none of those shown needs an explanation either, which is said
/// once per run otherwise.
[[nodiscard]] bool is_plain(const CaseRecord& record, const Shown& shown);

/// What came of a case, in a word or two.
[[nodiscard]] Cell outcome_cell(const CaseRecord& record);
[[nodiscard]] Tone tone_of(reading::Mood mood);

/// `n=32 type=float` of those parameters that the case has.
[[nodiscard]] std::string values_of(const CaseRecord& record,
                                    const std::vector<std::string>& names);

}  // namespace lab::cli
