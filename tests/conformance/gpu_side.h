// The suite's GPU. with_gpu.cpp has it; without_gpu.cpp stands in where the build has no GPU
// backend.
#pragma once

#include <memory>

#include "harness/core/backend.h"
#include "harness/core/compiled.h"

namespace lab::conformance {

/// Whether a GPU can run the suite.
[[nodiscard]] bool has_gpu();
/// To be called where there is one.
[[nodiscard]] std::unique_ptr<Backend> make_gpu_backend(const Compiler& compiler);

}  // namespace lab::conformance
