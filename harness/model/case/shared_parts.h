// Arrays that a source text lays out by hand in its dynamic shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lab::model {

struct Overlap {
  std::string memory;        ///< what extern __shared__ declares
  std::string first;         ///< the array that begins before the other, and reaches into it
  std::string second;        ///< the other
  std::uint64_t begins = 0;  ///< byte of `memory` that `second` begins at
  int line = 0;              ///< that reaches into `second` through `first`
};

/// Lines `one` and `two` of `source` access byte `byte` of dynamic shared memory, each through one
/// array of it. Empty: through the same, or it can't be told where the arrays begin.
[[nodiscard]] std::optional<Overlap> overlapping_parts(std::string_view source, int one, int two,
                                                       std::uint64_t byte);

}  // namespace lab::model
