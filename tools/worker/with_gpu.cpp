#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "harness/box/worker/server.h"
#include "harness/core/error.h"
#include "harness/gpu/batch/backend.h"
#include "harness/gpu/cupti/host.h"
#include "harness/gpu/cupti/passes.h"
#include "harness/gpu/driver/driver.h"
#include "harness/gpu/launches/launches.h"
#include "harness/gpu/machine/facts.h"
#include "harness/gpu/measure/calibrate.h"
#include "harness/gpu/measure/machine.h"
#include "tools/worker/gpu_side.h"

namespace lab::worker {
namespace {

using Values = std::map<std::string, std::string>;

void add_cupti(Values& values) {
  try {
    values["cupti"] = fmt::format("{}", gpu::cupti_version());
  } catch (const Error& error) {
    values["cupti_missing"] = error.what();
    values["cupti_advice"] = error.hint();
  }
}

// Whether hardware counters can be read, and if not, why.
void add_counters(Values& values, const Compiler& compiler) {
  const gpu::Machine machine = gpu::open_machine(compiler);
  const gpu::Context context(machine.driver, machine.device);
  const FileCache cache = gpu::cupti_cache();
  const auto refused = gpu::probe_counters(context, machine, cache).refused;
  if (refused) values["counters_missing"] = refused->text();
  const auto unpatched = gpu::probe_patching(machine);
  if (unpatched) values["sass_counters_missing"] = unpatched->text();
}

// The GPU's facts, or what was looked for and what to do where there is none.
void add_gpu(Environment& environment) {
  Values& values = environment.values;
  try {
    const auto driver = gpu::Driver::load();
    const CUdevice device = gpu::chosen_gpu(*driver);
    gpu::DeviceFacts facts = gpu::read_facts(*driver, device);
    facts.management = gpu::read_management(facts.uuid);
    values.merge(gpu::environment(facts));
    environment.gpu_arch = facts.arch();
    values["gpu_count"] = fmt::format("{}", driver->device_count());
  } catch (const Error& error) {
    values["gpu_missing"] = error.what();
    if (!error.hint().empty()) values["gpu_advice"] = error.hint();
  }
}

// Each of the driver's, for those who choose one: gpu_0, gpu_1, ...
void add_list(Values& values) {
  try {
    for (const GpuNames& one : gpu::list_gpus(*gpu::Driver::load())) {
      values[fmt::format("gpu_{}", one.index)] = to_text(one);
    }
  } catch (const Error&) {
    // The reason why one is missing is in gpu_missing.
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

std::unique_ptr<Backend> make_gpu_backend(const Compiler& compiler) {
  return std::make_unique<gpu::GpuBackend>(compiler);
}

ChipMetrics chip_metrics(const AskChipMetrics& ask) {
  ChipMetrics answer;
  answer.chips = gpu::supported_chips();
  answer.chip = gpu::find_chip(ask.chip);
  const gpu::Host host(answer.chip);
  answer.lacking = host.lacking(ask.metrics);
  std::vector<std::string> present;
  for (const std::string& metric : ask.metrics) {
    const auto& lacking = answer.lacking;
    if (std::find(lacking.begin(), lacking.end(), metric) == lacking.end()) {
      present.push_back(metric);
    }
  }
  if (!present.empty()) answer.passes = static_cast<int>(host.configure(present).passes);
  if (!ask.list) return answer;
  for (const gpu::MetricInfo& metric : host.metrics()) {
    answer.list.push_back({metric.name, metric.description, metric.unit, metric.counter});
  }
  return answer;
}

std::vector<Ceiling> calibrate(const Compiler& compiler) {
  return gpu::calibrate(compiler, gpu::open_machine(compiler));
}

void serve_launches(const Compiler& compiler, const ProgramRequest& request,
                    const std::function<std::byte*()>& map, Descriptor socket) {
  Channel channel = channel_beside(std::move(socket));
  // Standard output is the program's while a kernel runs that may print.
  spdlog::default_logger()->sinks() = {std::make_shared<spdlog::sinks::stderr_sink_mt>()};
  spdlog::set_pattern(spdlog::should_log(spdlog::level::trace) ? kTracePattern : "%v");
  const int output =
      request.command.streams.size() == 3 ? request.command.streams[1] : STDERR_FILENO;
  std::optional<gpu::ProgramLaunches> launches;
  std::optional<Error> failed;  // told to whoever asks for a launch
  try {
    // The GPU comes up while the program does. Compilers are started before there is so much memory
    // to copy for them.
    gpu::Machine machine = gpu::open_machine(compiler);
    launches.emplace(std::move(machine), request, gpu::ProgramPlace{map(), output});
  } catch (const Error& error) {
    failed = error;
  }
  Services services;
  services.launch = [&](const GpuLaunch& launch) {
    if (failed) throw Error(*failed);
    return launches->run(launch);
  };
  serve(std::move(channel), services);
}

void add_gpu_side(Environment& environment, const AskEnvironment& ask, const Compiler& compiler) {
  add_cupti(environment.values);
  if (ask.gpu) add_gpu(environment);
  if (!ask.counters) return;
  add_list(environment.values);
  add_counters_of_gpu(environment.values, compiler);
}

}  // namespace lab::worker
