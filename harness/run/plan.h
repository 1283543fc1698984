// From what a person asked for to what is run: which variants at which points, with which kernels.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/lab.h"

namespace lab::run {

/// What of a lab a person asked for.
struct Selection {
  std::vector<std::string> variants = {};                        ///< empty: all
  std::vector<std::pair<std::string, std::string>> sweeps = {};  ///< parameter, sweep text
  bool for_gpu = false;  ///< variants with larger sizes for a GPU take those
  bool all = false;      ///< every default point, not the telling ones alone
};

/// Cases that one kernel text serves.
struct Job {
  BatchRequest batch;
  bool own_kernel = true;  ///< the lab's, as it came
};

/// What is to be run, and the head of the record that comes of it.
struct Plan {
  const Lab* lab = nullptr;  ///< null for a probe
  std::vector<Job> jobs = {};
  RunRecord head = {};
  /// The lab's kernels, for those that a student's file does not define. Empty: there is no such
  /// file.
  std::optional<KernelText> own = {};
  /// prepare() leaves out what such a file does not define, in place of running the lab's own.
  bool theirs_alone = false;

  [[nodiscard]] std::size_t size() const;  ///< cases
};

/// `stride=1,2,4` in two; an input error where there is no name or no `=`.
[[nodiscard]] std::pair<std::string, std::string> parse_param(const std::string& text);

/// The cases in the order in which tables show them, index 0, 1, .... A swept parameter replaces
/// that axis of every chosen variant that reads it; variants that don't read it keep their points.
/// Input errors: unknown variant or parameter (with the nearest), a value out of range, a
/// parameter given twice or read by none of the chosen variants, parameters that do not go
/// together.
[[nodiscard]] std::vector<CaseRequest> plan_cases(const Lab& lab, const Selection& selection);

/// A plan for the cases of `batch`, with the kernels of `theirs` in place of the lab's own where it
/// is given. Reads the lab's kernels; starts nothing.
[[nodiscard]] Plan plan_run(const Lab& lab, BatchRequest batch,
                            const std::optional<KernelText>& theirs,
                            const std::string& labs_folder);

}  // namespace lab::run
