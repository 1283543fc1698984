// What a shared-memory access costs in the L1 data stage: wavefronts and bank conflicts.
// Rules measured on an H200 (tests/fixtures/reference/h200_warp_shared.csv): 32 banks of 4 bytes;
// the cost of a group of lanes is the largest number of distinct 4-byte words in one bank.
#pragma once

#include <cstdint>

#include "harness/model/accesses.h"

namespace lab::model {

/// `hardware` is what the hardware counter l1tex__data_pipe_lsu_wavefronts_mem_shared_op_* adds
/// (without arbitration), `sass` what smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_*
/// adds. `groups`: groups of lanes with an active one, the wavefronts that are no conflict.
struct BankCost {
  std::uint32_t hardware = 0;
  std::uint32_t sass = 0;
  std::uint32_t groups = 0;
  [[nodiscard]] std::uint32_t conflicts() const { return hardware - groups; }
  [[nodiscard]] std::uint32_t sass_conflicts() const { return sass > groups ? sass - groups : 0; }
};

/// Loads: 1-, 2-, 4-byte accesses form one group, 8-byte ones two (half warps), 16-byte ones four
/// (quarter warps). Neighbouring groups merge in pairs where all active lanes satisfy
/// address(i) == address(i ^ 1), or all address(i) == address(i ^ 2). The SASS counter takes the
/// merge only for pairs that are free of conflicts once merged.
[[nodiscard]] BankCost shared_load(const WarpAccess& access);

/// Stores: the same groups, never merged.
[[nodiscard]] BankCost shared_store(const WarpAccess& access);

/// Atomics: the largest number of active lanes (not distinct words) in one bank.
[[nodiscard]] BankCost shared_atomic(const WarpAccess& access);

}  // namespace lab::model
