// A lab as a page: what it is about, its variants, formulas and parameters.
#pragma once

#include <string_view>
#include <vector>

#include "harness/core/lab.h"
#include "harness/page/page.h"

namespace lab::labs {

/// The handout's first paragraph, a line for each variant, and the formulas of the headline
/// metrics that most variants have.
[[nodiscard]] page::Page overview_page(const Lab& lab, std::string_view handout);

/// One variant's formulas, each with its reason: of the headline metrics, or of all.
[[nodiscard]] page::Page variant_page(const Lab& lab, const Variant& variant, bool all);

/// The parameters that one of these variants reads.
[[nodiscard]] page::Table params_table(const Lab& lab, const std::vector<const Variant*>& variants);

}  // namespace lab::labs
