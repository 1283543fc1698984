#include <array>
#include <numeric>
#include <span>

#include "tests/support/references/references.h"

namespace lab::references {
namespace {

constexpr std::size_t kBlock = 256;
using Block = std::array<float, kBlock>;

Block block_of(std::span<const float> in, std::size_t first) {
  Block block{};
  for (std::size_t t = 0; t < kBlock && first + t < in.size(); ++t) block[t] = in[first + t];
  return block;
}

float upward(Block s) {
  for (std::size_t step = 1; step < kBlock; step *= 2) {
    for (std::size_t i = 0; i + step < kBlock; i += 2 * step) s[i] += s[i + step];
  }
  return s[0];
}

float downward(Block s) {
  for (std::size_t step = kBlock / 2; step > 0; step /= 2) {
    for (std::size_t i = 0; i < step; ++i) s[i] += s[i + step];
  }
  return s[0];
}

// Lane 0 of a shuffle tree: the lanes that count for it fold in halves.
float warp_sum(std::array<float, 32> lanes) {
  for (std::size_t step = 16; step > 0; step /= 2) {
    for (std::size_t i = 0; i < step; ++i) lanes[i] += lanes[i + step];
  }
  return lanes[0];
}

float by_warps(Block s) {
  std::array<float, 32> sums{};
  for (std::size_t warp = 0; warp < kBlock / 32; ++warp) {
    std::array<float, 32> lanes{};
    for (std::size_t lane = 0; lane < 32; ++lane) lanes[lane] = s[32 * warp + lane];
    sums[warp] = warp_sum(lanes);
  }
  return warp_sum(sums);
}

HostReference block_sums(float (*sum)(Block)) {
  return [sum](const Params&, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto sums = buffers.f32("sums");
    for (std::size_t b = 0; b < sums.size(); ++b) sums[b] = sum(block_of(in, kBlock * b));
  };
}

void sum_of_all(const Params&, Buffers& buffers) {
  const auto in = buffers.f32("in");
  buffers.f32("total")[0] = static_cast<float>(std::accumulate(in.begin(), in.end(), 0.0));
}

void number_of_all(const Params& p, Buffers& buffers) {
  buffers.u32("total")[0] = static_cast<std::uint32_t>(p.number("n"));
}

void histogram(const Params& p, Buffers& buffers) {
  const auto total = buffers.u32("total");
  for (const std::byte grey : buffers.raw("in")) {
    ++total[std::to_integer<std::size_t>(grey) * count(p, "stride") % 256];
  }
}

}  // namespace

OfLab reduction() {
  return {
      {"modulo", block_sums(upward)},       {"strided", block_sums(upward)},
      {"sequential", block_sums(downward)}, {"shuffle", block_sums(by_warps)},
      {"atomic_thread", sum_of_all},        {"atomic_warp", sum_of_all},
      {"atomic_block", sum_of_all},         {"atomic_count", number_of_all},
      {"histogram_block", histogram},       {"histogram_warp", histogram},
      {"histogram_private", histogram},
  };
}

}  // namespace lab::references
