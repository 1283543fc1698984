// Nsight Compute's values beside ours, as a page.
#pragma once

#include "harness/ncu/imported.h"
#include "harness/page/page.h"

namespace lab::ncu {

/// Says what was matched and what was not, how the conditions differ, and each counter that both
/// have read.
[[nodiscard]] page::Page import_page(const Imported& imported);

}  // namespace lab::ncu
