// Why a counter has no value on a GPU: decided by what CUPTI answered, and by nothing else.
#pragma once

#include <cupti_result.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/core/missing.h"

namespace lab::gpu {

/// The obstacle that a failed call names; kCounterError where it names none.
[[nodiscard]] NoValue cause_of(CUptiResult code);

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
[[nodiscard]] NoValue withheld_by(const Partition& partition);

/// Why `metric` cannot be counted; empty: it can. What is withheld, withheld_by() explains.
[[nodiscard]] std::optional<NoValue> cause_of(std::string_view metric, const Tried& tried);

}  // namespace lab::gpu
