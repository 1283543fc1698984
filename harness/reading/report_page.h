// A stored run as a page that has room for all: lesson, standing, notes, costs by line, charts,
// every case, formulas, stalls, and the machine.
#pragma once

#include <string>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/page/page.h"
#include "metrics/machine.h"

namespace lab::reading {

struct Report {
  std::string title;
  page::Page page;
};

/// `lab` is null for a lab that this program does not know. Without ceilings nothing is said of how
/// near the times came to any.
[[nodiscard]] Report report_page(const RunRecord& run, const Lab* lab,
                                 const metrics::Machine& machine = {});

}  // namespace lab::reading
