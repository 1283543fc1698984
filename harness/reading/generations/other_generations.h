// What GPUs of other generations make of an access: the rules of each compute capability.
#pragma once

#include <string_view>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::labs {

/// Throws an input error where `text` is no compute capability: 3.5, or `all`.
void require_capability(std::string_view text);

/// A row for each generation that `capability` names: transactions of a global access, passes of a
/// shared one. A sentence where the rules do not say, as for single bytes.
[[nodiscard]] page::Block other_generations(const Access& access, std::string_view capability);

}  // namespace lab::labs
