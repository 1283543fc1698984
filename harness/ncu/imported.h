// Nsight Compute's values, beside ours.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/core/record.h"

namespace lab::ncu {

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

}  // namespace lab::ncu
