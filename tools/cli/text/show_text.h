// A lab as `lab show` prints it: what it is about, then its variants, formulas and parameters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/lab.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// On a page: the handout's first paragraph, a line for each variant, the formulas of the headline
/// metrics, the parameters.
[[nodiscard]] std::string overview_text(const Lab& lab, std::string_view handout,
                                        const Terminal& terminal);

/// One variant's formulas, each with its reason: of the headline metrics, or of all.
[[nodiscard]] std::string variant_text(const Lab& lab, const Variant& variant, bool all,
                                       const Terminal& terminal);

/// The parameters that one of these variants reads.
[[nodiscard]] std::string params_text(const Lab& lab, const std::vector<const Variant*>& variants,
                                      const Terminal& terminal);

}  // namespace lab::cli
