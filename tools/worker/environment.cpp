#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "harness/compile/nvrtc.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/gpu/cupti/host.h"
#include "harness/gpu/driver/driver.h"
#include "harness/gpu/machine/facts.h"
#include "harness/gpu/measure/machine.h"
#include "tools/worker/services.h"

namespace lab::worker {
namespace {

using Values = std::map<std::string, std::string>;

// The value of the first line of a /proc file that begins with `key`; empty where there is none.
std::string proc_value(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (line.starts_with(key) && colon != std::string::npos) {
      return std::string(trim(std::string_view(line).substr(colon + 1)));
    }
  }
  return {};
}

void add_host(Values& values) {
  values["cpu"] = proc_value("/proc/cpuinfo", "model name");
  values["cpu_cores"] = fmt::format("{}", std::thread::hardware_concurrency());
  values["memory"] = proc_value("/proc/meminfo", "MemTotal");
  utsname system{};
  if (::uname(&system) == 0)
    values["system"] = fmt::format("{} {}", system.sysname, system.release);
}

void add_libraries(Values& values) {
  values["nvrtc"] = compile::nvrtc_version();
  values["cupti"] = fmt::format("{}", gpu::cupti_version());
  const compile::Settings settings = compile::default_settings();
  if (!settings.include_folders.empty()) values["cuda_headers"] = settings.include_folders.front();
  values["kernel_cache"] = settings.cache.string();
}

// Whether hardware counters can be read, and if not, why.
void add_counters(Values& values, const Compiler& compiler) {
  const gpu::Machine machine = gpu::open_machine(compiler, 0);
  const gpu::Context context(machine.driver, machine.device);
  const gpu::ImageCache cache(gpu::ImageCache::default_folder());
  const auto refused = gpu::probe_counters(context, machine, cache).refused;
  if (refused)
    values["counters_missing"] = refused->detail.empty() ? refused->reason : refused->detail;
  const auto unpatched = gpu::probe_patching(machine);
  if (unpatched) {
    values["sass_counters_missing"] =
        unpatched->detail.empty() ? unpatched->reason : unpatched->detail;
  }
}

// The GPU's facts, or what was looked for and what to do where there is none.
void add_gpu(Values& values) {
  try {
    const auto driver = gpu::Driver::load();
    CUdevice device = 0;
    driver->check(driver->api().DeviceGet(&device, 0), "cuDeviceGet");
    gpu::DeviceFacts facts = gpu::read_facts(*driver, device);
    facts.management = gpu::read_management(facts.uuid);
    values.merge(gpu::environment(facts));
    values["gpu_count"] = fmt::format("{}", driver->device_count());
  } catch (const Error& error) {
    values["gpu_missing"] = error.what();
    if (!error.hint().empty()) values["gpu_advice"] = error.hint();
  }
}

void add_counters_of_gpu(Values& values, const Compiler& compiler) {
  if (!values.contains("gpu")) return;
  try {
    add_counters(values, compiler);
  } catch (const Error& error) {
    values["counters_missing"] = error.what();
    if (!error.hint().empty()) values["counters_advice"] = error.hint();
  }
}

}  // namespace

Environment machine_environment(const AskEnvironment& ask, const Compiler& compiler) {
  Environment environment;
  add_host(environment.values);
  add_libraries(environment.values);
  if (ask.gpu) add_gpu(environment.values);
  if (ask.counters) add_counters_of_gpu(environment.values, compiler);
  return environment;
}

}  // namespace lab::worker
