#include "harness/run/engines.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "harness/core/chip.h"
#include "harness/core/error.h"
#include "harness/core/gpu_choice.h"
#include "harness/core/text.h"

namespace lab::run {

namespace fs = std::filesystem;

std::vector<std::string> gpu_devices() {
  std::vector<std::string> devices;
  std::error_code error;
  for (fs::directory_iterator it("/dev", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool numbered = name.size() > 6 && name.rfind("nvidia", 0) == 0 &&
                          std::isdigit(static_cast<unsigned char>(name[6])) != 0;
    if (numbered || name == "dxg") devices.push_back(it->path().string());
  }
  std::sort(devices.begin(), devices.end());
  return devices;
}

const std::vector<std::string>& backend_choices() {
  static const std::vector<std::string> kChoices = {"auto", "model", "gpu", "both"};
  return kChoices;
}

namespace {

// The build says so: there is one where it found the headers of a CUDA toolkit, but for first
// builds on machines without a driver.
constexpr bool kHasBackend = LAB_HAS_GPU_BACKEND != 0;
constexpr bool kLeftOut = LAB_GPU_LEFT_OUT != 0;

// At -vv the worker tells every call that it makes to the driver and to CUPTI.
std::string worker_log_level() {
  if (spdlog::should_log(spdlog::level::debug)) return "SPDLOG_LEVEL=trace";
  return spdlog::should_log(spdlog::level::info) ? "SPDLOG_LEVEL=info" : "SPDLOG_LEVEL=warn";
}

}  // namespace

bool gpu_backend_left_out() { return kLeftOut; }

Backends backends_of(const std::string& name) {
  const std::vector<std::string>& names = backend_choices();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw input_error(fmt::format("there is no backend '{}'", name), suggestion(name, names));
  }
  return static_cast<Backends>(found - names.begin());
}

bool uses_gpu(Backends choice) {
  return kHasBackend && choice != Backends::kModel && !gpu_devices().empty();
}

worker::ClientSettings worker_settings(BackendKind backend, const EngineSettings& settings) {
  worker::ClientSettings made;
  made.backend = backend;
  made.environment = {worker_log_level()};
  const auto tell = [&](const char* name, const std::string& value) {
    made.environment.push_back(fmt::format("{}={}", name, value));
  };
  if (settings.sandbox != Sandbox::kAsTold) {
    tell("LAB_SANDBOX", settings.sandbox == Sandbox::kOn ? "on" : "off");
  }
  if (!settings.gpu.empty()) tell(kGpuVariable, settings.gpu);
  if (settings.memory_bytes > 0) tell("LAB_MEMORY", fmt::format("{:.0f}", settings.memory_bytes));
  if (!settings.cache_folder.empty()) tell("XDG_CACHE_HOME", settings.cache_folder);
  made.log = [backend](std::string_view line) {
    spdlog::info("{} worker: {}", name_of(backend), line);
  };
  made.cancelled = settings.cancelled;
  return made;
}

EngineSet::EngineSet(const EngineSettings& settings) {
  const Backends choice = settings.backend;
  const bool wants_gpu = choice == Backends::kGpu || choice == Backends::kBoth;
  if (wants_gpu && gpu_devices().empty()) {
    throw machine_error(
        "there is no GPU on this machine: neither /dev/nvidia0 nor /dev/dxg (WSL) is there",
        "lab doctor says what this machine can do; --backend model needs no GPU");
  }
  if (wants_gpu && !kHasBackend) {
    throw machine_error("lab was built without its GPU backend",
                        kLeftOut ? "a first build leaves it out: tools/lab builds it, once"
                                 : "lab doctor says what it needs; --backend model needs no GPU");
  }
  if (choice != Backends::kGpu) model_.emplace(worker_settings(BackendKind::kModel, settings));
  if (uses_gpu(choice)) gpu_.emplace(worker_settings(BackendKind::kGpu, settings));
  for (std::optional<worker::Client>* client : {&model_, &gpu_}) {
    if (*client) (*client)->start();
  }
}

Engines EngineSet::engines() { return {model_ ? &*model_ : nullptr, gpu_ ? &*gpu_ : nullptr}; }

std::string EngineSet::name() const {
  if (model_ && gpu_) return "model+gpu";
  return model_ ? "model" : "gpu";
}

const worker::Environment& EngineSet::environment() {
  if (environment_.values.empty()) {
    environment_ = (gpu_ ? *gpu_ : *model_).environment({gpu_.has_value(), false});
    // Databases travel; the paths of this machine, and advice about it, stay here.
    for (const char* key :
         {"kernel_cache", "cuda_headers", "cupti_advice", "nvrtc_advice", "sandbox_missing"}) {
      environment_.values.erase(key);
    }
  }
  return environment_;
}

std::string EngineSet::arch() {
  if (!gpu_ || environment().gpu_arch.empty()) return std::string(kDefaultArch);
  return environment().gpu_arch;
}

worker::Client& EngineSet::any() {
  static_cast<void>(environment());  // a worker in its box reads no facts of the machine
  return model_ ? *model_ : *gpu_;
}

}  // namespace lab::run
