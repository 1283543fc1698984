#include "harness/gpu/machine/fallback.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "harness/gpu/cupti/cupti_api.h"

namespace lab::gpu {

namespace {

struct SupportRow {
  CUpti_Profiler_Support_Level ProfilerSupport::*field;
  CUptiResult code;  // the same obstacle, as a call would report it
  const char* text;
};

constexpr std::array kSupport = {
    SupportRow{&ProfilerSupport::architecture, CUPTI_ERROR_NOT_SUPPORTED,
               "CUPTI 13 profiles compute capability 7.5 and newer"},
    SupportRow{&ProfilerSupport::virtual_gpu, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED,
               "a vGPU on which profiling is off"},
    SupportRow{&ProfilerSupport::confidential, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
               "confidential computing is on"},
    SupportRow{&ProfilerSupport::cmp, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "a mining processor"},
    SupportRow{&ProfilerSupport::sli, CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "SLI is on"},
    SupportRow{&ProfilerSupport::wsl, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED,
               "Windows Subsystem for Linux without counters"},
};

// Nsight Compute, Nsight Systems and compute-sanitizer inject themselves through these.
constexpr std::array kInjections = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH",
                                    "NV_COMPUTE_PROFILER_PERFWORKS_DIR", "NV_TPS_LAUNCH_TOKEN",
                                    "NV_SANITIZER_INJECTION_PORT_BASE"};

bool denies(CUpti_Profiler_Support_Level level) {
  return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
         level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
}

}  // namespace

Missing missing_with_advice(NoValue reason, const std::string& detail, const std::string& advice) {
  return {reason, advice.empty() ? detail : fmt::format("{}; {}", detail, advice)};
}

Missing missing_counters(CUptiResult code, const std::string& message) {
  return missing_with_advice(cause_of(code), message, advice(code));
}

Missing missing_counters(const CuptiError& error) {
  return missing_with_advice(cause_of(error.code()), error.what(), error.hint());
}

Missing missing_counter(NoValue cause, const std::string& chip, const std::string& counter) {
  switch (cause) {
    case NoValue::kUnsupported:
      return {cause, fmt::format("{} has no counter {}", chip, counter)};
    case NoValue::kMig:
      return missing_with_advice(
          cause, fmt::format("{} has the counter {}, this MIG instance does not", chip, counter),
          advice(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED));
    case NoValue::kVirtualGpu:
      return missing_with_advice(
          cause, fmt::format("{} has the counter {}, this vGPU does not", chip, counter),
          advice(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED));
    case NoValue::kWithheld:
      return missing_with_advice(
          cause,
          fmt::format("{} has the counter {}, this GPU does not let it be read here", chip,
                      counter),
          advice(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES));
    default:  // what takes away one counter takes all of them
      return {cause, fmt::format("no counter can be read: {}", counter)};
  }
}

ProfilerSupport profiler_support(CUdevice device, CUpti_Profiler_API api) {
  auto params = sized<CUpti_Profiler_DeviceSupported_Params>(
      CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
  params.cuDevice = device;
  params.api = api;
  call("cuptiProfilerDeviceSupported", cupti().ProfilerDeviceSupported, &params);
  return {params.isSupported,         params.architecture, params.sli, params.vGpu,
          params.confidentialCompute, params.cmp,          params.wsl};
}

std::optional<Missing> unsupported(const ProfilerSupport& support) {
  if (!denies(support.overall)) return {};
  for (const SupportRow& row : kSupport) {
    if (denies(support.*row.field)) return missing_counters(row.code, row.text);
  }
  return Missing{NoValue::kUnsupportedGpu, "CUPTI does not profile this GPU and does not say why"};
}

std::optional<Missing> attached_profiler() {
  for (const char* name : kInjections) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return missing_with_advice(NoValue::kProfilerAttached, fmt::format("{} is set", name),
                               advice(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED));
  }
  return {};
}

}  // namespace lab::gpu
