// How a student's kernel stands to its target: case by case, and in one sentence.
#pragma once

#include <optional>
#include <string>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// One case: on target, or what misses it most.
struct Standing {
  bool on_target = false;
  std::string metric = {};  ///< furthest above its target, of those as far the one that says most
  std::optional<double> value = {};
  std::optional<double> target = {};
  double excess = 0;
  std::string trouble = {};  ///< a wrong result, a finding, less than the task needs; else empty
  friend bool operator==(const Standing&, const Standing&) = default;
};

/// Whether the case has a target: theory of the lab, for a kernel that is not the lab's.
[[nodiscard]] bool has_own_target(const CaseRecord& record);

[[nodiscard]] Standing standing_of(const CaseRecord& record);

/// `1 of 3 cases on target. Furthest from it: column at pad=0, 32 x in wavefronts, load.`; empty
/// where no case has a target.
[[nodiscard]] std::string standing_text(const RunRecord& run, const Terminal& terminal);

/// What changed from one run of a student's file to the next: the cases whose standing differs, a
/// line each; with no `before` all cases. Then how many are as before.
[[nodiscard]] std::string changes_text(const RunRecord* before, const RunRecord& now,
                                       const Terminal& terminal);

}  // namespace lab::cli
