// Why warps waited, by source line, as HTML.
#pragma once

#include <string>

#include "harness/core/record.h"

namespace lab::report {

/// A table of the lines at which the warps of each sampled case waited; empty where none was.
[[nodiscard]] std::string stalls_html(const RunRecord& run);

}  // namespace lab::report
