// An element of an array as the kernel's source would write it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/finding.h"

namespace lab::model {

/// What stands in brackets behind an array's name; 0: no number that the text has.
using Bounds = std::vector<std::int64_t>;

struct Declared {
  std::int64_t element_bytes = 0;  ///< 0: of a type that is not known
  Bounds bounds = {};              ///< empty for a variable, and where nothing declares it
};

/// The last declaration of `name` up to line `line` of `source`.
[[nodiscard]] Declared declared_array(std::string_view name, int line, std::string_view source);

/// "out[4]", "out[4] to out[7]", "tile[1][0]" of an array that `source` declares with several
/// bounds, "flag" of a shared variable. "element 33 of tile" where the text does not say its
/// bounds. Empty: the finding has no array, or the declaration is of something else.
[[nodiscard]] std::string element_text(const Finding& finding, std::string_view source);

}  // namespace lab::model
