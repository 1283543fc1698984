// A page as JSON: every block whole, in order.
#pragma once

#include "harness/page/page.h"
#include "tools/cli/json/json_values.h"

namespace lab::cli {

/// A list of blocks, each with `kind`, `rank` and its fields. A cell is a text, null with its
/// reason, or a number with its unit.
[[nodiscard]] Json page_json(const page::Page& page);

}  // namespace lab::cli
