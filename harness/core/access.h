// How an instruction reaches memory: the space, what it does there, and the rule that counts it.
#pragma once

#include <array>
#include <cstdint>

#include "harness/core/words.h"

namespace lab {

/// A state space of PTX.
enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam };
template <>
inline constexpr auto kWordsOf<Space> =
    std::to_array<std::string_view>({"generic", "global", "shared", "local", "const", "param"});
[[nodiscard]] constexpr std::string_view name_of(Space space) { return word_of(space); }

enum class AccessOp : std::uint8_t { kLoad, kStore, kAtomic, kReduction };
template <>
inline constexpr auto kWordsOf<AccessOp> = std::to_array<std::string_view>({"load", "store",
                                                                            "atomic", "reduction"});
[[nodiscard]] constexpr std::string_view name_of(AccessOp op) { return word_of(op); }

/// Which rule counts an access; those of shared memory come first.
enum class CostRule : std::uint8_t {
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,
  kSharedCount,     ///< an add of 1 that all lanes at a word make at once
  kSharedSwap,      ///< compare and swap
  kSharedFloatAdd,  ///< a loop in the machine code
  kSharedRows,      ///< ldmatrix, stmatrix: each lane's address is that of a row of 16 bytes
  kGlobal,
  kGlobalAtomic,
  kUncounted,  ///< constants
};
template <>
inline constexpr auto kWordsOf<CostRule> =
    std::to_array<std::string_view>({"load", "store", "atomic", "count", "swap", "float_add",
                                     "matrix", "global", "global_atomic", "uncounted"});
[[nodiscard]] constexpr bool is_shared(CostRule rule) { return rule < CostRule::kGlobal; }

}  // namespace lab
