// Why a counter has no value on a GPU: decided by what CUPTI answered, and by nothing else.
#pragma once

#include <cupti_result.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace lab::gpu {

enum class Cause : std::uint8_t {
  kChipLacks,         ///< no GPU of this chip has it
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
};

/// The stable word that a record keeps: unsupported, no_permission, mig, ...
[[nodiscard]] std::string_view word_of(Cause cause);

/// The obstacle that a failed call names; kCounterError where it names none.
[[nodiscard]] Cause cause_of(CUptiResult code);

/// CUPTI's answer when a counter's name is added to a list of its own.
enum class Answer : std::uint8_t {
  kHas,
  kLacks,
  kNone,  ///< the call failed for another reason, and may succeed next time
};

/// An unknown name is CUPTI_ERROR_INVALID_PARAMETER or _INVALID_METRIC_NAME. CUPTI_ERROR_UNKNOWN
/// answers for a name alone that cannot be right (one without its roll-up, such as .sum): CUPTI
/// gives it where its own work failed, too.
[[nodiscard]] Answer answer_of(CUptiResult code, std::string_view metric);

/// CUPTI's answers about a counter's name: for this very GPU and process, and for its chip in
/// general.
struct Tried {
  CUptiResult here = CUPTI_SUCCESS;
  CUptiResult in_general = CUPTI_SUCCESS;
};

/// Facts about a GPU that withholds a counter which its chip has. Empty: nobody said.
struct Partition {
  std::optional<bool> mig;
  std::optional<bool> virtual_gpu;
};

/// Who took what the chip has and the GPU does not.
[[nodiscard]] Cause withheld_by(const Partition& partition);

/// Why `metric` cannot be counted; empty: it can. What is withheld, withheld_by() explains.
[[nodiscard]] std::optional<Cause> cause_of(std::string_view metric, const Tried& tried);

}  // namespace lab::gpu
