// A mistake that a checker saw a kernel make.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/core/access.h"
#include "harness/core/launch.h"

namespace lab {

/// Stored by number: never renumber.
enum class FindingKind : std::uint8_t {
  kOutOfBounds = 1,
  kMisaligned = 2,
  kUninitialised = 3,
  kSharedRace = 4,
  kDivergentBarrier = 5,
  kBarrierDeadlock = 6,
  kNoProgress = 7,
  kInvalidWarpOperation = 8,  ///< a lane named in a mask is not there, or a source lane is inactive
  kAssert = 9,
  kTrap = 10,
  kInvalidCall = 11,     ///< through a pointer that is not a function's
  kGlobalRace = 12,      ///< between blocks, or between warps of a block
  kInvalidImage = 13,    ///< a handle of no texture or surface, or one that is used as another kind
  kInvalidBarrier = 14,  ///< one that does not exist, or is used in a way that is not defined
  // Of whole programs.
  kUseAfterFree = 15,
  kHostPointer = 16,     ///< a kernel was given the address of host memory
  kUncheckedError = 17,  ///< a call failed, and the program never looked
  kInvalidLaunch = 18,   ///< sizes that no GPU takes
  kLeak = 19,            ///< memory that was never freed
  kMissingSync = 20,     ///< the host uses what a kernel has written, and has not waited for it
  kDevicePointer = 21,   ///< the host reads or writes memory that a GPU alone reaches
  // Of kernels again.
  kUnwaitedCopy = 30,   ///< memory is used that a copy, cp.async say, is still under way to or from
  kClusterRace = 31,    ///< in shared memory, between blocks of a cluster
  kForbiddenCure = 32,  ///< what the lab's task rules out, such as padding
  // Remarks.
  kStaleRead = 101,  ///< a plain read of what others change by atomics alone, which may be old
  kSameValue = 102,  ///< lanes of one instruction store the same value to one element
};

enum class Severity : std::uint8_t {
  kMistake,
  kRemark,  ///< worth a sentence: no status, exit code, grade or check depends on it
};
[[nodiscard]] constexpr Severity severity_of(FindingKind kind) {
  return static_cast<std::uint8_t>(kind) > 100 ? Severity::kRemark : Severity::kMistake;
}

/// out_of_bounds, misaligned, ...
[[nodiscard]] std::string_view name_of(FindingKind kind);

/// What is behind a finding, where its kind does not say what cures it.
enum class FindingCause : std::uint8_t {
  kNone,
  kNeverEnds,     ///< no path leads out of the loop
  kLanesOutside,  ///< a shuffle reads lanes that do not execute it
  kOverlap,       ///< two arrays of shared memory lie on one another
  kWrapped,       ///< the index does not fit the 32 bits that it is computed in
  kLostUpdate,    ///< one statement reads and writes one element in several threads
  kUnfenced,      ///< an atomic tells another block of a write that no fence has published
};
/// As in messages, documents and the database.
template <>
inline constexpr auto kWordsOf<FindingCause> = std::to_array<std::string_view>(
    {"none", "never_ends", "lanes_outside", "overlap", "wrapped", "lost_update", "unfenced"});
[[nodiscard]] constexpr std::string_view name_of(FindingCause cause) { return word_of(cause); }

struct Finding {
  FindingKind kind = FindingKind::kOutOfBounds;
  std::string message;  ///< a sentence for a person, with address, block and thread
  std::string kernel;
  std::string file;
  int line = 0;             ///< of the source; 0 where the kernel has no line information
  std::string source = {};  ///< that line's text, trimmed
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  std::uint64_t address = 0;
  std::uint64_t count = 1;  ///< how often it was seen; the first is described
  FindingCause cause = FindingCause::kNone;
  // Of an access to a buffer or a variable: where in it, in elements of its own type, or where that
  // is not known, of the access's.
  AccessOp op = AccessOp::kLoad;
  /// The memory that an access reaches; kGeneric where the finding is not about an access.
  Space space = Space::kGeneric;
  std::string array = {};  ///< empty: none is near
  std::int64_t element = 0;
  std::int64_t last_element = 0;  ///< that the access reaches
  std::uint64_t elements = 0;     ///< that it has
  // The other access of a race or a copy. The line is 0 where there is none, or where only its line
  // in the PTX is known.
  std::string other_file = {};
  int other_line = 0;
  std::string other_source = {};  ///< that line's text, trimmed

  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace lab
