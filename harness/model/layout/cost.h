// The cost of a warp's accesses to an array in a layout: wavefronts of shared memory, sectors of
// global memory, by the model's own rules.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/cost/rules.h"
#include "harness/model/layout/layout.h"

namespace lab::layout {

inline constexpr std::uint32_t kMatrixRowBytes = 16;

/// One instruction of a warp, and how often it ran with these addresses.
struct Use {
  CostRule rule = CostRule::kSharedLoad;
  std::uint32_t bytes = 4;                ///< per lane, in the machine code
  std::uint32_t unit = 4;                 ///< per lane, as written: what no layout may take apart
  std::array<std::int64_t, 32> offset{};  ///< bytes from the array's first; -1: lane inactive
  std::uint64_t times = 1;
  int site = 0;  ///< uses of one instruction have the same
};

/// The cost of all uses when the array's elements, of `element` bytes, are laid out this way.
/// Empty: the layout would separate or misalign the elements of a vector access, or the sum passes
/// `most`. Accesses that the compiler merged are merged still where all uses of the instruction
/// allow it, and counted one by one where not.
[[nodiscard]] std::optional<std::uint64_t> cost(const std::vector<Use>& uses, std::uint32_t element,
                                                const Layout& layout,
                                                std::uint64_t most = ~std::uint64_t{0});

/// A lower bound for every layout: each group of lanes takes a wavefront for each 128 bytes that it
/// asks for, and lanes at one address of an atomic wait for each other.
[[nodiscard]] std::uint64_t least(const std::vector<Use>& uses);

}  // namespace lab::layout
