// The numbers of a metric over some cases, and whose they are: tables and charts print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "metrics/values.h"

namespace lab::reading {

using Cases = std::vector<const CaseRecord*>;
using Value = std::optional<metrics::Interval>;
using metrics::best_value;

[[nodiscard]] Cases cases_of(const std::vector<Section>& sections);

/// Whose values get lines of their own.
enum class Detail : std::uint8_t {
  kBrief,        ///< one line where all agree; theory speaks for a model that says the same
  kFolded,       ///< one line where all are equal
  kEverySource,  ///< that has a value in some case
  kAsked,        ///< by name: theory and the model though they have none, too
};

/// The choice of what a page shows of a run.
struct Shown {
  std::vector<std::string> metrics = {};
  Detail detail = Detail::kBrief;
  std::string rate = {};                ///< the bandwidth that stands beside the times; empty: none
  std::vector<std::string> sizes = {};  ///< parameters that say how large a case is
  double peak = 0;  ///< of the GPU's DRAM, as its driver says, GB/s; 0: not known
  [[nodiscard]] bool asked() const { return detail == Detail::kAsked; }
  [[nodiscard]] bool side_by_side() const { return detail >= Detail::kEverySource; }
};

/// The metrics that a run is about: the lab's headline ones, else all that have a value.
[[nodiscard]] std::vector<std::string> metrics_of(const RunRecord& run, const Lab* lab);

/// Where kernels were timed, a bandwidth of the headline stands beside the times; where it has
/// none, that of the bytes needed does.
[[nodiscard]] Shown headline_of(const RunRecord& run, const Lab& lab, Detail detail);

/// One value for each case.
struct FigureLine {
  std::vector<std::string_view> of = {};  ///< theory (or target), model, measured: who say this
  std::vector<Value> values = {};
};

/// Whether both say the same of every case, as far as values are equal (see figures_of).
[[nodiscard]] bool same_values(const FigureLine& a, const FigureLine& b);

struct MetricFigures {
  std::string metric;
  std::vector<FigureLine> lines = {};
  bool folded = false;  ///< into one line, which is everybody's
  bool varies = false;  ///< with the cases
};

/// Theory (the target of a student's kernel, which is never folded), the model and what was
/// measured: those of them that have a value in some case.
[[nodiscard]] MetricFigures figures_of(const std::string& metric, const Cases& cases,
                                       Detail detail);

/// All metrics that these cases have a value of, and those that were asked for.
[[nodiscard]] std::vector<MetricFigures> all_figures(const Cases& cases, const Shown& shown);

/// In brief, of one variant's points: the first metric that changes with the parameters and those
/// of its kind, such as the same of stores; the last of all, the most special, where none changes.
[[nodiscard]] std::vector<MetricFigures> worth_showing(std::vector<MetricFigures> all,
                                                       const Shown& shown);

/// Whether some case has theory as its target: its kernel is a student's.
[[nodiscard]] bool has_target(const Cases& cases);

/// Whether its numbers say all about each case: it ran, nothing was found, it has no target, and no
/// metric disagrees; side by side, none of those shown needs an explanation either, which is said
/// once per run otherwise.
[[nodiscard]] bool all_plain(const Cases& cases, const Shown& shown);

/// A metric's column is headed by its title, else by its key as it is (a counter of CUPTI).
[[nodiscard]] std::string title_of(const std::string& metric);
[[nodiscard]] std::string unit_of(const std::string& metric);

/// A title in two, for a column and the heading above it: `sectors per request` and `read`.
struct Heading {
  std::string above;
  std::string own;
};
[[nodiscard]] Heading heading_of(const std::string& title);

}  // namespace lab::reading
