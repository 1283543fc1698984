// Checks a frame before it is read as CBOR: a process that has been taken over sends anything.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/box/worker/channel.h"

namespace lab::worker {

/// How deep arrays and maps may stand within each other. The deepest message there is, a batch
/// whose argument has pointers, has 12 levels; the reader behind this calls itself for each.
constexpr std::size_t kMostDepth = 32;
/// Values in one frame, those inside others counted too. Each takes some 100 bytes once it is read:
/// 2^24 are 1.6 GiB. The largest message there is, a trace of 32,768 instructions with 32 addresses
/// each (AccessTrace), has 2 million.
constexpr std::uint64_t kMostValues = 1ULL << 24U;

/// Throws an internal error where `frame` is not one value of CBOR (RFC 8949) as the other side
/// writes it: definite lengths, no tags, whole, within the bounds above. It takes no stack and no
/// memory that the frame decides on.
void check_frame(const Frame& frame);

}  // namespace lab::worker
