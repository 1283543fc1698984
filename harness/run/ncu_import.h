// Values of Nsight Compute beside ours in a stored run.
#pragma once

#include <string>
#include <vector>

#include "db/store.h"
#include "harness/core/record.h"
#include "harness/ncu/report.h"
#include "harness/ncu/side_by_side.h"

namespace lab::run {

/// The result of an import.
struct Imported {
  RunRecord run;  ///< judged again
  std::size_t launches = 0;
  std::size_t cases = 0;     ///< that got values
  std::size_t by_range = 0;  ///< of them, by NVTX range
  std::size_t values = 0;
  std::vector<std::string> unmatched = {};  ///< a line for each launch
  std::vector<std::string> notes = {};
};

/// Puts the report's values into the cases they belong to, in place of those of an earlier import,
/// judges them again and stores them. `theirs` is what is known of how ncu was run. An input error
/// where no launch belongs to a case: nothing is stored then.
[[nodiscard]] Imported import_report(db::Store& store, RunRecord run, const ncu::Report& report,
                                     ncu::Conditions theirs);

/// Counter by counter over all cases: how many are equal, and where the difference is largest.
struct CounterRow {
  std::string key;
  SourceOf source = SourceOf::kCupti;
  std::string metric_class;
  std::size_t cases = 0;
  std::size_t equal = 0;
  double ours = 0;  ///< where the difference is largest, else of the first case
  double theirs = 0;
  std::string where = {};  ///< the case
  std::string cause = {};  ///< of a difference; empty: there is none, or none is known
};
[[nodiscard]] std::vector<CounterRow> counter_rows(const RunRecord& run);

/// Whether a counter that follows from addresses alone differs with no cause known.
[[nodiscard]] bool exact_differs(const std::vector<CounterRow>& rows);

}  // namespace lab::run
