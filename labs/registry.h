// All labs there are. Adding one is a folder and a line in registry.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "harness/core/lab.h"

namespace lab {

/// Ordered by number.
[[nodiscard]] const std::vector<Lab>& all_labs();

/// The lab with this number ("3", "03"), id ("bank_conflicts") or folder ("03_bank_conflicts").
/// Throws an input error that names the nearest where there is none.
[[nodiscard]] const Lab& find_lab(std::string_view name);

/// Null for lab 0, a probe, and where a database names a lab that this program lacks.
[[nodiscard]] const Lab* lab_with_number(int number);

}  // namespace lab
