#include "harness/gpu/cupti/cause.h"

#include <array>

namespace lab::gpu {

namespace {

struct CodeRow {
  CUptiResult code;
  Cause cause;
};

constexpr std::array kCodes = {
    CodeRow{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, Cause::kNoPermission},
    CodeRow{CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, Cause::kNoPermission},
    CodeRow{CUPTI_ERROR_HARDWARE_BUSY, Cause::kCountersHeld},
    CodeRow{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, Cause::kProfilerAttached},
    CodeRow{CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, Cause::kVirtualGpu},
    CodeRow{CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, Cause::kMig},
    CodeRow{CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, Cause::kWsl},
    CodeRow{CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, Cause::kConfidential},
    CodeRow{CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, Cause::kCmp},
    CodeRow{CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, Cause::kSli},
    CodeRow{CUPTI_ERROR_INVALID_CHIP_NAME, Cause::kUnknownChip},
    CodeRow{CUPTI_ERROR_NOT_INITIALIZED, Cause::kNoNvperf},
    CodeRow{CUPTI_ERROR_NOT_SUPPORTED, Cause::kUnsupportedGpu},
    CodeRow{CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, Cause::kUnsupportedGpu},
};

// By the enumerator.
constexpr std::array<std::string_view, 15> kWords = {
    "unsupported",   "no_permission",     "mig",       "virtual_gpu",     "withheld",
    "counters_held", "profiler_attached", "wsl",       "confidential",    "cmp",
    "sli",           "unknown_chip",      "no_nvperf", "unsupported_gpu", "counter_error"};
static_assert(kWords.size() == static_cast<std::size_t>(Cause::kCounterError) + 1);

}  // namespace

std::string_view word_of(Cause cause) { return kWords[static_cast<std::size_t>(cause)]; }

Cause cause_of(CUptiResult code) {
  for (const CodeRow& row : kCodes) {
    if (row.code == code) return row.cause;
  }
  return Cause::kCounterError;
}

Answer answer_of(CUptiResult code, std::string_view metric) {
  const bool no_roll_up = metric.find('.') == std::string_view::npos;
  switch (code) {
    case CUPTI_SUCCESS:
      return Answer::kHas;
    case CUPTI_ERROR_INVALID_PARAMETER:
    case CUPTI_ERROR_INVALID_METRIC_NAME:
      return Answer::kLacks;
    case CUPTI_ERROR_UNKNOWN:
      return no_roll_up ? Answer::kLacks : Answer::kNone;
    default:
      return Answer::kNone;
  }
}

Cause withheld_by(const Partition& partition) {
  if (partition.mig.value_or(false)) return Cause::kMig;
  return partition.virtual_gpu.value_or(false) ? Cause::kVirtualGpu : Cause::kWithheld;
}

std::optional<Cause> cause_of(std::string_view metric, const Tried& tried) {
  const Answer here = answer_of(tried.here, metric);
  if (here == Answer::kHas) return {};
  if (here == Answer::kNone) return cause_of(tried.here);
  const Answer in_general = answer_of(tried.in_general, metric);
  if (in_general == Answer::kLacks) return Cause::kChipLacks;
  return in_general == Answer::kHas ? Cause::kWithheld : cause_of(tried.in_general);
}

}  // namespace lab::gpu
