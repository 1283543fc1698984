// A layout written into a source text, the declaration and every use; and the exchange of a block's
// x and y.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/run/fix.h"

namespace lab::run {

/// `text` with the best layout of the array. Empty: the text does not declare it, or uses it in
/// another way than by all of its indices, such as through a pointer.
[[nodiscard]] std::optional<std::string> applied(const ArrayFix& fix, std::string_view text);

/// `text` with x and y of threadIdx and blockDim exchanged in a kernel. Empty: it has no such
/// kernel, or uses them in another way than by name and field, or in functions that it may call.
[[nodiscard]] std::optional<std::string> with_exchanged_threads(std::string_view text,
                                                                std::string_view kernel);

}  // namespace lab::run
