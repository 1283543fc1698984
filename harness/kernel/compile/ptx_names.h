// Which of the kernels that were compiled is meant by a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lab::compile {

/// For comparing names: NVRTC writes `k<3>` as `k < 3 >`.
[[nodiscard]] std::string without_blanks(std::string_view text);

/// The entry that `kernel` means; empty where there is none, or where it may mean several. `kernel`
/// is mangled, or as written in source, with or without parameters (`k(float*)`), scope and
/// template arguments that have defaults; blanks do not count.
[[nodiscard]] std::string find_entry(const std::vector<std::string>& entries,
                                     std::string_view kernel);

}  // namespace lab::compile
