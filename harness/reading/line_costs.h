// The cost of a kernel's source lines, worked out once: `lab explain` and the report print it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "metrics/machine.h"
#include "metrics/stalls.h"

namespace lab::reading {

/// What a line, or a case, came to, of one source of counts; ideal is what the bytes asked for
/// alone would take. Empty: not counted.
struct LineCost {
  std::optional<double> instructions = {};
  std::optional<double> sectors = {};  ///< of global memory: loads, stores, atomics, reductions
  std::optional<double> ideal_sectors = {};
  std::optional<double> wavefronts = {};  ///< of shared memory
  std::optional<double> ideal_wavefronts = {};
  LineCost& operator+=(const LineCost& other);
};

/// What the model counted of a whole case.
[[nodiscard]] LineCost modelled_cost(const CaseRecord& record);

/// What the model counted at each line of the run's file that accesses memory, in the first case of
/// each variant.
[[nodiscard]] std::map<int, LineCost> modelled_costs(const RunRecord& run);

/// A line, or several that are told as one.
struct CostlyLine {
  static constexpr int kOtherFiles = 0;
  static constexpr int kNoAccess = -1;  ///< lines of little share that touch no memory
  int number = 0;                       ///< or one of those
  int lines = 1;                        ///< that it stands for
  std::map<SourceOf, LineCost> costs = {};
  double share = 0;   ///< of what CostlyLines is about
  double waited = 0;  ///< share of all samples in which a warp waited; 0: none was taken
  metrics::LineStalls stalls = {};
};

struct CostlyLines {
  std::string_view resource = {};  ///< that sets the least time; empty: shares of instructions
  std::vector<CostlyLine> lines = {};
};

/// The lines of `source_name` that cost something, the greatest share of the least time on
/// `machine` by the model's counts first; without the model of what was measured. Other files are
/// one line, the last.
[[nodiscard]] CostlyLines costly_lines(const CaseRecord& record, const std::string& source_name,
                                       const metrics::Machine& machine);

/// The line of `source_name` at which the model counted most of `metric`; empty: none.
[[nodiscard]] std::optional<int> costliest_line(const CaseRecord& record,
                                                const std::string& source_name,
                                                const std::string& metric);

}  // namespace lab::reading
