// A memory instruction: what is fixed when it is decoded, and what one core remembers of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/kernel/ptx/opcode.h"
#include "harness/model/code/instruction.h"
#include "harness/model/cost/pattern.h"

namespace lab::model {

/// Fixed facts. An instruction with a generic address has three sites in a row, one for each space
/// its lanes may reach: global, shared, local.
struct Site {
  ptx::Space space = ptx::Space::kGlobal;
  AccessOp op = AccessOp::kLoad;
  std::uint8_t element_bytes = 4;
  std::uint8_t elements = 1;  ///< 2, 4, 8: a vector access
  std::uint8_t register_bytes = 4;
  bool is_signed = false;  ///< loads extend the sign
  std::int16_t cost_shift =
      0;                  ///< where the access as counted begins, minus the instruction's address
  bool combined = false;  ///< an atomic whose lanes the machine code combines into one access
  std::uint8_t cost_bytes = 4;  ///< bytes per lane as the machine code moves them
  std::uint8_t rounds = 1;      ///< of a loop: the machine code makes one access for so many
  bool counted = true;          ///< false: the machine code has no such instruction
  bool for_printf = false;      ///< not counted: it stores an argument for a printf to read
  bool unknown = false;         ///< not counted, though the machine code has accesses for it
  /// Matrix loads and stores, and the halves of cp.async, are instructions of their own kind: of
  /// the plain loads' and stores' counters they are in some alone. Bulk copies are in none.
  enum class Kin : std::uint8_t { kPlain, kMatrix, kAsync, kBulk };
  Kin kin = Kin::kPlain;
  bool past_l1 = false;  ///< cp.async.cg: its sectors follow from both addresses
  CostRule rule = CostRule::kGlobal;
  std::uint64_t offset = 0;         ///< added to the address register, modulo 2^64
  std::uint32_t where = 0;          ///< index into Program::code
  std::array<Slot, 8> registers{};  ///< one per element of a vector access
  // Loads of shared memory with the same address register, later in the same basic block. They
  // execute as often as this one, with its pattern. `lowest`, `highest` and `offset_bits` are those
  // of the whole group.
  std::vector<std::uint32_t> followers = {};
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::uint64_t offset_bits = 0;  ///< all offsets or-ed

  [[nodiscard]] std::uint32_t bytes() const { return std::uint32_t{element_bytes} * elements; }
};

/// Sums over one core's executions of an instruction.
struct SiteCounts {
  std::uint64_t requests = 0;  ///< executions with an active lane
  std::uint64_t lanes = 0;     ///< active lanes
  std::uint64_t distinct_bytes = 0;
  std::uint64_t sectors = 0;
  std::uint64_t lines = 0;
  std::uint64_t wavefronts = 0;       ///< hardware rule
  std::uint64_t wavefronts_sass = 0;  ///< SASS rule
  std::uint64_t groups = 0;           ///< wavefronts that are not conflicts
  // Of the loads that the machine code makes for an atomic on shared memory.
  std::uint64_t load_requests = 0;
  std::uint64_t load_wavefronts = 0;
  std::uint64_t load_wavefronts_sass = 0;
  std::uint64_t load_groups = 0;
  std::uint64_t past_l1_sectors = 0;  ///< of cp.async.cg
  std::uint64_t mapped = 0;  ///< executions through the cluster's addresses: in no other count

  void add(const SiteCounts& other);
  /// Of executions of which `rounds` make one access together, and each was counted as that one.
  [[nodiscard]] SiteCounts per(std::uint64_t rounds) const;
};

/// A core's memory of a site: the pattern met last, the allocation met last, and sums. Counts that
/// follow from the pattern alone are kept as `uses` until the pattern changes.
struct SiteState {
  Pattern* pattern = nullptr;
  std::uint64_t uses = 0;
  std::uint64_t low = 1;  ///< the allocation met last has the addresses [low, low + bytes)
  std::uint64_t bytes = 0;
  std::byte* host = nullptr;  ///< where `low` lies
  std::uint64_t first_sector = 0;
  const Site* site = nullptr;
  std::uint64_t alignment = 0;                ///< bytes per lane, minus 1
  bool marks = false;                         ///< its sectors are traffic
  bool atomic = false;                        ///< an atomic or a reduction
  std::array<std::uint64_t, 4> phase_uses{};  ///< narrow shared accesses: uses by base modulo 4
  std::uint64_t cost_shift = 0;
  std::uint64_t cost_mask = ~std::uint64_t{0};  ///< rounds of one access: to where it begins
  // For the leader of a group: where the lowest lane of its last execution was, and whether the
  // whole group is in bounds from there, so that followers need not check.
  bool group_safe = false;
  std::uint64_t group_base = 0;
  std::uint64_t group_uses = 0;   ///< safe executions with the current pattern
  std::uint64_t* last = nullptr;  ///< by warp: where in the allocation it accessed last
  SiteCounts counts;
  std::uint32_t unknown = 0;         ///< how many patterns in a row the table did not have
  std::unique_ptr<Pattern> scratch;  ///< holds a pattern that the table did not take

  /// One use of the pattern is by the lanes in `mask` and not by the pattern's own: they all have
  /// one address, and then other lanes make no other access.
  void count_other_lanes(std::uint32_t mask) noexcept;
  /// Adds the uses of the pattern to the sums.
  void flush() noexcept;
  /// The same for its followers too; `all` are the core's sites.
  void flush_group(SiteState* all) noexcept;
};

}  // namespace lab::model
