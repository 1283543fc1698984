// One variant of a lab's file.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/labs/scope.h"
#include "harness/labs/section.h"

namespace lab::labs {

/// The tables of a variant.
struct VariantText {
  std::string name;
  Section table;  ///< with those that it takes after
  Section where;  ///< names of the whole lab, behind the variant's own
};

/// The names that the variant's formulas may use.
[[nodiscard]] Scope scope_of(const Lab& lab, const VariantText& text);

/// Throws an input error with its place. `as_written` is the caller's: it names other variants.
[[nodiscard]] Variant read_variant(const Lab& lab, const VariantText& text);

/// The rows of a table `as_written`, for a variant that has one.
[[nodiscard]] std::vector<TheoryRow> read_written(const Lab& lab, const VariantText& text);

}  // namespace lab::labs
