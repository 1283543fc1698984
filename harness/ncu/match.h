// Which launch of a report belongs to which case of a run. By name only, never by position.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/ncu/report.h"

namespace lab::ncu {

/// A case and its launches. Several launches are the same kernel launched again; in a library's
/// case they are the parts of one call.
struct Match {
  std::size_t case_at = 0;  ///< position in run.cases
  std::vector<std::size_t> launches;
  bool by_range = false;
};

struct Unmatched {
  std::size_t launch = 0;
  std::string why;
};

struct Matching {
  std::vector<Match> matches;  ///< in the order of the cases
  std::vector<Unmatched> unmatched;
};

/// A launch belongs to the case in whose NVTX range it ran. A launch in none of our ranges belongs
/// to the one case that has its kernel, grid and block. Where a case has launches in the range
/// `check`, those of its timing loop don't count. What belongs to no case, or may belong to
/// several, is listed.
[[nodiscard]] Matching match(const RunRecord& run, const Report& report);

}  // namespace lab::ncu
