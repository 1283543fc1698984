#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "harness/compile/nvrtc.h"
#include "harness/core/text.h"
#include "harness/gpu/host.h"
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

}  // namespace

Environment machine_environment() {
  Environment environment;
  add_host(environment.values);
  add_libraries(environment.values);
  return environment;
}

}  // namespace lab::worker
