#include "tests/support/references/references.h"

namespace lab::references {
namespace {

constexpr std::uint64_t kPowers = 32;

// x^2 to x^33, each the one before times x.
HostReference powers_of(bool thread_major) {
  return [thread_major](const Params& p, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    const auto threads = count(p, "threads");
    for (std::size_t i = 0; i < in.size(); ++i) {
      float power = in[i];
      for (std::uint64_t k = 0; k < kPowers; ++k) {
        power *= in[i];
        const auto place = thread_major ? i % threads * kPowers + k : k * threads + i % threads;
        out[i / threads * threads * kPowers + place] = power;
      }
    }
  };
}

}  // namespace

OfLab powers() {
  OfLab references;
  for (const char* name : {"thread_major", "thread_major_plain", "thread_major_global",
                           "thread_major_printed", "thread_major_reload"}) {
    references[name] = powers_of(true);
  }
  for (const char* name :
       {"power_major", "power_major_global", "power_major_printed", "power_major_reload"}) {
    references[name] = powers_of(false);
  }
  return references;
}

}  // namespace lab::references
