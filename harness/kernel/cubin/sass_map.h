// Maps each memory instruction of the PTX to what the compiler made of it: the machine code decides
// what a kernel asks of memory, while the model runs the PTX.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/kernel/cubin/cubin.h"
#include "harness/kernel/ptx/module.h"

namespace lab::cubin {

/// How the model counts one execution of the PTX instruction.
struct Fate {
  enum class Kind : std::uint8_t {
    kNone,      ///< no access to memory other than .param and .const
    kKept,      ///< one machine access of `bytes` per lane at this instruction's address plus
                ///< `shift`: the same width and 0, unless parts of a value are not used.
                ///< `is_reduction`: an atom whose result is not used, done as a red.
                ///< Of wmma.load and wmma.store: `copies` accesses of `bytes` per lane, or of rows
                ///< of 16 bytes where `matrices` is not 0
    kWide,      ///< leader of a merged group: one access of `bytes` per lane, which starts at this
                ///< instruction's address plus `shift` (0 or less). It stands for the whole group
    kMerged,    ///< a member of the group that instruction `leader` leads: no access of its own
    kVanished,  ///< no machine access: its value was known, or kept in a register
    kAggregated,  ///< an atomic on an address that the warp shares: the lanes are combined first,
                  ///< and one of them makes the access
    kCounted,     ///< an atomic add of 1 whose result is not used: lanes at one word are counted at
                  ///< once (ATOMS.POPC.INC)
    kExpanded,    ///< an atomic done as a loop of load and compare-and-swap (shared float add)
    kUnknown,     ///< the machine access can't be found for this one: count what the PTX says
  };
  Kind kind = Kind::kNone;
  std::uint8_t bytes = 0;                ///< per lane, in the machine code
  std::int16_t shift = 0;                ///< bytes
  std::uint32_t leader = ptx::kNoIndex;  ///< instruction index in the same function
  bool is_reduction = false;
  /// Of a leader in a loop that the machine code unrolls: one access for so many rounds of the
  /// PTX's.
  std::uint8_t rounds = 1;
  /// How often the machine code has this access: more than once in a loop that it unrolls.
  std::uint16_t copies = 1;
  /// Of accesses that are LDSM, be they ldmatrix or wmma.load in the PTX: how many matrices of 8
  /// rows of 16 bytes each of them brings. 0: of others.
  std::uint8_t matrices = 0;
  /// Of a load that ends up under a condition which comes after it in the PTX, since its value is
  /// needed there alone: lanes that leave at the branch of this PTX line do not make it. 0: no.
  std::uint32_t sunk_behind = 0;
};

/// One Fate per instruction of each function of the module.
struct SassMap {
  std::vector<std::vector<Fate>> functions;  ///< as Module::functions; empty where `absent`
  std::string absent;                        ///< why there is no map: count what the PTX says
  std::vector<std::string> doubts;           ///< one sentence for each kUnknown, with its PTX line
};

/// The map for one kernel. `module` is the PTX that the image was made from; where its lines differ
/// from those in the image, or the image lacks the kernel or its line tables, the map is absent.
///
/// Merging is found within a basic block: loads (or stores) in one space with one base, of which
/// one has a machine access wider than its own and the others have none. All members execute
/// together, so the leader's count is the group's. In a loop that ptxas unrolled, one access may
/// stand for neighbours of several rounds.
[[nodiscard]] SassMap sass_map(const Image& image, const std::string& kernel,
                               const ptx::Module& module);

}  // namespace lab::cubin
