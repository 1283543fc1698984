#include "harness/gpu/measure/machine.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <fstream>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/gpu/cupti/counters.h"
#include "harness/gpu/machine/fallback.h"
#include "harness/gpu/measure/tool_kernels.h"

namespace lab::gpu {

namespace {

CompileRequest tools_request(const std::string& arch) {
  CompileRequest request;
  request.source = {"lab_tools.cu", std::string(kToolKernels)};
  request.kernels = {"lab_flush", "lab_delay"};
  request.arch = arch;
  return request;
}

std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The lines of `path` that begin so.
std::string lines_of(const char* path, std::string_view begin) {
  std::ifstream file(path);
  std::string found;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(begin)) found += line + ";";
  }
  return found;
}

// Who may count is the driver's to say, and a process may have the right by its capabilities: what
// was refused before either was changed is not an answer now.
std::string rights() {
  return lines_of("/proc/driver/nvidia/params", "RmProfilingAdminOnly") +
         lines_of("/proc/self/status", "CapEff");
}

Bytes availability(const Context& context, const Machine& machine, const FileCache& cache) {
  const DeviceFacts& facts = machine.facts;
  const std::string key = sha256_hex(fmt::format("availability 2 {} {} {} {} {} {}", facts.uuid,
                                                 facts.chip, facts.management.driver_version,
                                                 cupti_version(), geteuid(), rights()));
  // Without the driver's version, a driver update would go unnoticed.
  const bool keep = !facts.management.driver_version.empty();
  if (const auto kept = keep ? cache.get(key) : std::nullopt) return {kept->begin(), kept->end()};
  Bytes image = read_availability(context);
  if (keep) cache.put(key, text_of(image));
  return image;
}

}  // namespace

Machine open_machine(const Compiler& compiler) {
  Machine machine;
  machine.driver = Driver::load();
  machine.device = chosen_gpu(*machine.driver);
  machine.facts = read_facts(*machine.driver, machine.device);
  machine.tools = compiler(tools_request(machine.facts.arch()));
  spdlog::info("GPU {}: {}, {}, {} SMs", machine.device, machine.facts.name, machine.facts.chip,
               machine.facts.sm.sms);
  return machine;
}

Partition partition_of(const Machine& machine) {
  const Management management = read_management(machine.facts.uuid);
  return {management.mig, management.virtual_gpu};
}

std::future<void> preload_metrics() {
  return std::async(std::launch::async, [] {
    try {
      const Host any(supported_chips().front());
    } catch (const Error& error) {
      spdlog::debug("no metrics: {}", error.what());
    }
  });
}

void watch_modules() {
  if (attached_profiler()) return;
  try {
    initialise_profiler();
  } catch (const CuptiError& error) {
    spdlog::debug("modules are not watched: {}", error.what());
  }
}

CounterAccess probe_counters(const Context& context, const Machine& machine,
                             const FileCache& cache) {
  CounterAccess access;
  try {
    access.refused = attached_profiler();
    if (access.refused) return access;
    initialise_profiler();
    access.refused = unsupported(profiler_support(machine.device, CUPTI_PROFILER_RANGE_PROFILING));
    if (access.refused) return access;
    access.availability = availability(context, machine, cache);
    access.chip = chip_name(machine.device);
    if (access.chip.empty()) access.chip = machine.facts.chip;
    access.availability_hash = sha256_hex(text_of(access.availability));
  } catch (const CuptiError& error) {
    access.refused = missing_counters(error);
  }
  return access;
}

std::optional<Missing> probe_patching(const Machine& machine) {
  try {
    if (auto attached = attached_profiler()) return attached;
    initialise_profiler();
    return unsupported(profiler_support(machine.device, CUPTI_PROFILER_SASS_METRICS));
  } catch (const CuptiError& error) {
    return missing_counters(error);
  }
}

}  // namespace lab::gpu
