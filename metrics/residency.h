// How many blocks an SM has room for, without a driver that says so.
#pragma once

#include <cstdint>
#include <string_view>

namespace lab::metrics {

/// What a block takes of its SM.
struct BlockNeeds {
  std::uint64_t threads = 1;
  std::uint32_t registers = 0;     ///< per thread
  std::uint64_t shared_bytes = 0;  ///< static and dynamic
};

/// Blocks of a kernel that are on an SM of `arch` (sm_90) at once, where L1 gives shared memory as
/// much room as it may. 0: the architecture is not known, or not even one block fits.
[[nodiscard]] std::uint64_t resident_blocks(const BlockNeeds& needs, std::string_view arch);

}  // namespace lab::metrics
