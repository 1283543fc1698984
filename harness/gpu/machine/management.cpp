// NVML, loaded at run time. It comes with the driver, not with the toolkit, and a run goes on
// without it. Declarations follow NVIDIA's NVML API Reference Guide.
#include <dlfcn.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>

#include "harness/gpu/machine/facts.h"

namespace lab::gpu {

namespace {

using NvmlDevice = void*;
constexpr int kNvmlSuccess = 0;
constexpr unsigned kClockSm = 1;             // NVML_CLOCK_SM
constexpr unsigned kTemperatureGpu = 0;      // NVML_TEMPERATURE_GPU
constexpr unsigned kVirtualVgpu = 2;         // NVML_GPU_VIRTUALIZATION_MODE_VGPU
constexpr unsigned kDriverVersionSize = 80;  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE

struct Nvml {
  Handle<void*> library;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*by_uuid)(const char*, NvmlDevice*) = nullptr;
  int (*mig_mode)(NvmlDevice, unsigned*, unsigned*) = nullptr;
  int (*virtualization)(NvmlDevice, unsigned*) = nullptr;
  int (*max_clock)(NvmlDevice, unsigned, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, unsigned, unsigned*) = nullptr;
  int (*power)(NvmlDevice, unsigned*) = nullptr;
  int (*throttle)(NvmlDevice, unsigned long long*) = nullptr;
};

template <typename Function>
bool find(void* library, const char* name, Function& slot) {
  slot = reinterpret_cast<Function>(dlsym(library, name));
  return slot != nullptr;
}

std::optional<Nvml> load() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  Nvml nvml;
  nvml.library = {library, [](void* open) { dlclose(open); }};
  const bool whole = find(library, "nvmlInit_v2", nvml.init) &&
                     find(library, "nvmlShutdown", nvml.shutdown) &&
                     find(library, "nvmlSystemGetDriverVersion", nvml.driver_version) &&
                     find(library, "nvmlDeviceGetHandleByUUID", nvml.by_uuid) &&
                     find(library, "nvmlDeviceGetMigMode", nvml.mig_mode) &&
                     find(library, "nvmlDeviceGetVirtualizationMode", nvml.virtualization) &&
                     find(library, "nvmlDeviceGetMaxClockInfo", nvml.max_clock) &&
                     find(library, "nvmlDeviceGetTemperature", nvml.temperature) &&
                     find(library, "nvmlDeviceGetPowerUsage", nvml.power) &&
                     find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml.throttle);
  if (!whole) return {};
  return nvml;
}

// NVML, started for as long as this lives, with one GPU's handle.
class Session {
 public:
  [[nodiscard]] static std::optional<Session> open(const std::string& uuid) {
    std::optional<Nvml> nvml = load();
    if (!nvml) return {};
    const int started = nvml->init();
    if (started != kNvmlSuccess) {
      spdlog::debug("nvmlInit_v2 gave {}", started);
      return {};
    }
    Session session(std::move(*nvml));
    if (session.nvml_.by_uuid(uuid.c_str(), &session.device_) == kNvmlSuccess) return session;
    // The driver gives an instance's UUID, and NVML knows it under that of an instance alone.
    const std::string instance = "MIG-" + uuid.substr(std::min(uuid.find('-') + 1, uuid.size()));
    session.instance_ = session.nvml_.by_uuid(instance.c_str(), &session.device_) == kNvmlSuccess;
    if (!session.instance_) session.device_ = nullptr;
    return session;
  }
  /// Whether the UUID is a MIG instance's.
  [[nodiscard]] bool is_instance() const { return instance_; }
  [[nodiscard]] const Nvml& nvml() const { return nvml_; }
  /// Null where NVML does not know the GPU.
  [[nodiscard]] NvmlDevice device() const { return device_; }

 private:
  explicit Session(Nvml nvml) : nvml_(std::move(nvml)) {
    running_ = {nvml_.shutdown, [](int (*stop)()) { stop(); }};
  }
  Nvml nvml_;
  Handle<int (*)()> running_;
  NvmlDevice device_ = nullptr;
  bool instance_ = false;
};

// Bits of nvmlClocksThrottleReasons.
struct ThrottleReason {
  unsigned long long bit;
  const char* name;
};
constexpr ThrottleReason kThrottleReasons[] = {
    {0x1, "gpu_idle"},
    {0x2, "applications_clocks_setting"},
    {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
};

std::string throttle_text(unsigned long long bits) {
  std::string text;
  for (const ThrottleReason& reason : kThrottleReasons) {
    if ((bits & reason.bit) != 0) text += (text.empty() ? "" : ",") + std::string(reason.name);
  }
  return text.empty() ? "none" : text;
}

void add_conditions(const Session& session, Timing& timing) {
  const Nvml& nvml = session.nvml();
  unsigned value = 0;
  if (nvml.temperature(session.device(), kTemperatureGpu, &value) == kNvmlSuccess) {
    timing.temperature_c = value;
  }
  constexpr double kMilliwatts = 1000;
  if (nvml.power(session.device(), &value) == kNvmlSuccess) timing.power_w = value / kMilliwatts;
  unsigned long long bits = 0;
  if (nvml.throttle(session.device(), &bits) == kNvmlSuccess) {
    timing.throttle_reasons = throttle_text(bits);
  }
}

}  // namespace

std::function<void(Timing&)> condition_reader(const std::string& uuid) {
  std::optional<Session> opened = Session::open(uuid);
  if (!opened || opened->device() == nullptr) return [](Timing&) {};
  const auto session = std::make_shared<Session>(std::move(*opened));
  return [session](Timing& timing) { add_conditions(*session, timing); };
}

// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.03  Release Build ...": the
// first word that begins with a digit and has a point.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word) {
    if (word.find('.') != std::string::npos && word[0] >= '0' && word[0] <= '9') return word;
  }
  return {};
}

Management read_management(const std::string& uuid) {
  Management out;
  out.driver_version = driver_version();
  const std::optional<Session> session = Session::open(uuid);
  if (!session) return out;
  const Nvml& nvml = session->nvml();
  std::array<char, kDriverVersionSize> version{};
  if (nvml.driver_version(version.data(), kDriverVersionSize) == kNvmlSuccess) {
    out.driver_version = version.data();
  }
  if (session->device() == nullptr) return out;
  unsigned current = 0;
  unsigned pending = 0;
  // A GPU that cannot be split answers "not supported": it is whole.
  out.mig = session->is_instance() ||
            (nvml.mig_mode(session->device(), &current, &pending) == kNvmlSuccess && current != 0);
  unsigned value = 0;
  if (nvml.virtualization(session->device(), &value) == kNvmlSuccess) {
    out.virtual_gpu = value == kVirtualVgpu;
  }
  if (nvml.max_clock(session->device(), kClockSm, &value) == kNvmlSuccess) {
    out.max_sm_clock_mhz = static_cast<int>(value);
  }
  return out;
}

}  // namespace lab::gpu
