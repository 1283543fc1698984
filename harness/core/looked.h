// How closely the model's checkers looked at a launch.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/core/words.h"

namespace lab {

/// Bounds, alignment and barriers are checked in every launch; this says which of the checkers that
/// cost time looked, too. Stored by its word, in the note `checkers`.
enum class Looked : std::uint8_t {
  kBasic,   ///< none did. Older versions: the launch was large, or nobody asked
  kFull,    ///< all did
  kShared,  ///< all but races in global memory, which were not followed, or not everywhere
  kGlobal,  ///< older versions: all but races in shared memory
  kOff,     ///< none did: the user turned them off
  kLarge,   ///< none did: the launch has too many instructions
  kBudget,  ///< none did: the program's budget of checked instructions was spent
};
template <>
inline constexpr auto kWordsOf<Looked> = std::to_array<std::string_view>({"basic", "full", "shared",
                                                                          "global", "off", "large",
                                                                          "budget"});
static_assert(word_of(Looked::kBudget) == "budget");

/// Whether any checker that costs time looked.
[[nodiscard]] constexpr bool watched(Looked looked) {
  return looked == Looked::kFull || looked == Looked::kShared || looked == Looked::kGlobal;
}

}  // namespace lab
