// A page's picture of squares in the terminal.
#pragma once

#include <string>

#include "harness/page/page.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Columns side by side as far as they fit, the others below them. Of more than four rows one below
/// the other that look alike the first two and the last are drawn, where rows have no number.
[[nodiscard]] std::string page_grid(const page::Grid& raw, const Terminal& terminal);

}  // namespace lab::cli
