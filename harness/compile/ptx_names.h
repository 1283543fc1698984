// Which kernels a PTX text has, and under what mangled names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lab::compile {

/// The (mangled) names of all `.entry` functions, in the order of the text.
[[nodiscard]] std::vector<std::string> entry_names(std::string_view ptx);

/// A kernel's name as it is written in source: `_Z1kILi32EEvPf` -> `k<32>`; an `extern "C"` name
/// as it is.
[[nodiscard]] std::string source_name(const std::string& mangled);

/// For comparing names: NVRTC writes `k<3>` as `k < 3 >`.
[[nodiscard]] std::string without_blanks(std::string_view text);

/// The entry that `kernel` means; empty where there is none, or where it may mean several. `kernel`
/// is mangled, or as written in source, with or without parameters (`k(float*)`), scope and
/// template arguments that have defaults; blanks do not count.
[[nodiscard]] std::string find_entry(const std::vector<std::string>& entries,
                                     std::string_view kernel);

}  // namespace lab::compile
