#include "tests/support/references/references.h"

namespace lab::references {
namespace {

constexpr std::int64_t kThreads = 256;

std::int64_t elements(const Params& p) {
  return p.has("blocks") ? kThreads * p.number("blocks") : p.number("n");
}

using Target = std::function<std::int64_t(std::int64_t i)>;  // -1: the thread idles

std::int64_t own(std::int64_t i) { return i; }
std::int64_t first_of_all(std::int64_t i) { return i % 4 == 3 ? 0 : i; }
std::int64_t first_of_block(std::int64_t i) { return i % 4 == 3 ? i / kThreads * kThreads : i; }
std::int64_t three(std::int64_t i) { return i % 4 == 3 ? -1 : i; }
// As the branches have it.
std::int64_t branch_three(std::int64_t i) { return i % 4 != 0 ? i : -1; }
std::int64_t branch_first_of_all(std::int64_t i) { return i % 4 != 0 ? i : 0; }
std::int64_t branch_first_of_block(std::int64_t i) {
  return i % 4 != 0 ? i : i / kThreads * kThreads;
}

// As if no addition were lost.
HostReference adding(const Target& target) {
  return [target](const Params& p, Buffers& buffers) {
    const auto a = buffers.f32("a");
    for (std::int64_t i = 0; i < elements(p); ++i) {
      if (const auto k = target(i); k >= 0) a[static_cast<std::uint64_t>(k)] += 1;
    }
  };
}

void first_lanes(const Params& p, Buffers& buffers) {
  const auto active = p.number("active");
  adding([active](std::int64_t i) { return i % 32 < active ? i : -1; })(p, buffers);
}

void add_index(const Params& p, Buffers& buffers) {
  const auto a = buffers.f32("a");
  for (std::int64_t i = 0; i < elements(p); ++i) {
    a[static_cast<std::uint64_t>(i)] += static_cast<float>(i);
  }
}

}  // namespace

OfLab participation() {
  return {
      {"lanes", first_lanes},
      {"all_threads", adding(own)},
      {"three_of_four", adding(three)},
      {"rest_on_first", adding(first_of_all)},
      {"rest_on_block", adding(first_of_block)},
      {"add_index", add_index},
      {"branch_idle", adding(branch_three)},
      {"branch_first", adding(branch_first_of_all)},
      {"branch_block", adding(branch_first_of_block)},
      {"printed_index", add_index},
      {"printed_idle", adding(branch_three)},
      {"printed_first", adding(branch_first_of_all)},
      {"printed_block", adding(branch_first_of_block)},
      {"atomic_all", adding(own)},
      {"atomic_first", adding(first_of_all)},
      {"atomic_block", adding(first_of_block)},
  };
}

}  // namespace lab::references
