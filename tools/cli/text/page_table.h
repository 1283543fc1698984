// A page's table in the terminal, in the first of its forms that fits.
#pragma once

#include <string>

#include "harness/page/page.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Columns that may wrap do; then columns are left out, those of the greatest rank first and of
/// equals the last; then each number has a row of its own, and what wraps stands below. Numbers are
/// never cut.
[[nodiscard]] std::string page_table(const page::Table& table, const Terminal& terminal);

}  // namespace lab::cli
