// Advice on changing a kernel, made from its counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/screen.h"
#include "metrics/kernel_time.h"
#include "metrics/machine.h"

namespace lab::metrics {

/// How well a gain is known.
enum class Known : std::uint8_t {
  kExpected,  ///< the rates of what sets the time were measured
  kAtMost,    ///< L1 sets the time by looking up lines of global memory, whose rate was not
  kMeasured,  ///< at most, of the measured time: by what it has above the time that is expected
              ///< after the cure. Another resource sets the expected time, or it would be kAtMost
  kUnknown,   ///< no rate is known of what the cure saves
};
/// expected, at most, at most of measured, unknown.
[[nodiscard]] std::string_view name_of(Known known);

/// Which condition holds. The words are stable: scripts read them.
enum class AdviceRule : std::uint8_t {
  kSharedConflicts,
  kStrided,
  kStructures,
  kMisaligned,
  kScattered,
  kSameAddress,
  kPartialWarps,
  kLocalMemory,
  kBlockShape,           ///< blocks narrower than a warp, of which a warp is several rows
  kVectors,              ///< neighbours that one wide access could take
  kNarrow,               ///< less than four bytes per lane
  kReuse,                ///< asked for again and again, and never kept in shared memory
  kReloads,              ///< the same element in every round of a loop
  kAccumulates,          ///< a sum in global memory in a loop
  kConstantLanes,        ///< constants that differ from lane to lane
  kDoubleArithmetic,     ///< of floats
  kIdleThreads,          ///< that do nothing in the whole kernel
  kUnwritten,            ///< outputs that no thread is there for
  kReturnBeforeBarrier,  ///< threads that have exited when others reach a barrier
  kLock,                 ///< threads that wait for each other at a lock
  kHistogram,            ///< all blocks add to a few words of global memory that data choose
  kPerBlock,             ///< an addition per warp, where one per block would do
  kPrivateTile,          ///< shared memory in which each thread reads what it wrote itself
  kTileReloads,          ///< elements that are loaded though the block has them in shared memory
  kNeedlessBarriers,     ///< barriers with no write on either side
};
[[nodiscard]] std::string_view name_of(AdviceRule rule);

/// The unit in which a cure saves.
enum class Saving : std::uint8_t {
  kNone,  ///< the rule knows no number
  kWavefronts,
  kSectors,
  kAdditions,
  kLanes,
  kLocalRequests,
  kRequests,
  kThreads,
  kConstantReads,
  kDoubleInstructions,
  kBarriers,  ///< of blocks
};
[[nodiscard]] std::string_view name_of(Saving unit);

/// What stands behind the number of a cure.
enum class Proof : std::uint8_t {
  kCounted,  ///< it follows from counts per machine instruction
  kTried,  ///< it was counted in a trial on the kernel's accesses, or in a run of the cured kernel
  kGuessed,  ///< nothing: it ranks the advice, and nobody is told it
};

[[nodiscard]] std::string_view name_of(Proof proof);

/// One thing to change. Texts are sentences that do not name the line.
struct Advice {
  AdviceRule rule = AdviceRule::kSharedConflicts;
  std::string file;            ///< empty: of the kernel as a whole
  int line = 0;                ///< 0: of the kernel as a whole
  std::vector<int> also = {};  ///< other lines that the same cure is for; their savings are added
  std::string finding;         ///< `32 lanes want 32 words of bank 0, at a stride of 32 words`
  std::string cure;
  /// How much the cure saves, and of how much of this kind that the kernel does, in `unit`.
  double saved = 0;
  double total = 0;
  Saving unit = Saving::kNone;
  AccessOp op = AccessOp::kLoad;   ///< of sectors
  Space memory = Space::kGeneric;  ///< of additions that go to one word before the cure
  /// Of the expected time on the machine (advice_gain.h), 0 to 1; of the measured one where `known`
  /// says so. 0: something else sets that time, or `known` says that nobody can tell.
  double gain = 0;
  Known known = Known::kUnknown;
  /// The expected time of a launch as it is, and once the advice was taken; 0: not known, or of a
  /// launch so small that its own time says nothing.
  double before_ns = 0;
  double after_ns = 0;
  Proof proof = Proof::kCounted;
  /// Of a guess: what it would save at most, for whoever tries the cure.
  double at_most = 0;
  bool hinted = false;         ///< the cure is a lab's to be found: it names the command for a hint
  bool only_for_time = false;  ///< not told where it saves no time that anyone would notice
  bool hidden = false;         ///< the expected time stays: another part of the chip sets it
  std::optional<TimeTerm> bound = {};  ///< what sets the expected time; empty: not known
  bool of_many = false;  ///< that time is of many such launches in one: this one is too small
};

/// What a search over the layouts of an array in shared memory came to: each was tried on the
/// kernel's own accesses.
struct LayoutCure {
  std::vector<int> lines = {};  ///< that access the array with conflicts, the costliest first
  std::string change = {};      ///< what to write, in sentences; empty: no layout helps
  double before = 0;            ///< wavefronts of all accesses that were looked at
  double after = 0;
  std::uint64_t blocks = 0;  ///< whose accesses were looked at; 0: all of the launch
  bool complete = true;      ///< all accesses of these blocks were
  /// The source with the change, where that names elements anew in a way that a text can be given:
  /// to be run, since the compiler may no longer see which of them are the same.
  std::string text = {};
};

/// What was tried on the accesses of a case.
struct Trials {
  /// The command for a hint, where the layout is what the kernel's lab asks for: then no code that
  /// has it is shown.
  std::string hint = {};
  bool layouts_known = false;  ///< they were searched for, and all that was found is here
  std::vector<LayoutCure> layouts = {};
};

/// Whether another layout of an array can be the cure: `lab fix` searches for it.
[[nodiscard]] bool is_of_layout(const Advice& advice);

struct Diagnosis {
  std::vector<Advice> advice;
  /// The time that gains are of (advice_gain.h); empty: not known.
  std::optional<KernelTime> expected;
};

/// At most three, the greatest gain first; empty: nothing to gain that a rule here knows. Each
/// stands for a condition that holds in the model's counts by line (`lines`), and is worded after
/// the addresses of one warp (`accesses`). The rules are the table in advice.cpp. `machine` is the
/// GPU of the record's measured time, where it has one. No cure is `forbidden`. What no trial
/// and no count of machine instructions proves has no number.
[[nodiscard]] Diagnosis diagnose(const CaseRecord& record, const Machine& machine,
                                 Forbidden forbidden = Forbidden::kNothing,
                                 const Trials& trials = {});
[[nodiscard]] std::vector<Advice> advise(const CaseRecord& record, const Machine& machine,
                                         Forbidden forbidden = Forbidden::kNothing);

/// A block that is a warp wide and has as many threads, in place of a narrower one; empty: the
/// launch has no such block with whole blocks of the other shape.
[[nodiscard]] std::optional<Launch> widened(const Launch& launch);

/// Whether a block of another shape can be the cure.
[[nodiscard]] bool is_of_shape(const Advice& advice);

/// Gives advice on a block's shape the numbers of `wider`, the case as it ran in blocks of
/// widened(), where these are less.
void try_wider_block(const CaseRecord& record, const CaseRecord& wider, const Machine& machine,
                     Diagnosis& found);

/// Takes the exchange of threadIdx.x and threadIdx.y for the first advice of its kind in `found`
/// where `exchanged`, the case as it runs so, has fewer sectors and no more wavefronts: its numbers
/// are the cured kernel's own.
void try_exchange(const CaseRecord& record, const CaseRecord& exchanged, const Machine& machine,
                  Diagnosis& found);

/// Whether a line with a good part of the kernel's accesses has none among the record's, since the
/// warp that was looked at does not come there: diagnose() knows its counts alone.
[[nodiscard]] bool lacks_accesses(const CaseRecord& record);

/// The text after `Saves 31 of 32 wavefronts`: `, 91 % of the expected time`, or why there is no
/// such number; empty where `unit` says enough.
[[nodiscard]] std::string gain_text(const Advice& advice);

}  // namespace lab::metrics

namespace lab {

template <>
inline constexpr auto kWordsOf<metrics::AdviceRule> =
    std::to_array<std::string_view>({"shared_conflicts",
                                     "strided",
                                     "structures",
                                     "misaligned",
                                     "scattered",
                                     "same_address",
                                     "partial_warps",
                                     "local_memory",
                                     "block_shape",
                                     "vectors",
                                     "narrow",
                                     "reuse",
                                     "reloads",
                                     "accumulates_in_memory",
                                     "constant_lanes",
                                     "double_arithmetic",
                                     "idle_threads",
                                     "unwritten",
                                     "return_before_barrier",
                                     "lock",
                                     "histogram",
                                     "per_block",
                                     "private_tile",
                                     "tile_reloads",
                                     "needless_waits"});
template <>
inline constexpr auto kWordsOf<metrics::Proof> = std::to_array<std::string_view>({"counted",
                                                                                  "tried", "none"});
template <>
inline constexpr auto kWordsOf<metrics::Saving> = std::to_array<std::string_view>(
    {"", "wavefronts", "sectors", "additions", "lanes", "local requests", "requests", "threads",
     "constant reads", "double instructions", "barriers"});

}  // namespace lab
