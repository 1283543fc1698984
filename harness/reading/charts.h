// The pictures of a run as data: sweeps, bars of variants, points on axes. A page has them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "harness/page/page.h"
#include "harness/reading/figures.h"
#include "metrics/machine.h"

namespace lab::reading {

/// The longest sweep of a section: cases that differ in one parameter alone, a whole number.
struct Sweep {
  std::string param;
  Section cases;  ///< of the section, with what is fixed in it
};
/// Returns nothing if no parameter has more than two values at one point of the others.
[[nodiscard]] std::optional<Sweep> sweep_of(const Section& section);

/// The metrics that get a curve: those asked for that have values, and the bandwidth that the task
/// needs where it was measured.
[[nodiscard]] std::vector<std::string> curves_of(const Sweep& sweep,
                                                 const std::vector<std::string>& metrics);

/// A metric along a section's sweep, a line for each source that has a value of it.
[[nodiscard]] page::Chart curve_chart(const Section& section, const Sweep& sweep,
                                      const std::string& metric);

/// The first cases of variants that do the same work, the least first: their times, else the first
/// metric that two of them have. Empty where fewer than two can be compared.
[[nodiscard]] std::optional<page::Chart> bars_chart(const std::vector<Section>& sections,
                                                    const std::vector<std::string>& metrics);

/// Each exact metric of each case: theory across, what was measured (else the model) upwards. What
/// agrees lies on the line. Empty where there are few.
[[nodiscard]] std::optional<page::Chart> agreement_chart(const RunRecord& run);

/// Warp instructions per second over warp instructions per byte of DRAM (an instruction roofline:
/// Ding, Williams, 2019). Under the slope memory is the bound, under the flat part the issue. Of
/// several variants the first case of each, called by its name; of one all cases.
[[nodiscard]] std::optional<page::Chart> roofline_chart(const std::vector<Section>& sections,
                                                        const metrics::Machine& machine);

}  // namespace lab::reading
