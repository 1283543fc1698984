// What the kernels of the labs should leave, computed on the host. It shares nothing with the labs'
// reference.cu but what it computes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "harness/core/buffer.h"
#include "harness/core/params.h"

namespace lab::references {

/// Gets all buffers as they were before the launch and leaves them as the kernel should.
using HostReference = std::function<void(const Params&, Buffers&)>;
/// Those of a lab, by variant.
using OfLab = std::map<std::string, HostReference>;

[[nodiscard]] OfLab coalescing();
[[nodiscard]] OfLab layout();
[[nodiscard]] OfLab bank_conflicts();
[[nodiscard]] OfLab transpose();
[[nodiscard]] OfLab participation();
[[nodiscard]] OfLab powers();
[[nodiscard]] OfLab matmul();
[[nodiscard]] OfLab traversal();
[[nodiscard]] OfLab capabilities();
[[nodiscard]] OfLab dram();
[[nodiscard]] OfLab reduction();
[[nodiscard]] OfLab barriers();

/// All of them, by the labs' ids.
[[nodiscard]] const std::map<std::string, OfLab>& all();

/// A parameter that counts something.
[[nodiscard]] inline std::uint64_t count(const Params& params, const char* name) {
  return static_cast<std::uint64_t>(params.number(name));
}

}  // namespace lab::references
