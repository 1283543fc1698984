// The long byte strings of a frame, apart from the rest of it: they are most of a large one, and
// its reader is slow with them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/box/worker/channel.h"

namespace lab::worker {

struct LongBytes {
  Frame frame = {};  ///< the frame where each of them, and each empty one, is empty
  std::vector<std::span<const std::uint8_t>> strings = {};  ///< their bytes, in order; of the frame
};

/// A frame that is no CBOR of definite lengths (RFC 8949) comes back as it is from where it is
/// none.
[[nodiscard]] LongBytes without_long_bytes(const Frame& frame);

}  // namespace lab::worker
