// A metric's formula derived step by step, variant by variant, as a page.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/page/page.h"

namespace lab::labs {

/// The formula in general, what each of its terms stands for, why it holds, and how it reads over
/// the variant's default points, with an example. Variants of one formula are told together. Throws
/// an input error where none of them predicts the metric.
[[nodiscard]] page::Page derivation_page(const Lab& lab,
                                         const std::vector<const Variant*>& variants,
                                         const std::string& metric);

/// The same formulas for slides, one line each: `load: $...$`.
[[nodiscard]] std::string latex_text(const Lab& lab, const std::vector<const Variant*>& variants,
                                     const std::string& metric);

}  // namespace lab::labs
