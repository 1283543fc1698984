// One variant of a run as HTML: formulas, charts, table.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "metrics/machine.h"

namespace lab::report {

/// How a section stands in its page.
struct SectionPlace {
  bool folded = false;           ///< a reader unfolds it
  std::string drawn_above = {};  ///< the id of a curve that the page has already
};

/// A row per case, what sets its time, curves along the longest sweep, and the formulas, folded.
[[nodiscard]] std::string section_html(const Section& section, const Lab* lab,
                                       const std::vector<std::string>& metrics,
                                       const metrics::Machine& machine, const SectionPlace& place);

}  // namespace lab::report
