// CuTe's swizzles of a tile in shared memory: Swizzle<B, M, S> as CUTLASS has it
// (include/cute/swizzle.hpp), on byte addresses, as layouts for ldmatrix and wgmma mean it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/model/layout/cost.h"

namespace lab::layout {

/// Bits [base + shift, base + shift + bits) of a byte's offset are xor-ed to bits [base, base +
/// bits): parts of 2^base bytes stay whole.
struct Swizzle {
  unsigned bits = 0;
  unsigned base = 0;
  unsigned shift = 0;

  [[nodiscard]] std::uint64_t place(std::uint64_t offset) const;
};

/// Reads `Swizzle<3,4,3>`; throws an input error for other words, and where the two ranges of bits
/// overlap.
[[nodiscard]] Swizzle swizzle_named(std::string_view text);

/// The wavefronts of `uses` where the swizzle says what lies where. Empty: it takes what a lane
/// accesses at once apart.
[[nodiscard]] std::optional<std::uint64_t> cost(const std::vector<Use>& uses,
                                                const Swizzle& swizzle);

}  // namespace lab::layout
