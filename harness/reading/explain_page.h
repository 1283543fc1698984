// Which source line of a kernel costs what, as a page.
#pragma once

#include <map>
#include <string>

#include "harness/core/record.h"
#include "harness/page/page.h"
#include "metrics/machine.h"

namespace lab::reading {

/// The case, its expected time, and a table of its lines: the greatest share first, each with its
/// source and with what it compiled to (`compiled`, by line), where that is known.
[[nodiscard]] page::Page explain_page(const RunRecord& run, const CaseRecord& record,
                                      const metrics::Machine& machine,
                                      const std::map<int, std::string>& compiled);

}  // namespace lab::reading
