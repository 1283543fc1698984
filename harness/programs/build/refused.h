// Calls of CUDA's that are not modelled, and what may be done without them.
#pragma once

#include <string>
#include <string_view>

namespace lab::program {

/// Whether a name can be a call of CUDA's: cudaIpcOpenMemHandle, cuMemAlloc, nvrtcCompileProgram.
[[nodiscard]] bool is_call_of_cuda(std::string_view name);
/// Why there is no such call: `there is no other process`.
[[nodiscard]] std::string_view why_refused(std::string_view name);
/// `cudaIpcOpenMemHandle (there is no other process)`.
[[nodiscard]] std::string refused_text(std::string_view name);

}  // namespace lab::program
