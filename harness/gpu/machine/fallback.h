// Why a GPU's counters cannot be read, as reasons that a record keeps and a person can act on.
#pragma once

#include <cupti_profiler_target.h>
#include <cupti_result.h>

#include <optional>
#include <string>

#include "harness/core/record.h"
#include "harness/gpu/cupti/cause.h"
#include "harness/gpu/cupti/cupti_call.h"
#include "harness/gpu/machine/facts.h"

namespace lab::gpu {

/// All counters are missing.
[[nodiscard]] Missing missing_counters(CUptiResult code, const std::string& message);
[[nodiscard]] Missing missing_counters(const CuptiError& error);

/// One counter is missing, the others are not.
[[nodiscard]] Missing missing_counter(NoValue cause, const std::string& chip,
                                      const std::string& counter);

/// CUPTI's answer whether this device can be profiled, field by field.
struct ProfilerSupport {
  CUpti_Profiler_Support_Level overall = CUPTI_PROFILER_CONFIGURATION_UNKNOWN;
  CUpti_Profiler_Support_Level architecture = CUPTI_PROFILER_CONFIGURATION_UNKNOWN;
  CUpti_Profiler_Support_Level sli = CUPTI_PROFILER_CONFIGURATION_UNKNOWN;
  CUpti_Profiler_Support_Level virtual_gpu = CUPTI_PROFILER_CONFIGURATION_UNKNOWN;
  CUpti_Profiler_Support_Level confidential = CUPTI_PROFILER_CONFIGURATION_UNKNOWN;
  CUpti_Profiler_Support_Level cmp = CUPTI_PROFILER_CONFIGURATION_UNKNOWN;
  CUpti_Profiler_Support_Level wsl = CUPTI_PROFILER_CONFIGURATION_UNKNOWN;
};

/// Asks CUPTI about `api` on `device`. The driver must be running.
[[nodiscard]] ProfilerSupport profiler_support(CUdevice device, CUpti_Profiler_API api);

/// The reason why `support` says no; empty where it does not.
[[nodiscard]] std::optional<Missing> unsupported(const ProfilerSupport& support);

/// The environment variable by which a tool that profiles this process shows itself. CUPTI cannot
/// be used beside such a tool.
[[nodiscard]] std::optional<Missing> attached_profiler();

/// The reason in one text: `detail; advice`.
[[nodiscard]] Missing missing_with_advice(NoValue reason, const std::string& detail,
                                          const std::string& advice);

}  // namespace lab::gpu
