// What a global-memory access costs in L1: 32-byte sectors and 128-byte lines.
// Rules measured on an H200 (tests/fixtures/reference/h200_warp_global.csv) and stated in the CUDA
// C++ Best Practices Guide, "Coalesced Access to Global Memory", for compute capability 6.0 on.
#pragma once

#include <cstdint>

#include "harness/model/accesses.h"

namespace lab::model {

inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kLineBytes = 128;

/// Distinct 32-byte sectors that the active lanes touch: loads and stores.
[[nodiscard]] std::uint32_t sectors(const WarpAccess& access);

/// Distinct 128-byte lines that the active lanes touch.
[[nodiscard]] std::uint32_t lines(const WarpAccess& access);

/// Distinct bytes that the active lanes ask for.
[[nodiscard]] std::uint32_t distinct_bytes(const WarpAccess& access);

/// Sectors of atom and red: the sum over touched sectors of the largest number of lanes that hit
/// one same address in it.
[[nodiscard]] std::uint32_t atomic_sectors(const WarpAccess& access);

}  // namespace lab::model
