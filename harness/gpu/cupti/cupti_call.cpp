#include "harness/gpu/cupti/cupti_call.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>

#include "harness/gpu/cupti/cupti_api.h"

namespace lab::gpu {

namespace {

struct Advice {
  CUptiResult code;
  const char* text;
};

// Codes of cupti_result.h that a person can do something about.
constexpr std::array kAdvice = {
    Advice{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
           "NVIDIA's tools call this ERR_NVGPUCTRPERM: run as root, start a container with "
           "--cap-add=SYS_ADMIN, or let every user read counters: put `options nvidia "
           "NVreg_RestrictProfilingToAdminUsers=0` into /etc/modprobe.d/nvidia.conf and reboot"},
    Advice{CUPTI_ERROR_HARDWARE_BUSY,
           "another profiler holds the counters: stop ncu or Nsight, or `dcgmi profile --pause`"},
    Advice{CUPTI_ERROR_NOT_INITIALIZED,
           "CUPTI found no libnvperf_host or libnvperf_target: LD_LIBRARY_PATH must name the "
           "toolkit's lib64 and extras/CUPTI/lib64 before the worker starts"},
    Advice{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
           "a profiler is attached to this process: leave it out, or run with --no-counters"},
    Advice{CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED,
           "this virtual GPU has no counters: use a passed-through one"},
    Advice{CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
           "let the host enable profiling for this virtual machine's vGPU"},
    Advice{CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
           "counters cannot be read in confidential computing mode"},
    Advice{CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "mining processors have no counters"},
    Advice{CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED,
           "this MIG instance has no counters of its own: use a whole compute instance"},
    Advice{CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "turn SLI off"},
    Advice{CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED,
           "on Windows, allow GPU performance counters in the NVIDIA control panel, with driver "
           "525 or newer"},
    Advice{CUPTI_ERROR_INVALID_CHIP_NAME,
           "this CUPTI does not know the chip: install a newer CUDA toolkit"},
};

}  // namespace

std::string result_name(CUptiResult code) {
  const char* text = nullptr;
  if (cupti().GetResultString(code, &text) == CUPTI_SUCCESS && text != nullptr) return text;
  return fmt::format("CUPTI error {}", static_cast<int>(code));
}

std::string advice(CUptiResult code) {
  for (const Advice& entry : kAdvice) {
    if (entry.code == code) return entry.text;
  }
  return {};
}

void log_cupti_call(std::string_view function, std::string_view object) {
  spdlog::trace("{} {}", function, object);
}

void check(CUptiResult code, std::string_view function, std::string_view object) {
  if (code == CUPTI_SUCCESS) return;
  const std::string what = object.empty() ? "" : fmt::format(" for {}", object);
  const std::string message =
      fmt::format("{}{} gave {} ({})", function, what, result_name(code), static_cast<int>(code));
  spdlog::debug("{}", message);
  throw CuptiError(code, message, advice(code));
}

}  // namespace lab::gpu
