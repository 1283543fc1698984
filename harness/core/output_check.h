// Holds what a kernel left in its buffers against what it should have left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/core/job.h"

namespace lab {

struct CheckResult {
  std::optional<bool> correct;  ///< empty: there is no reference
  std::string reason;           ///< first difference: `out[5]: got 3, expected 4 (17 of 32 differ)`
  std::uint64_t wrong = 0;      ///< elements of all outputs
  std::uint64_t compared = 0;   ///< the same, right or wrong
  /// How much of the sums that are not checked was left by races: `a: 12288 of 786432 are left,
  /// 774144 lost`; empty: there are none.
  std::string races = {};
  /// Whether blocks raced for them. Then `races` says what happened this time; on the model's
  /// threads that is the host's affair, not a GPU's.
  bool blocks_raced = false;
};

/// Compares what the kernel left in `after` with `want`, which the reference has left. An input
/// that `after` has no bytes of was left as it was.
[[nodiscard]] CheckResult check_outputs(const Job& job, Buffers& after, Buffers& want);

}  // namespace lab
