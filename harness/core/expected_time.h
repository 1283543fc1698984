// The time that a case's launch is expected to take on a machine, and the part of the chip that
// sets it, or why it took longer. Made in metrics/ alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/words.h"

namespace lab {

/// What may take a launch's time. Stored by its word.
enum class TimeTerm : std::uint8_t {
  kStarts,       ///< one block after the other begins on an SM
  kLife,         ///< a block's warps issue instructions and wait for their results
  kDram,         ///< bytes from and to DRAM
  kL2Loads,      ///< sectors that L2 sends
  kL2Stores,     ///< sectors and lines that L2 takes
  kSameAddress,  ///< operations on one address, one after the other
  kAtomics,      ///< atomic operations that L2 does, on all addresses
  kFills,        ///< sectors that L1 takes from L2
  kTags,         ///< lines that L1 looks up
  kData,         ///< wavefronts of L1's data, of global and shared memory
  kIssue,        ///< instructions
  kFp64,
  kSpecial,  ///< special functions
  kLaunch,   ///< the launch itself, whatever the kernel
};
template <>
inline constexpr auto kWordsOf<TimeTerm> = std::to_array<std::string_view>(
    {"block starts", "latency", "DRAM", "L2 loads", "L2 stores", "one address", "L2 atomics",
     "L1 fills", "L1 tags", "L1 data", "instruction issue", "double precision", "special functions",
     "launch"});
[[nodiscard]] constexpr std::string_view name_of(TimeTerm term) { return word_of(term); }

/// Why a launch took longer than the least time of its counts. Stored by its word.
enum class TimeGap : std::uint8_t {
  kLaunch,         ///< most of it is the launch's own
  kFewBlocks,      ///< SMs without work
  kLatency,        ///< blocks are there for little longer than a load takes
  kAtomics,        ///< on one address
  kPartlyWritten,  ///< sectors that stores fill in part
  kSpread,         ///< requests of many sectors
  kFewWarps,       ///< occupancy
  kLastRound,      ///< of blocks, which fills a part of the GPU
  kUnknown,        ///< nothing that counts show
};
template <>
inline constexpr auto kWordsOf<TimeGap> =
    std::to_array<std::string_view>({"launch", "few blocks", "latency", "atomics", "partly written",
                                     "spread", "few warps", "last round", "unknown"});
[[nodiscard]] constexpr std::string_view name_of(TimeGap gap) { return word_of(gap); }

/// What a launch shows that the rules of time do not have. Stored by its word.
enum class TimeFlaw : std::uint8_t {
  kOneSector,  ///< all warps store to one sector
  kReload,     ///< loads of what the block has just stored
  kPieces,     ///< pieces of lines that lie far apart, from DRAM or L2
  kLeavesL1,   ///< more lines are in use than L1 keeps
  kFewWarps,   ///< two warps per scheduler
  kLastRound,  ///< in databases alone: the rules have it now
  kEvenParts,  ///< likewise
  kOneLine,    ///< likewise
};
template <>
inline constexpr auto kWordsOf<TimeFlaw> = std::to_array<std::string_view>(
    {"stores to one sector", "loads of stored data", "scattered pieces", "more lines than L1 keeps",
     "few warps", "partial last round", "even parts", "loads of one line"});
[[nodiscard]] constexpr std::string_view name_of(TimeFlaw flaw) { return word_of(flaw); }

struct ExpectedTime {
  std::optional<double> ns = {};      ///< empty: nothing is expected, `reason` says why
  std::optional<TimeTerm> sets = {};  ///< what takes most of it
  std::string reason = {};            ///< how it comes to that, with the case's own numbers
  std::string gpu = {};               ///< such as NVIDIA H200
  std::string origin = {};            ///< of its rates: `measured 2026-11-22`, `data sheet`
  bool calibrated = false;            ///< they were measured on that GPU
  /// Nine in ten of the launches whose time this term sets were off by no more than this part;
  /// empty: nobody held such launches against this GPU.
  std::optional<double> within = {};
  std::optional<TimeFlaw> off = {};  ///< what the case shows and the rules do not have, if any
  friend bool operator==(const ExpectedTime&, const ExpectedTime&) = default;
};

}  // namespace lab
