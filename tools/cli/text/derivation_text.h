// A metric's formula derived step by step, variant by variant.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The formula in general, what each of its terms stands for, why it holds, and how it reads over
/// the variant's default points, with an example. Variants of one formula are told together. Throws
/// an input error where none of them predicts the metric.
[[nodiscard]] std::string derivation_text(const Lab& lab,
                                          const std::vector<const Variant*>& variants,
                                          const std::string& metric, const Terminal& terminal);

/// The same formulas for slides, one line each: `load: $...$`.
[[nodiscard]] std::string latex_text(const Lab& lab, const std::vector<const Variant*>& variants,
                                     const std::string& metric);

}  // namespace lab::cli
