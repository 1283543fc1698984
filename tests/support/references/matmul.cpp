#include <cmath>

#include "tests/support/references/references.h"

namespace lab::references {
namespace {

// In the kernels' order: k upwards, one fused multiply-add per step.
void multiply(const Params& params, Buffers& buffers) {
  const auto a = buffers.f32("a");
  const auto b = buffers.f32("b");
  const auto c = buffers.f32("c");
  const auto n = count(params, "n");
  const auto m = count(params, "m");
  const auto p = count(params, "p");
  for (std::uint64_t row = 0; row < n; ++row) {
    for (std::uint64_t col = 0; col < p; ++col) {
      float sum = 0;
      for (std::uint64_t k = 0; k < m; ++k) sum = std::fmaf(a[row * m + k], b[k * p + col], sum);
      c[row * p + col] = sum;
    }
  }
}

}  // namespace

OfLab matmul() {
  OfLab references;
  for (const char* name : {"naive", "naive_swapped", "tiled_16", "tiled_pinned_16", "tiled_32",
                           "tiled_pinned_32", "register_tiled", "best", "gemm"}) {
    references[name] = multiply;
  }
  return references;
}

}  // namespace lab::references
