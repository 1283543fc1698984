#include <cstring>

#include "harness/reading/generations/pattern.h"
#include "harness/reading/generations/tables.h"
#include "tests/support/references/references.h"

namespace lab::references {
namespace {

// The block's bytes that its lanes choose from, `window` a block. A lane that is off stores a zero
// where `all_store`.
void choose(const Params& p, std::uint64_t window, bool all_store, Buffers& buffers) {
  const auto width = count(p, "bytes");
  const auto pattern = labs::pattern_of(p);
  const auto in = buffers.raw("in");
  const auto out = buffers.raw("out");
  for (std::uint64_t block = 0; block < count(p, "blocks"); ++block) {
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      auto* to = &out[(block * 32 + lane) * width];
      if (pattern[lane]) {
        std::memcpy(to, &in[block * window + *pattern[lane]], width);
      } else if (all_store) {
        std::memset(to, 0, width);
      }
    }
  }
}

void figure(const Params& p, Buffers& b) { choose(p, 128 * count(p, "bytes"), false, b); }
void figure_shared(const Params& p, Buffers& b) { choose(p, labs::kWindow, false, b); }
void pattern(const Params& p, Buffers& b) { choose(p, labs::kWindow, true, b); }

}  // namespace

OfLab capabilities() {
  return {{"figure", figure},
          {"figure_shared", figure_shared},
          {"pattern", pattern},
          {"pattern_shared", pattern}};
}

}  // namespace lab::references
