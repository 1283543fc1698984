// nvcc, where a machine has one with a host compiler: it takes whole programs as they are.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/core/compiled.h"
#include "harness/kernel/compile/source/device_only.h"

namespace lab::compile {

/// The nvcc of the toolkit that `nvrtc_library` belongs to; empty where it has none, or the machine
/// has no host compiler.
[[nodiscard]] std::filesystem::path find_nvcc(const std::filesystem::path& nvrtc_library);

/// PTX and machine code of `program`, with no mangled names yet; empty where nvcc does not compile
/// it. It runs in a folder of its own, and sees there only the texts of `program`.
[[nodiscard]] std::optional<Compiled> nvcc_compile(const CompileRequest& request,
                                                   const source::Program& program,
                                                   const std::filesystem::path& nvcc);

}  // namespace lab::compile
