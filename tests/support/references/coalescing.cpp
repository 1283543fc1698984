#include <cstring>

#include "tests/support/references/references.h"

namespace lab::references {
namespace {

// Where thread i reads or writes, for one set of parameters.
using Index = std::function<std::int64_t(std::int64_t i)>;
using IndexOf = std::function<Index(const Params&)>;
using TakesPart = std::function<bool(const Params&, std::int64_t i)>;

Index same(const Params&) {
  return [](std::int64_t i) { return i; };
}
Index strided_index(const Params& params) {
  return [stride = params.number("stride"), offset = params.number("offset")](std::int64_t i) {
    return i * stride + offset;
  };
}
Index reversed(const Params& params) {
  return [last = params.number("n") - 1](std::int64_t i) { return last - i; };
}
Index permuted(const Params& params) {
  return [n = params.number("n")](std::int64_t i) {
    const auto first = i / 32 * 32;
    return first + 32 <= n ? first + (5 * i + 3) % 32 : i;
  };
}
Index hashed(const Params& params) {
  return [run = params.number("run")](std::int64_t i) {
    const auto place = static_cast<std::uint32_t>(i / run) * 2654435769U >> 17;
    return std::int64_t{place} * run + i % run;
  };
}

// out[to(i)] = in[from(i)] for each i that `takes_part`. Where all have one target the last stays.
HostReference copying(const IndexOf& from, const IndexOf& to, const TakesPart& takes_part = {}) {
  return [=](const Params& params, Buffers& buffers) {
    const std::uint64_t bytes = count(params, "bytes");
    const auto in = buffers.raw("in");
    const auto out = buffers.raw("out");
    const Index source = from(params);
    const Index target = to(params);
    for (std::int64_t i = 0; i < params.number("n"); ++i) {
      if (takes_part && !takes_part(params, i)) continue;
      std::memcpy(&out[static_cast<std::uint64_t>(target(i)) * bytes],
                  &in[static_cast<std::uint64_t>(source(i)) * bytes], bytes);
    }
  };
}

void read_at(std::uint64_t stride, std::uint64_t offset, Buffers& buffers) {
  const auto in = buffers.f32("in");
  const auto out = buffers.f32("out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[i * stride + offset];
}

}  // namespace

OfLab coalescing() {
  return {
      {"load", copying(strided_index, same)},
      {"store", copying(same, strided_index)},
      {"both", copying(strided_index, strided_index)},
      {"stride_curve", [](const Params& p, Buffers& b) { read_at(count(p, "stride"), 0, b); }},
      {"offset_curve", [](const Params& p, Buffers& b) { read_at(1, count(p, "offset"), b); }},
      {"reverse", copying(reversed, same)},
      {"permuted", copying(permuted, same)},
      {"gather", copying(hashed, same)},
      {"first_lanes",
       copying(same, same,
               [](const Params& p, std::int64_t i) { return i % 32 < p.number("active"); })},
      {"spread_lanes",
       copying(same, same,
               [](const Params& p, std::int64_t i) { return i % 4 < p.number("keep"); })},
  };
}

}  // namespace lab::references
