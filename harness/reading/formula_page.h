// The formulas of what a table shows, specialised to its cases, as blocks of a page.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/sections.h"
#include "harness/page/page.h"

namespace lab::reading {

/// Which formulas are shown, and what of them.
enum class Formulas : unsigned char {
  kBrief,    ///< those that say more than their number does, and are not long
  kExample,  ///< the same, below each its values in a case
  kAll,      ///< every one, with its values and its reason
};

/// `ways, load = gcd(stride, 32)`: a formula for each metric; two that are the same are one.
[[nodiscard]] std::vector<page::Block> formula_blocks(const Section& section,
                                                      const Variant* variant,
                                                      const std::vector<std::string>& metrics,
                                                      Formulas which);

/// Of a ladder: a line for each formula, with its values put in and the variants that have it;
/// those that are not long, and not more than a few.
[[nodiscard]] std::vector<page::Block> ladder_formulas(const std::vector<Section>& sections,
                                                       const Lab& lab,
                                                       const std::vector<std::string>& metrics);

/// Theory over all points that the variant has of the one parameter that varies, as high as the
/// metric's formula says. Nothing where there are few points, or where the heights are too small or
/// not whole.
[[nodiscard]] std::vector<page::Block> steps_chart(const Section& section, const Variant& variant,
                                                   const std::string& metric);

}  // namespace lab::reading
