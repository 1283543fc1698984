// How closely the model's checkers looked at a launch, and how a case's record keeps the answer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/core/record.h"
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

void note_looked(Looked looked, CaseRecord& record);
/// Empty: the record does not say, or in a word that this version does not know.
[[nodiscard]] std::optional<Looked> looked_of(const CaseRecord& record);

/// The kernel has instructions of textures or surfaces, whose memory no checker sees.
void note_images(CaseRecord& record);
[[nodiscard]] bool has_images(const CaseRecord& record);

/// Launches of a program that share a case may run without the checkers that cost time: how many.
void note_unchecked_launches(std::uint64_t launches, CaseRecord& record);
[[nodiscard]] std::uint64_t unchecked_launches_of(const CaseRecord& record);

}  // namespace lab
