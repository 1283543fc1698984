// A run as one HTML page: charts, tables, formulas, reasons. It needs no network and no server.
#pragma once

#include <string>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "metrics/machine.h"

namespace lab::report {

/// `lab` is null for a probe or a lab that this program does not know. Times are held against
/// `machine`; with no ceilings there are no bounds. Whatever a student wrote (names, sources,
/// messages) appears as text, never as markup.
[[nodiscard]] std::string report_html(const RunRecord& run, const Lab* lab,
                                      const metrics::Machine& machine = {});

}  // namespace lab::report
