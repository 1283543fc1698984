// Names in an object file that a host's compiler made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lab::program {

/// The kernels that an object file launches, as the device's compiler is asked for them, each once:
/// of the stubs that clang makes, one for each kernel and each instance of a template. Those that
/// share a name have their parameters behind it. Empty where the bytes are not a 64-bit ELF file.
[[nodiscard]] std::vector<std::string> kernels_in(std::string_view object);

}  // namespace lab::program
