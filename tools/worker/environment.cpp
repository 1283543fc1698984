#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "harness/box/box.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/kernel/compile/cache.h"
#include "harness/kernel/compile/nvrtc.h"
#include "tools/worker/gpu_side.h"
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

void add_sandbox(Values& values) {
  const std::string missing = box::why_no_box();
  if (!missing.empty()) values["sandbox_missing"] = missing;
}

void add_compiler(Values& values) {
  values["kernel_cache"] = compile::default_cache_folder().string();
  try {
    values["nvrtc"] = compile::nvrtc_version();
    const compile::Settings settings = compile::default_settings();
    if (!settings.include_folders.empty())
      values["cuda_headers"] = settings.include_folders.front();
  } catch (const Error& error) {
    values["nvrtc_missing"] = error.what();
    values["nvrtc_advice"] = error.hint();
  }
}

}  // namespace

Environment machine_environment(const AskEnvironment& ask, const Compiler& compiler) {
  Environment environment;
  add_host(environment.values);
  add_sandbox(environment.values);
  add_compiler(environment.values);
  add_gpu_side(environment, ask, compiler);
  return environment;
}

}  // namespace lab::worker
