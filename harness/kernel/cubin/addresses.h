// Which memory instructions of a PTX function are a known distance apart.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/kernel/ptx/module.h"

namespace lab::cubin {

/// Two addresses with the same `base` in the same block differ by the difference of their offsets.
struct Address {
  std::uint32_t block = 0;
  std::uint64_t base =
      0;  ///< stands for a register's value since one definition of it, or for a variable
  std::int64_t offset = 0;
};

/// One Address per instruction; that of an instruction with no memory operand means nothing. Adds
/// of constants and moves are followed to their source within the block.
[[nodiscard]] std::vector<Address> addresses_of(const ptx::Function& function);

}  // namespace lab::cubin
