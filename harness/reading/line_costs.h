// The cost of a kernel's source lines, worked out once: `lab explain` and the report print it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"
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

/// The model's counts of a whole case.
[[nodiscard]] LineCost modelled_cost(const CaseRecord& record);

/// What the model counted at each line of the run's file that accesses memory, in the first case of
/// each section.
[[nodiscard]] std::map<int, LineCost> modelled_costs(const RunRecord& run,
                                                     const std::vector<Section>& sections);

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

/// The whole that lines have shares of.
enum class ShareOf : std::uint8_t {
  kInstructions,  ///< no time is expected
  kTime,          ///< the launch's expected time
  kTimeOfMany,    ///< that of many such launches in one: this one does not fill the GPU
};

struct CostlyLines {
  ShareOf of = ShareOf::kInstructions;
  double rest = 0;  ///< share of the time that an empty kernel of as many blocks takes
  std::vector<CostlyLine> lines = {};
};

/// The lines of `source_name` that cost something, the greatest share of the expected time on
/// `machine` first (metrics/line_shares.h); where none is expected, of the instructions, by the
/// model or as measured. Other files are one line, the last.
[[nodiscard]] CostlyLines costly_lines(const CaseRecord& record, const std::string& source_name,
                                       const metrics::Machine& machine);

/// Each line's share of the time that `costly_lines` ranks by; kOtherFiles is one. Empty where none
/// is expected.
[[nodiscard]] std::map<int, double> time_shares(const CaseRecord& record,
                                                const std::string& source_name,
                                                const metrics::Machine& machine);

/// The line of `source_name` at which the model counted most of `metric`; empty: none.
[[nodiscard]] std::optional<int> costliest_line(const CaseRecord& record,
                                                const std::string& source_name,
                                                const std::string& metric);

}  // namespace lab::reading
