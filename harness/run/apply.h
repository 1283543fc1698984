// A layout written into a source text: the declaration and every use.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/run/fix.h"

namespace lab::run {

/// `text` with the best layout of the array. Empty: the text does not declare it, or uses it in
/// another way than by all of its indices, such as through a pointer.
[[nodiscard]] std::optional<std::string> applied(const ArrayFix& fix, std::string_view text);

}  // namespace lab::run
