// The formulas that a section's numbers were held against, and how a page shows them.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "harness/page/page.h"

namespace lab::reading {

/// Returns null if the lab, or the variant that it had when the case ran, is gone.
[[nodiscard]] const Variant* variant_of(const Section& section, const Lab* lab);

/// The case whose numbers say most: neither all parameters at their least nor at their greatest.
[[nodiscard]] const CaseRecord& example_case(const Section& section);

/// Of each section the case that tells most stands first, where it ran: of the points that a run
/// without --all takes the lab's picture, else the first.
[[nodiscard]] std::vector<Section> telling_first(std::vector<Section> sections, const Lab* lab);

/// The formula by which a case was judged: as the lab has it, and as it was stored where that is
/// another one by now, or there is no lab.
struct JudgedBy {
  const TheoryRow* row = nullptr;   ///< null: the stored one alone is known
  const Verdict* stored = nullptr;  ///< null: the case was held against no formula
};
[[nodiscard]] JudgedBy formula_of(const CaseRecord& record, const Variant* variant,
                                  const std::string& metric);

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
