#include "harness/gpu/driver/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace lab::gpu {

namespace {

constexpr const char* kLibrary = "libcuda.so.1";

struct CodeAdvice {
  CUresult code;
  bool loses_context;
  const char* text;
};

// Codes of cuda.h that a kernel or a machine can bring about.
constexpr std::array kCodes = {
    CodeAdvice{CUDA_ERROR_ILLEGAL_ADDRESS, true,
               "the kernel read or wrote outside its buffers; `--backend model` names the line"},
    CodeAdvice{CUDA_ERROR_MISALIGNED_ADDRESS, true,
               "a wide access is not aligned to its width; `--backend model` names the line"},
    CodeAdvice{CUDA_ERROR_LAUNCH_TIMEOUT, true, "the kernel ran longer than the display allows"},
    CodeAdvice{CUDA_ERROR_ASSERT, true, "an assert in the kernel failed"},
    CodeAdvice{CUDA_ERROR_ILLEGAL_INSTRUCTION, true, "the kernel reached a trap"},
    CodeAdvice{CUDA_ERROR_HARDWARE_STACK_ERROR, true, "the kernel's calls nest too deep"},
    CodeAdvice{CUDA_ERROR_INVALID_ADDRESS_SPACE, true, ""},
    CodeAdvice{CUDA_ERROR_INVALID_PC, true, ""},
    CodeAdvice{CUDA_ERROR_LAUNCH_FAILED, true,
               "the kernel ended with a fault; `--backend model` may name the line"},
    CodeAdvice{CUDA_ERROR_ECC_UNCORRECTABLE, true, "the GPU's memory failed"},
    CodeAdvice{CUDA_ERROR_CONTEXT_IS_DESTROYED, true, ""},
    CodeAdvice{CUDA_ERROR_OUT_OF_MEMORY, false,
               "the case needs more memory than the GPU has free: take a smaller size"},
    CodeAdvice{CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, false,
               "a block of this kernel needs more registers or threads than an SM has: use "
               "smaller blocks"},
    CodeAdvice{CUDA_ERROR_INVALID_VALUE, false,
               "the launch asks for more threads, blocks or shared memory than the GPU allows"},
    CodeAdvice{CUDA_ERROR_NO_DEVICE, false,
               "the driver is there and sees no GPU: see `nvidia-smi -L` and "
               "CUDA_VISIBLE_DEVICES"},
    CodeAdvice{CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, false,
               "the kernel module and libcuda differ in version: reboot after a driver update"},
    CodeAdvice{CUDA_ERROR_NO_BINARY_FOR_GPU, false,
               "the kernel was compiled for another architecture"},
};

const CodeAdvice* find_code(CUresult code) {
  const auto row = std::find_if(kCodes.begin(), kCodes.end(),
                                [code](const CodeAdvice& entry) { return entry.code == code; });
  return row == kCodes.end() ? nullptr : &*row;
}

Handle<void*> open_library() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* said = dlerror();
    throw machine_error(
        fmt::format("no GPU: looked for {}: {}", kLibrary, said == nullptr ? "not found" : said),
        no_driver_advice(driver_traces()));
  }
  return {library, [](void* open) { dlclose(open); }};
}

PFN_cuGetProcAddress_v12000 find_get_proc_address(void* library) {
  // dlsym returns a void*, which POSIX allows to be converted to a pointer to a function.
  auto get = reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(library, "cuGetProcAddress_v2"));
  if (get == nullptr) {
    throw machine_error(fmt::format("no GPU: {} is older than CUDA 12", kLibrary),
                        "install NVIDIA driver 580 or newer");
  }
  return get;
}

template <typename Function>
void bind(PFN_cuGetProcAddress_v12000 get, const char* name, int version, Function& slot) {
  void* found = nullptr;
  CUdriverProcAddressQueryResult status{};
  const CUresult code = get(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT, &status);
  if (code != CUDA_SUCCESS || found == nullptr) {
    throw machine_error(fmt::format("no GPU: the driver lacks {} of CUDA {}.{}", name,
                                    version / 1000, version % 1000 / 10),
                        "install NVIDIA driver 580 or newer");
  }
  slot = reinterpret_cast<Function>(found);
}

DriverApi bind_all(void* library) {
  const PFN_cuGetProcAddress_v12000 get = find_get_proc_address(library);
  DriverApi api;
#define LAB_DRIVER_BIND(name, version) bind(get, "cu" #name, version, api.name);
  LAB_DRIVER_FUNCTIONS(LAB_DRIVER_BIND)
#undef LAB_DRIVER_BIND
  return api;
}

}  // namespace

bool loses_context(CUresult code) {
  const CodeAdvice* row = find_code(code);
  return row != nullptr && row->loses_context;
}

std::string advice(CUresult code) {
  const CodeAdvice* row = find_code(code);
  return row == nullptr ? "" : row->text;
}

DriverTraces driver_traces() {
  const auto exists = [](const char* path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
  };
  return {exists("/dev/nvidia0"), exists("/proc/driver/nvidia/version"), exists("/dev/dxg")};
}

std::string no_driver_advice(const DriverTraces& traces) {
  if (traces.wsl) {
    return "Windows Subsystem for Linux: /usr/lib/wsl/lib must be on the library path, and the "
           "Windows driver be 525 or newer";
  }
  if (traces.device_node || traces.kernel_module) {
    return "the kernel module is loaded and the driver's library is not found: in a container, "
           "start it with --gpus all; else install the package with libcuda";
  }
  return "this machine has no NVIDIA driver; the model needs none: --backend model";
}

std::shared_ptr<const Driver> Driver::load() {
  std::shared_ptr<Driver> driver(new Driver());
  driver->library_ = open_library();
  driver->api_ = bind_all(driver->library_.get());
  const DriverApi& api = driver->api_;
  const CUresult started = api.Init(0);
  if (started != CUDA_SUCCESS) {
    const std::string hint = gpu::advice(started);
    throw machine_error(
        fmt::format("no GPU: {} is there, cuInit gave {}", kLibrary, driver->name_of(started)),
        hint.empty() ? no_driver_advice(driver_traces()) : hint);
  }
  driver->check(api.DriverGetVersion(&driver->cuda_version_), "cuDriverGetVersion");
  driver->check(api.DeviceGetCount(&driver->device_count_), "cuDeviceGetCount");
  if (driver->device_count_ == 0) {
    throw machine_error("no GPU: the driver counts none", gpu::advice(CUDA_ERROR_NO_DEVICE));
  }
  spdlog::debug("driver: CUDA {}, {} GPUs", driver->cuda_version_, driver->device_count_);
  return driver;
}

std::string Driver::name_of(CUresult code) const {
  const char* text = nullptr;
  if (api_.GetErrorName(code, &text) == CUDA_SUCCESS && text != nullptr) return text;
  return fmt::format("CUDA error {}", static_cast<int>(code));
}

void Driver::check(CUresult code, std::string_view function, std::string_view object) const {
  if (code == CUDA_SUCCESS) {
    spdlog::trace("{} {}", function, object);
    return;
  }
  const std::string what = object.empty() ? "" : fmt::format(" for {}", object);
  const std::string message =
      fmt::format("{}{} gave {} ({})", function, what, name_of(code), static_cast<int>(code));
  spdlog::debug("{}", message);
  throw DriverError(code, message, gpu::advice(code));
}

void Driver::log_failed(CUresult code, std::string_view function) const {
  if (code != CUDA_SUCCESS) spdlog::debug("{} gave {}", function, name_of(code));
}

}  // namespace lab::gpu
