#include <algorithm>
#include <cstring>

#include "tests/support/references/references.h"

namespace lab::references {
namespace {

// `in` has `rows` rows of `cols` elements.
void transpose_bytes(const Params& p, std::uint64_t bytes, Buffers& buffers) {
  const auto in = buffers.raw("in");
  const auto out = buffers.raw("out");
  const auto rows = count(p, "rows");
  const auto cols = count(p, "cols");
  for (std::uint64_t y = 0; y < rows; ++y) {
    for (std::uint64_t x = 0; x < cols; ++x) {
      std::memcpy(&out[(x * rows + y) * bytes], &in[(y * cols + x) * bytes], bytes);
    }
  }
}

void of_width(const Params& p, Buffers& buffers) { transpose_bytes(p, count(p, "bytes"), buffers); }
void of_floats(const Params& p, Buffers& buffers) { transpose_bytes(p, 4, buffers); }

void copy(const Params&, Buffers& buffers) {
  const auto in = buffers.raw("in");
  std::copy(in.begin(), in.end(), buffers.raw("out").begin());
}

}  // namespace

OfLab transpose() {
  OfLab references = {
      {"copy", copy},
      {"copy_wide", copy},
      {"tile16", of_floats},
      {"tile16_swizzled", of_floats},
      {"vectorised", of_floats},
      {"best", of_floats},
      {"geam", of_floats},
  };
  for (const char* name : {"read_coalesced", "read_coalesced_O0", "write_coalesced",
                           "write_coalesced_O0", "shared_store", "shared_load", "shared_load_O0",
                           "padded", "padded_store", "padded_store_O0", "swizzled"}) {
    references[name] = of_width;
  }
  return references;
}

}  // namespace lab::references
