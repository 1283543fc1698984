// Names of kernels between the host's compiler, which mangles them, and the device's, which is
// asked for them as expressions.
#pragma once

#include <string>

namespace lab::program {

/// `saxpy<float, 256>` of `_Z5saxpyIfLi256EEvT_PKS0_PS0_i`. What stands in a namespace without a
/// name is named without it.
[[nodiscard]] std::string kernel_expression(const std::string& mangled);
/// The same with its parameters, for kernels of one name: `scale(float*)`.
[[nodiscard]] std::string kernel_signature(const std::string& mangled);

}  // namespace lab::program
