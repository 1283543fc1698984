// Kernels' names as the lab writes them and as Nsight Compute prints them.
#pragma once

#include <string>
#include <string_view>

namespace lab::ncu {

/// A kernel's name in parts: `void ns::transpose<(int)32>(const float *)` is transpose, <32>.
struct KernelName {
  std::string base;
  std::string arguments =
      {};  ///< of the template, without spaces and casts; empty: none, or unknown
};

/// The parts of a demangled name, with or without return type and parameters, or of a mangled one.
[[nodiscard]] KernelName kernel_name(std::string_view text);

/// Whether both may name the same kernel. A name without template arguments stands for all of them:
/// ncu prints it so with --print-kernel-base function.
[[nodiscard]] bool may_be_same(const KernelName& a, const KernelName& b);

}  // namespace lab::ncu
