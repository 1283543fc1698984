// The meaning of a run for people: the readings of its cases, counted.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/reading/case_reading.h"

namespace lab::reading {

/// How many comparisons came to what. Context and missing ones are not comparisons.
struct VerdictCounts {
  std::size_t agrees = 0;
  std::size_t explained = 0;
  std::size_t disagrees = 0;
  [[nodiscard]] std::size_t compared() const { return agrees + explained + disagrees; }
};

/// One metric over all cases.
struct MetricSummary {
  std::string key;
  VerdictCounts counts = {};
  const CaseRecord* first = nullptr;  ///< that differs, the worst kind first
  const Verdict* verdict = nullptr;   ///< its
};
/// The metrics that were compared; those that disagree somewhere stand first.
[[nodiscard]] std::vector<MetricSummary> summaries_of(const RunRecord& run);

/// The cases of a student's kernel. One that failed may have no target left; it counts all the
/// same.
struct StandingCounts {
  std::size_t cases = 0;  ///< 0: the kernels are the lab's own
  std::size_t on_target = 0;
  [[nodiscard]] bool all_on_target() const { return cases > 0 && on_target == cases; }
};

/// The results of a run's cases, and who was compared.
struct Summary {
  std::map<CaseStatus, std::size_t> statuses = {};
  std::size_t unchecked = 0;  ///< of the cases that are ok
  std::size_t missing = 0;    ///< that were not run
  bool theory = false;        ///< somebody judged a value that is theory's, and no target
  bool model = false;
  bool measured = false;           ///< and one that was measured
  bool anything_measured = false;  ///< judged or not
};

struct RunReading {
  std::vector<CaseReading> cases = {};  ///< in the order of the run's
  std::map<Outcome, std::size_t> outcomes = {};
  VerdictCounts verdicts = {};
  Summary summary = {};
  std::size_t failed = 0;  ///< neither ok nor skipped
  StandingCounts standing = {};
  std::optional<std::size_t> furthest = {};  ///< the case that is furthest above its target
  bool stuck = false;  ///< of a lab's own task, and not on target: a hint is the next thing
};

[[nodiscard]] RunReading read(const RunRecord& run);

/// Why the model counted no cost of the accesses of some case, so that nothing can be said of them;
/// empty: it counted all.
[[nodiscard]] std::string uncounted(const RunRecord& run);

/// The cases of each variant of a student's file, those that miss their target the most first: what
/// to change is said of the first that advice is known of.
[[nodiscard]] std::vector<std::vector<const CaseRecord*>> to_advise(const RunRecord& run);

}  // namespace lab::reading
