// What GPUs of other generations make of an access: the rules of each compute capability.
#pragma once

#include <string>
#include <string_view>

#include "harness/core/record.h"

namespace lab::cli {

/// Throws an input error where `text` is no compute capability: 3.5, or `all`.
void require_capability(std::string_view text);

/// A line for each generation that `capability` names: transactions of a global access, passes of a
/// shared one. A sentence where the rules do not say, as for single bytes.
[[nodiscard]] std::string generations_text(const Access& access, std::string_view capability);

}  // namespace lab::cli
