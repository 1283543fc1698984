// What changed from one run of a student's file to the next.
#pragma once

#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::reading {

/// The cases whose standing differs from that in `before`, a line each; with no `before` all cases.
/// Then how many are as before; then what was found, or how all of them stand: before a mistake is
/// mended, what the kernel costs is no matter.
[[nodiscard]] page::Page watch_page(const RunRecord* before, const RunRecord& now);

}  // namespace lab::reading
