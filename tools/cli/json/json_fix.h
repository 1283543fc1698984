// The JSON of better layouts: `lab fix` prints it.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/run/fix.h"

namespace lab::cli {

/// `lab fix --json`. `run` has no cases where no kernel ran.
[[nodiscard]] std::string fixes_json(const RunRecord& run, const std::vector<run::ArrayFix>& fixes,
                                     bool complete);

}  // namespace lab::cli
