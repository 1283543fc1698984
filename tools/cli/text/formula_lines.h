// The formulas of what a table shows, specialised to its cases.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/sections.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// `ways, load = gcd(stride, 32)`: a formula for each metric whose number it does not merely
/// repeat, in at most two lines; with `example`, below it the same with a case's values put in.
[[nodiscard]] std::string formula_lines(const Section& section, const Variant* variant,
                                        const std::vector<std::string>& metrics, bool example,
                                        const Terminal& terminal);

/// Of a ladder: a line for each formula, with its values put in and the variants that have it;
/// those that fit a line, and not more than a few.
[[nodiscard]] std::string ladder_formulas(const std::vector<Section>& sections, const Lab& lab,
                                          const std::vector<std::string>& metrics,
                                          const Terminal& terminal);

}  // namespace lab::cli
