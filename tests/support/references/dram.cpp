#include <array>

#include "tests/support/references/references.h"

namespace lab::references {
namespace {

constexpr std::uint64_t kThreads = 256;
constexpr std::uint32_t kScatter = 249525;
constexpr std::int64_t kHopLines = 389;

// Lane 0 of a tree of shuffles.
float warp_sum(std::array<float, 32> lanes) {
  for (std::size_t step = 16; step > 0; step /= 2) {
    for (std::size_t i = 0; i < step; ++i) lanes[i] += lanes[i + step];
  }
  return lanes[0];
}

template <typename Read>
void sum_by_warps(Buffers& buffers, Read read) {
  const auto out = buffers.f32("sums");
  for (std::size_t warp = 0; warp < out.size(); ++warp) {
    std::array<float, 32> lanes{};
    for (std::size_t lane = 0; lane < 32; ++lane) lanes[lane] = read(32 * warp + lane);
    out[warp] = warp_sum(lanes);
  }
}

// Where element i is read: run r of them all is at place r * factor, modulo their number.
std::uint64_t place_of(const Params& p, std::uint64_t i, std::uint64_t all) {
  const auto run = count(p, "run");
  const std::uint32_t factor = p.number("scatter") == 1 ? kScatter : 1;
  const auto place = static_cast<std::uint32_t>(i / run) * factor & (all / run - 1);
  return place * run + i % run;
}

void bursts(const Params& p, Buffers& buffers) {
  const auto in = buffers.f32("in");
  sum_by_warps(buffers, [&](std::uint64_t i) { return in[place_of(p, i, in.size())]; });
}

// A thread reads four times four neighbours.
void bursts_wide(const Params& p, Buffers& buffers) {
  const auto in = buffers.f32("in");
  sum_by_warps(buffers, [&](std::uint64_t thread) {
    float sum = 0;
    for (std::uint64_t k = 0; k < 4; ++k) {
      const auto four = thread / kThreads * 4 * kThreads + k * kThreads + thread % kThreads;
      const auto* v = &in[place_of(p, 4 * four, in.size())];
      sum += v[0] + v[1] + v[2] + v[3];
    }
    return sum;
  });
}

void strides(const Params& p, Buffers& buffers) {
  const auto in = buffers.f32("in");
  const auto n = count(p, "n");
  const auto stride = count(p, "stride");
  sum_by_warps(buffers, [&](std::uint64_t i) { return i < n ? in[i * stride] : 0.0F; });
}

// The seed decides the order: the walk goes through memory as the kernel's does.
void chase(const Params& p, Buffers& buffers) {
  const auto next = buffers.u32("next");
  std::uint32_t at = 0;
  for (std::int64_t hop = 0; hop < p.number("hops"); ++hop) at = next[at];
  buffers.u32("last")[0] = at;
}

void chase_shared(const Params& p, Buffers& buffers) {
  buffers.u32("last")[0] = static_cast<std::uint32_t>(p.number("hops") % 1024 * kHopLines % 1024);
}

}  // namespace

OfLab dram() {
  return {{"bursts", bursts},
          {"bursts_wide", bursts_wide},
          {"strides", strides},
          {"chase", chase},
          {"chase_shared", chase_shared}};
}

}  // namespace lab::references
