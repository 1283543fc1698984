#include <array>
#include <span>

#include "tests/support/references/references.h"

namespace lab::references {
namespace {

HostReference sums_in_order(bool by_columns) {
  return [by_columns](const Params& p, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto sums = buffers.f32("sums");
    const auto rows = count(p, "rows");
    const auto cols = count(p, "cols");
    for (std::uint64_t y = 0; y < rows; ++y) {
      float sum = 0;
      for (std::uint64_t x = 0; x < cols; ++x) sum += in[by_columns ? x * rows + y : y * cols + x];
      sums[y] = sum;
    }
  };
}

// 32 lanes take every 32nd element each, then fold: lane l adds lane l + 16, l + 8, ...
float warp_sum(std::span<const float> row) {
  std::array<float, 32> lanes{};
  for (std::size_t x = 0; x < row.size(); ++x) lanes[x % 32] += row[x];
  for (std::size_t step = 16; step > 0; step /= 2) {
    const auto before = lanes;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      // A lane beyond the last reads its own value.
      lanes[lane] += before[lane + step < 32 ? lane + step : lane];
    }
  }
  return lanes[0];
}

void sums_by_warps(const Params& p, Buffers& buffers) {
  const auto in = buffers.f32("in");
  const auto sums = buffers.f32("sums");
  const auto cols = count(p, "cols");
  for (std::size_t y = 0; y < sums.size(); ++y) sums[y] = warp_sum(in.subspan(y * cols, cols));
}

}  // namespace

OfLab traversal() {
  return {{"thread_per_row", sums_in_order(false)},
          {"warp_per_row", sums_by_warps},
          {"column_major", sums_in_order(true)}};
}

}  // namespace lab::references
