// A stored run as a page that has room for all: lesson, standing, notes, costs by line, charts,
// every case, formulas, stalls, and the machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/page/page.h"
#include "metrics/advice.h"
#include "metrics/machine.h"

namespace lab::reading {

struct Report {
  std::string title;
  page::Page page;
};

/// Advice on a stored case from a run of it, as the terminal gives it; empty: it can't be run here.
using AdviseAgain =
    std::function<std::optional<std::vector<metrics::Advice>>(const CaseRecord& record)>;

/// `lab` is null for a lab that this program does not know. Without ceilings nothing is said of how
/// near the times came to any. Where `again` is null or gives none, advice is what the stored
/// counts alone tell: its cures have no numbers that only a trial could prove.
[[nodiscard]] Report report_page(const RunRecord& run, const Lab* lab,
                                 const metrics::Machine& machine = {},
                                 const AdviseAgain& again = {});

}  // namespace lab::reading
