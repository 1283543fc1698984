// Where diverged lanes meet again.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/ptx/module.h"

namespace lab::model {

/// For each basic block of `function`, the block where lanes that its last instruction splits meet
/// again: the immediate post-dominator, or ptx::kNoIndex for the exit. A way to a block that only
/// leaves the function does not count where there is another one: threads that leave early do not
/// keep the others apart, as the machine code's predicated EXIT does not.
[[nodiscard]] std::vector<std::uint32_t> meeting_points(const ptx::Function& function);

}  // namespace lab::model
