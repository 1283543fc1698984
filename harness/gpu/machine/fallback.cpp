#include "harness/gpu/machine/fallback.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "harness/gpu/cupti/cupti_api.h"

namespace lab::gpu {

namespace {

struct ReasonRow {
  CUptiResult code;
  const char* reason;
};

constexpr std::array kReasons = {
    ReasonRow{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "no_permission"},
    ReasonRow{CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, "no_permission"},
    ReasonRow{CUPTI_ERROR_HARDWARE_BUSY, "counters_held"},
    ReasonRow{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "profiler_attached"},
    ReasonRow{CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "virtual_gpu"},
    ReasonRow{CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "mig"},
    ReasonRow{CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, "wsl"},
    ReasonRow{CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, "confidential"},
    ReasonRow{CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "cmp"},
    ReasonRow{CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "sli"},
    ReasonRow{CUPTI_ERROR_INVALID_CHIP_NAME, "unknown_chip"},
    ReasonRow{CUPTI_ERROR_NOT_INITIALIZED, "no_nvperf"},
    ReasonRow{CUPTI_ERROR_NOT_SUPPORTED, "unsupported_gpu"},
    ReasonRow{CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, "unsupported_gpu"},
};

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

const char* reason_word(CUptiResult code) {
  for (const ReasonRow& row : kReasons) {
    if (row.code == code) return row.reason;
  }
  return "counter_error";
}

}  // namespace

Missing missing_with_advice(const std::string& reason, const std::string& detail,
                            const std::string& advice) {
  return {reason, advice.empty() ? detail : fmt::format("{}; {}", detail, advice)};
}

Missing missing_counters(CUptiResult code, const std::string& message) {
  return missing_with_advice(reason_word(code), message, advice(code));
}

Missing missing_counters(const CuptiError& error) {
  return missing_with_advice(reason_word(error.code()), error.what(), error.hint());
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
  return Missing{"unsupported_gpu", "CUPTI does not profile this GPU and does not say why"};
}

std::optional<Missing> attached_profiler() {
  for (const char* name : kInjections) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return missing_with_advice("profiler_attached", fmt::format("{} is set", name),
                               advice(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED));
  }
  return {};
}

}  // namespace lab::gpu
