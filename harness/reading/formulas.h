// Which formula a section's numbers were held against, and which case is the example of it.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/core/sections.h"

namespace lab::reading {

/// Null where the lab, or a variant that it had when the case ran, is not there.
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

}  // namespace lab::reading
