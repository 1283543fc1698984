#include "harness/gpu/cupti/cause.h"

#include <array>

namespace lab::gpu {

namespace {

struct CodeRow {
  CUptiResult code;
  NoValue cause;
};

constexpr std::array kCodes = {
    CodeRow{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, NoValue::kNoPermission},
    CodeRow{CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, NoValue::kNoPermission},
    CodeRow{CUPTI_ERROR_HARDWARE_BUSY, NoValue::kCountersHeld},
    CodeRow{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, NoValue::kProfilerAttached},
    CodeRow{CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, NoValue::kVirtualGpu},
    CodeRow{CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, NoValue::kMig},
    CodeRow{CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, NoValue::kWsl},
    CodeRow{CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, NoValue::kConfidential},
    CodeRow{CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, NoValue::kCmp},
    CodeRow{CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, NoValue::kSli},
    CodeRow{CUPTI_ERROR_INVALID_CHIP_NAME, NoValue::kUnknownChip},
    CodeRow{CUPTI_ERROR_NOT_INITIALIZED, NoValue::kNoNvperf},
    CodeRow{CUPTI_ERROR_NOT_SUPPORTED, NoValue::kUnsupportedGpu},
    CodeRow{CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, NoValue::kUnsupportedGpu},
};

}  // namespace

NoValue cause_of(CUptiResult code) {
  for (const CodeRow& row : kCodes) {
    if (row.code == code) return row.cause;
  }
  return NoValue::kCounterError;
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

NoValue withheld_by(const Partition& partition) {
  if (partition.mig.value_or(false)) return NoValue::kMig;
  return partition.virtual_gpu.value_or(false) ? NoValue::kVirtualGpu : NoValue::kWithheld;
}

std::optional<NoValue> cause_of(std::string_view metric, const Tried& tried) {
  const Answer here = answer_of(tried.here, metric);
  if (here == Answer::kHas) return {};
  if (here == Answer::kNone) return cause_of(tried.here);
  const Answer in_general = answer_of(tried.in_general, metric);
  if (in_general == Answer::kLacks) return NoValue::kUnsupported;
  return in_general == Answer::kHas ? NoValue::kWithheld : cause_of(tried.in_general);
}

}  // namespace lab::gpu
