// PTX text -> Module.
#pragma once

#include <string>
#include <string_view>

#include "harness/kernel/ptx/module.h"

namespace lab::ptx {

/// Parses what NVRTC and nvcc write for compute_75 to compute_121, and PTX written by hand (ISA
/// 6.0 and later, 64-bit addresses). Throws an input error with line, column and caret where the
/// text is malformed. An instruction with no semantics in the model is not an error here: its
/// function records a refusal, which require_runnable() reports for the kernel that would reach it.
[[nodiscard]] Module parse(std::string_view text, std::string name);

}  // namespace lab::ptx
