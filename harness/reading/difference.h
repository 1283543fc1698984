// Two runs of the same task: what differs, and whether it is better.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/record.h"
#include "metrics/change.h"

namespace lab::reading {

/// Cases of two runs that do the same: of one variant at one point, or, where each run has a single
/// variant of its own, at a point whose common parameters are equal.
using CasePair = std::pair<const CaseRecord*, const CaseRecord*>;
[[nodiscard]] std::vector<CasePair> pairs_of(const RunRecord& first, const RunRecord& second);

/// The run's case of the same variant at the same point; null where there is none.
[[nodiscard]] const CaseRecord* counterpart(const RunRecord& run, const CaseRecord& record);

/// The name of a run's variant; empty where it has several.
[[nodiscard]] std::string single_variant(const RunRecord& run);

/// Which line of a second text stands for each line of a first one, both from 1: 0 at place 0, and
/// where a line went. Lines that stay are matched (a longest common subsequence). Between them
/// lines are matched in order: all where as many were replaced by as many, else those alike.
[[nodiscard]] std::vector<int> matched_lines(std::string_view first, std::string_view second);

/// Values of one metric that one can compare: both measured, or both the model's.
struct Difference {
  std::string metric;  ///< kTime: the time of the launches
  metrics::Sampled before;
  metrics::Sampled after;
  metrics::Change change = metrics::Change::kSame;
  static constexpr std::string_view kTime = "time";
};
/// Returns nothing if there are none.
[[nodiscard]] std::optional<Difference> difference_in(const CasePair& pair,
                                                      const std::string& metric);

/// The metric that moves most of a line's.
struct LineDifference {
  int first = 0;  ///< 0: no such line
  int second = 0;
  std::string metric;
  double before = 0;
  double after = 0;
  metrics::Change change = metrics::Change::kSame;
};

struct PairReading {
  std::map<metrics::Change, std::size_t> counts = {};
  std::vector<Difference> different = {};  ///< time first, what is unclear last, else the largest
};
/// Compares these metrics; all of them, and the time, if none is named.
[[nodiscard]] PairReading read(const CasePair& pair, const std::set<std::string>& metrics);

/// The lines of the runs' own sources that cost more or less, the largest differences first.
[[nodiscard]] std::vector<LineDifference> line_differences(const RunRecord& first,
                                                           const RunRecord& second,
                                                           const CasePair& pair);

}  // namespace lab::reading
