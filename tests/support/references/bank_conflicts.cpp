#include <cmath>
#include <vector>

#include "tests/support/references/references.h"

namespace lab::references {
namespace {

constexpr std::uint64_t kThreads = 256;
constexpr std::uint64_t kTile = 32;

// `value` added to zero `times` times, as the kernels do.
float added(float value, std::uint64_t times) {
  float sum = 0;
  for (std::uint64_t i = 0; i < times; ++i) sum += value;
  return sum;
}

// out[i] is the word `word_of(thread)`, added up `loads` times. All blocks do the same.
HostReference reading(
    const std::function<std::uint64_t(const Params&, std::uint64_t thread)>& word_of) {
  return [word_of](const Params& params, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = added(in[word_of(params, i % kThreads)], count(params, "loads"));
    }
  };
}

// Element `index` as the kernel's number(): a float.
float element_number(const Params& params, Buffers& buffers, std::uint64_t index) {
  switch (params.number("bytes")) {
    case 1:
      return static_cast<float>(buffers.as<std::int8_t>("in")[index]);
    case 2:
      return static_cast<float>(buffers.as<std::int16_t>("in")[index]);
    case 8:
      return static_cast<float>(buffers.f64("in")[index]);
    case 16: {
      const auto in = buffers.f32("in").subspan(4 * index, 4);
      return in[0] + in[1] + in[2] + in[3];
    }
    default:
      return buffers.f32("in")[index];
  }
}

void typed(const Params& p, Buffers& buffers) {
  const auto out = buffers.f32("out");
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = added(element_number(p, buffers, i % 32 * count(p, "stride")), count(p, "loads"));
  }
}

// out[thread] is the sum of its record's fields, in the kernel's order.
template <typename T>
void sum_fields(const Params& p, Buffers& buffers, bool split) {
  const auto in = buffers.as<T>("in");
  const auto out = buffers.as<T>("out");
  const auto fields = count(p, "fields");
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto thread = i % kThreads;
    T sum = 0;
    for (std::uint64_t f = 0; f < fields; ++f) {
      sum += in[split ? f * kThreads + thread : thread * fields + f];
    }
    out[i] = sum;
  }
}

HostReference records(bool split) {
  return [split](const Params& p, Buffers& buffers) {
    if (p.number("width") == 8) return sum_fields<double>(p, buffers, split);
    sum_fields<float>(p, buffers, split);
  };
}

// Words 2 t and 2 t + 1 of thread t: one rounding for scale * odd + even, as the compiler's fma
// has.
HostReference pairs(float scale) {
  return [scale](const Params&, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto thread = i % kThreads;
      out[i] = std::fmaf(scale, in[2 * thread + 1], in[2 * thread]);
    }
  };
}

void repeated(const Params&, Buffers& buffers) {
  const auto in = buffers.f32("in");
  const auto out = buffers.f32("out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[i % in.size()];
}

void columns(const Params& p, Buffers& buffers) {
  const auto in = buffers.f32("in");
  const auto out = buffers.f32("out");
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = added(in[i % kTile * kTile + i / kTile % kTile], count(p, "passes"));
  }
}

std::uint64_t strided(const Params& p, std::uint64_t t) { return t * count(p, "stride"); }
std::uint64_t based(const Params& p, std::uint64_t t) { return count(p, "base") + strided(p, t); }
std::uint64_t of_lanes(const Params& p, std::uint64_t t) {
  return t / 32 * 32 + t % 32 * count(p, "stride") % 32;
}
std::uint64_t in_one_bank(const Params& p, std::uint64_t t) {
  return t % count(p, "distinct") * 32;
}

}  // namespace

OfLab bank_conflicts() {
  return {
      {"stride", reading(strided)},
      {"stride_plain", reading(strided)},
      {"base_index", reading(based)},
      {"registers", reading(of_lanes)},
      {"column", columns},
      {"broadcast", reading(in_one_bank)},
      {"typed", typed},
      {"records", records(false)},
      {"records_split", records(true)},
      {"pair_plain", pairs(1)},
      {"interleaved", pairs(3)},
      {"interleaved_plain", pairs(3)},
      {"bring_neighbours", repeated},
      {"bring_halves", repeated},
      {"column_swizzled", columns},
      {"column_transposed", columns},
  };
}

}  // namespace lab::references
