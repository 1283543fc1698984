// Prints a page in the terminal.
#pragma once

#include <string>

#include "harness/page/page.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The page's blocks, one below the other, as wide as the terminal. What others wrote is made safe
/// here. Of a page of more than `most` lines (0: as many as it says itself) goes what may: details
/// and folds of the greatest rank first, then blank lines.
[[nodiscard]] std::string page_text(const page::Page& page, const Terminal& terminal, int most = 0);

}  // namespace lab::cli
