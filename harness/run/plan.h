// From what a person asked for to what is run: which variants at which points, with which kernels.
#pragma once

#include <cstdint>
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

/// Of a lab's kernels those that a student's file does not define.
enum class Others : std::uint8_t {
  kLabsOwn,  ///< run as the lab has them
  kLeftOut,
};

/// What a person wants to be run, and the head of the record that comes of it. Nobody knows yet
/// which kernels its text defines: prepare() finds out.
struct Plan {
  const Lab* lab = nullptr;  ///< null for a probe
  BatchRequest batch = {};
  bool own_kernel = true;  ///< the batch's text is the lab's, as it came
  RunRecord head = {};
  /// The lab's kernels, beside a student's file. Empty: there is no such file.
  std::optional<KernelText> own = {};
  Others others = Others::kLabsOwn;
  bool first_alone = false;  ///< of the cases that are left, the first
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
                            const std::optional<KernelText>& theirs);

/// A plan for a probe: the kernel that the batch's one case names, of the batch's text.
[[nodiscard]] Plan plan_probe(BatchRequest batch);

}  // namespace lab::run
