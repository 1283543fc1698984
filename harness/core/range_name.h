// The name of a case's range in the NVTX domain `lab`, by which Nsight's tools and their reports
// know it.
#pragma once

#include <string>

#include "harness/core/params.h"

namespace lab {

/// `lab.03.stride.stride=2`: lab, variant, parameters. Characters other than A-Za-z0-9_.=- become
/// '_': Nsight Compute's filters give meaning to some of the others.
[[nodiscard]] std::string range_name(int lab, const std::string& variant, const Params& params);

/// Whether a range's name may hold `c`; any other character ends it.
[[nodiscard]] bool in_range_name(char c);

}  // namespace lab
