// Cases as a table of a page: what names them, their times, what came of them, their numbers.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/reading/figures.h"
#include "metrics/machine.h"

namespace lab::report {

/// What stands at the left of each row, as HTML: a cell for each heading.
struct RowLabels {
  std::vector<std::string> headings = {};
  std::vector<std::vector<std::string>> rows = {};
};

/// A row per case: what came of it (in brief only where the numbers do not say all), its labels,
/// its times, which a phone should show, and its numbers, a column per source where they differ.
[[nodiscard]] std::string cases_table(const RowLabels& labels, const reading::Cases& cases,
                                      const reading::Shown& shown, const metrics::Machine& machine);

}  // namespace lab::report
