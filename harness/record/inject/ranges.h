// The NVTX ranges that a thread of the program has pushed.
#pragma once

#include <string_view>

namespace lab::record {

/// This thread's open ranges, the outermost first, with / between them; empty: none is open. Valid
/// until it pushes or pops the next.
[[nodiscard]] std::string_view open_ranges();

}  // namespace lab::record
