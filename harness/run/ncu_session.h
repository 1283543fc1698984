// A stored run's cases once more under Nsight Compute.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/ncu/report.h"
#include "harness/ncu/side_by_side.h"
#include "harness/run/plan.h"

namespace lab::run {

/// What a person asked of Nsight Compute beyond the cases.
struct NcuRequest {
  std::filesystem::path ncu;
  std::vector<std::string> metrics = {};  ///< keys, sets of ours and counters' names
  std::vector<std::string> sets = {};     ///< of Nsight Compute
  std::string cache_control = "all";      ///< all, none
  std::string clock_control = "none";     ///< none, base
  std::optional<std::string> keep = {};   ///< where the report is to be kept
  std::vector<std::string> program = {};  ///< runs the cases and prints the run as JSON
};

struct Profiled {
  ncu::Report report;
  ncu::Conditions conditions;  ///< under which ncu counted
};

/// Whether a case ran on a GPU and can do so again.
[[nodiscard]] bool ran(const CaseRecord& record);

/// Runs `request.program` under ncu, counting what `run` has counters of and what was asked for.
/// Throws what ncu::explain_failure makes of a failure.
[[nodiscard]] Profiled profile(const RunRecord& run, const NcuRequest& request);

/// What that program has to run: the stored run's cases with its kernels, and no counters.
[[nodiscard]] Plan plan_again(const RunRecord& stored);

}  // namespace lab::run
