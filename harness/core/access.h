// How an instruction reaches memory: the space, and what it does there.
#pragma once

#include <array>
#include <cstdint>

#include "harness/core/words.h"

namespace lab {

/// A state space of PTX.
enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam };
template <>
inline constexpr auto words_of<Space> =
    std::to_array<std::string_view>({"generic", "global", "shared", "local", "const", "param"});
[[nodiscard]] constexpr std::string_view name_of(Space space) { return word_of(space); }

enum class AccessOp : std::uint8_t { kLoad, kStore, kAtomic, kReduction };
template <>
inline constexpr auto words_of<AccessOp> = std::to_array<std::string_view>({"load", "store",
                                                                            "atomic", "reduction"});
[[nodiscard]] constexpr std::string_view name_of(AccessOp op) { return word_of(op); }

}  // namespace lab
