// The addresses of one warp instruction.
#pragma once

#include <array>
#include <cstdint>

#include "harness/model/instruction.h"

namespace lab::model {

/// Byte addresses of the 32 lanes; those outside `mask` are not read. `bytes` is the width of one
/// lane's access, 1 to 32, and each address a multiple of it (32: of 16).
struct WarpAccess {
  std::uint32_t mask = 0;
  std::uint32_t bytes = 4;
  std::array<std::uint64_t, kLanes> address{};

  [[nodiscard]] bool active(unsigned lane) const { return ((mask >> lane) & 1U) != 0; }
};

}  // namespace lab::model
