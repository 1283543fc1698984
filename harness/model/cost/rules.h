// The cost of one warp's access: sectors and lines of global memory, wavefronts and bank conflicts
// of shared memory. Pure functions of the lanes' addresses; nothing here knows how a kernel
// executes.
#pragma once

#include <array>
#include <cstdint>

#include "harness/core/access.h"

namespace lab::model {

inline constexpr unsigned kLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xffffffffU;

/// Byte addresses of the 32 lanes; those outside `mask` are not read. `bytes` is the width of one
/// lane's access, 1 to 32, and each address a multiple of it (32: of 16).
struct WarpAccess {
  std::uint32_t mask = 0;
  std::uint32_t bytes = 4;
  std::array<std::uint64_t, kLanes> address{};

  [[nodiscard]] bool active(unsigned lane) const { return ((mask >> lane) & 1U) != 0; }
};

// Global memory, in L1. Rules measured on an H200 (tests/fixtures/reference/h200_warp_global.csv)
// and stated in the CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory", for compute
// capability 6.0 and newer.

inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kLineBytes = 128;

/// Distinct 32-byte sectors that the active lanes touch: loads and stores.
[[nodiscard]] std::uint32_t sectors(const WarpAccess& access);

/// Sectors of an access to local memory, at offsets in each lane's own: the words with one offset
/// of a warp's lanes lie side by side, so that 8 neighbouring lanes have a sector for each word.
[[nodiscard]] std::uint32_t local_sectors(const WarpAccess& access);

/// Distinct 128-byte lines that the active lanes touch.
[[nodiscard]] std::uint32_t lines(const WarpAccess& access);

/// Distinct bytes that the active lanes ask for.
[[nodiscard]] std::uint32_t distinct_bytes(const WarpAccess& access);

/// Whether no two numbers are equal.
[[nodiscard]] bool all_differ(const std::array<std::uint32_t, kLanes>& numbers);

/// The three together, of accesses that are aligned to their width.
struct Coverage {
  std::uint32_t sectors = 0;
  std::uint32_t lines = 0;
  std::uint32_t bytes = 0;
  friend bool operator==(const Coverage&, const Coverage&) = default;
};
[[nodiscard]] Coverage coverage(const WarpAccess& access);

/// Sectors of atom and red: the sum over touched sectors of the largest number of lanes that
/// hit the same address in it.
[[nodiscard]] std::uint32_t atomic_sectors(const WarpAccess& access);

// Shared memory, in the L1 data stage. Rules measured on an H200
// (tests/fixtures/reference/h200_warp_shared.csv): 32 banks of 4 bytes; a group of lanes costs the
// largest number of distinct 4-byte words in one bank.

/// `hardware` is what the hardware counter l1tex__data_pipe_lsu_wavefronts_mem_shared_op_* adds
/// (without arbitration), `sass` what smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_*
/// adds. `groups`: groups with at least one active lane, which are the wavefronts that
/// are not conflicts.
struct BankCost {
  std::uint32_t hardware = 0;
  std::uint32_t sass = 0;
  std::uint32_t groups = 0;
  std::uint32_t requests = 1;
  /// Of the loads that the machine code makes for an atomic: as many as it has requests.
  std::uint32_t load_hardware = 0;
  std::uint32_t load_sass = 0;
  std::uint32_t load_groups = 0;
  [[nodiscard]] std::uint32_t conflicts() const { return hardware - groups; }
};

/// Loads: 1-, 2-, 4-byte accesses form one group, 8-byte ones two (half warps), 16-byte ones four
/// (quarter warps). Neighbouring groups merge in pairs where all active lanes satisfy
/// address(i) == address(i ^ 1), or all address(i) == address(i ^ 2). The SASS counter merges
/// only pairs that are free of conflicts once merged.
[[nodiscard]] BankCost shared_load(const WarpAccess& access);

/// Stores: the same groups, never merged.
[[nodiscard]] BankCost shared_store(const WarpAccess& access);

/// Matrices: a group of 8 rows of 16 bytes for each (ldmatrix, stmatrix), at the addresses of lanes
/// 0-7, 8-15, ...; transposing costs nothing. Measured: h200_matrix_and_async_copies.csv.
[[nodiscard]] BankCost shared_rows(const WarpAccess& access);

/// Sectors of cp.async.cg, which goes past L1: distinct pairs of a 128-byte line of the source and
/// a 32-byte sector of the destination (h200_async_copies_random.csv).
[[nodiscard]] std::uint32_t sectors_past_l1(const WarpAccess& source,
                                            const WarpAccess& destination);

/// Atomics: the largest number of active lanes (not distinct words) in one bank. These and the
/// three that differ are in tests/fixtures/reference/h200_shared_atomics.csv, for words of 4 bytes.
[[nodiscard]] BankCost shared_atomic(const WarpAccess& access);

/// An add of 1 whose result is not used (ATOMS.POPC.INC): lanes at one word are counted together,
/// so the largest number of distinct words in one bank.
[[nodiscard]] BankCost shared_count(const WarpAccess& access);

/// Compare and swap: twice the wavefronts of the other atomics, and their conflicts.
[[nodiscard]] BankCost shared_swap(const WarpAccess& access);

/// An add of a float: a loop of loads and ATOMS.CAST.SPIN. In each round the lowest lane left of
/// each bank succeeds, with two wavefronts and no conflict, after a load for the lanes that are
/// left.
[[nodiscard]] BankCost shared_float_add(const WarpAccess& access);

/// By this rule, which must be one of shared memory.
[[nodiscard]] BankCost bank_cost(CostRule rule, const WarpAccess& access);

}  // namespace lab::model
