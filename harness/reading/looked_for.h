// The mistakes that were looked for in a case, and those that were not: an `ok` means no more.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/words.h"
#include "harness/reading/figures.h"

namespace lab::reading {

/// A kind of mistake that lab looks for. Those before kResults are of the kernel's execution.
enum class Sought : std::uint8_t {
  kBounds,
  kAlignment,
  kBarriers,        ///< and warp-wide operations, and progress
  kUnwrittenReads,  ///< of memory that nobody wrote
  kSharedRaces,     ///< within a block
  kGlobalRaces,     ///< between blocks, and between warps of a block
  kClusterRaces,    ///< in shared memory, between blocks of a cluster
  kUnwaitedCopies,  ///< copies that run beside the threads, used before they have ended
  kResults,         ///< outputs compared with those of a reference
};
inline constexpr std::size_t kSoughtCount = 9;

enum class WhyNot : std::uint8_t {
  kNotAsked,      ///< the user turned the checkers off
  kLargeLaunch,   ///< too many instructions for the checkers that cost
  kLargeMemory,   ///< too many accesses or too much memory to follow races of global memory
  kSampled,       ///< only a sample of the blocks ran
  kSomeLaunches,  ///< some launches of the program ran unchecked
  kGpuAlone,      ///< a GPU ran it, and the model did not
  kTextures,      ///< no checker sees the memory that textures and surfaces access
  kNoKernel,      ///< a program's own case, or its host's code
  kLibrary,       ///< a library's kernel, which has no source
  kNoReference,   ///< nobody says what is right
  kFoundFirst,    ///< a mistake was found before results were compared
  kNotRun,
  kNotToTheEnd,  ///< the launch was stopped
  kNotSaid,      ///< an older version's record leaves it open
};

/// One kind of mistake that was not looked for, or not everywhere.
struct NotSought {
  Sought what = Sought::kBounds;
  WhyNot why = WhyNot::kNotSaid;
  friend bool operator==(const NotSought&, const NotSought&) = default;
};

/// Every kind of mistake is in one of the two, in the order of Sought.
struct LookedFor {
  std::vector<Sought> checked = {};  ///< wholly: each block, each launch
  std::vector<NotSought> not_checked = {};
};

[[nodiscard]] LookedFor looked_for(const CaseRecord& record);

/// `Checked: bounds, races, results. Not checked: ... (1 of 3 cases: why).`
[[nodiscard]] std::string looked_for_text(const Cases& cases);

/// The second sentence alone, of the cases that ended well and without a finding: others have a
/// stronger word beside them. Empty: everything was looked for.
[[nodiscard]] std::string not_looked_for_text(const Cases& cases);

}  // namespace lab::reading

namespace lab {

template <>
inline constexpr auto kWordsOf<reading::Sought> = std::to_array<std::string_view>(
    {"bounds", "alignment", "barriers", "unwritten_reads", "shared_races", "global_races",
     "cluster_races", "unwaited_copies", "results"});
static_assert(kWordsOf<reading::Sought>.size() == reading::kSoughtCount);
static_assert(word_of(reading::Sought::kResults) == "results");

template <>
inline constexpr auto kWordsOf<reading::WhyNot> = std::to_array<std::string_view>(
    {"not_asked", "large_launch", "large_memory", "sampled", "some_launches", "gpu_alone",
     "textures", "no_kernel", "library", "no_reference", "found_first", "not_run", "not_to_the_end",
     "not_said"});
static_assert(word_of(reading::WhyNot::kNotSaid) == "not_said");

}  // namespace lab
