// Why a value is not there: absence is a reason, never a zero.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/core/words.h"

namespace lab {

/// Stored by its word.
enum class NoValue : std::uint8_t {
  kUnknown,  ///< nobody said; also a word of a file that this version does not know
  // Of one counter, or of all of a GPU's.
  kUnsupported,       ///< no GPU of this chip has the counter
  kNoPermission,      ///< the driver lets administrators alone count
  kMig,               ///< a MIG instance does not have it
  kVirtualGpu,        ///< a vGPU does not have it
  kWithheld,          ///< the chip has it, this GPU does not give it, and does not say why
  kCountersHeld,      ///< another profiler counts
  kProfilerAttached,  ///< another profiler is in this process
  kWsl,
  kConfidential,
  kCmp,
  kSli,
  kUnknownChip,
  kNoNvperf,
  kUnsupportedGpu,
  kCounterError,  ///< CUPTI failed: nothing is known of the counter
  kTurnedOff,     ///< nobody wanted counters
  kLostRanges,    ///< its pass was void
  kNotCollected,
  kNoValue,  ///< a quotient of zeros, or no finite number
  // Of the model.
  kSampled,      ///< only a sample of the blocks ran
  kNotCounted,   ///< a part of the kernel's accesses is not
  kNotModelled,  ///< its rule is not known
  // Of derived values.
  kDifferentPasses,
  kPassesUnknown,
  kNoAccess,  ///< the divisor is zero
  // Of Nsight Compute's reports.
  kNotAvailable,
  kNotANumber,
  kWrongUnit,
  kUnknownUnit,
  kRounded,
  kSeveralLaunches,
};
template <>
inline constexpr auto kWordsOf<NoValue> = std::to_array<std::string_view>({"unknown",
                                                                           "unsupported",
                                                                           "no_permission",
                                                                           "mig",
                                                                           "virtual_gpu",
                                                                           "withheld",
                                                                           "counters_held",
                                                                           "profiler_attached",
                                                                           "wsl",
                                                                           "confidential",
                                                                           "cmp",
                                                                           "sli",
                                                                           "unknown_chip",
                                                                           "no_nvperf",
                                                                           "unsupported_gpu",
                                                                           "counter_error",
                                                                           "turned_off",
                                                                           "lost_ranges",
                                                                           "not_collected",
                                                                           "no_value",
                                                                           "sampled",
                                                                           "not_counted",
                                                                           "not_modelled",
                                                                           "different_passes",
                                                                           "passes_unknown",
                                                                           "no_access",
                                                                           "not_available",
                                                                           "not_a_number",
                                                                           "wrong_unit",
                                                                           "unknown_unit",
                                                                           "rounded",
                                                                           "several_launches"});
static_assert(word_of(NoValue::kSeveralLaunches) == "several_launches");
static_assert(word_of(NoValue::kNoValue) == "no_value");

/// Why there is no value; `detail` is for a person.
struct Missing {
  NoValue reason = NoValue::kUnknown;
  std::string detail = {};
  /// The sentence for a person, else the word.
  [[nodiscard]] std::string text() const {
    return detail.empty() ? std::string(word_of(reason)) : detail;
  }
  friend bool operator==(const Missing&, const Missing&) = default;
};

}  // namespace lab
