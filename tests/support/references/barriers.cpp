#include <cmath>

#include "tests/support/references/references.h"

namespace lab::references {
namespace {

constexpr std::size_t kThreads = 128;

// out[i] = in[from(i)], with indices within a block.
HostReference moving(std::size_t (*from)(std::size_t)) {
  return [from](const Params&, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto t = i % kThreads;
      out[i] = in[i - t + from(t)];
    }
  };
}

std::size_t turned(std::size_t t) { return kThreads - 1 - t; }
std::size_t neighbour(std::size_t t) { return t ^ 1U; }

void multiply_squares(const Params& params, Buffers& buffers) {
  const auto a = buffers.f32("a");
  const auto b = buffers.f32("b");
  const auto c = buffers.f32("c");
  const auto n = count(params, "size");
  for (std::uint64_t row = 0; row < n; ++row) {
    for (std::uint64_t col = 0; col < n; ++col) {
      float sum = 0;
      for (std::uint64_t k = 0; k < n; ++k) sum = std::fmaf(a[row * n + k], b[k * n + col], sum);
      c[row * n + col] = sum;
    }
  }
}

}  // namespace

// Those that are broken on purpose have none.
OfLab barriers() {
  return {{"correct", moving(turned)},
          {"with_syncwarp", moving(neighbour)},
          {"product", multiply_squares}};
}

}  // namespace lab::references
