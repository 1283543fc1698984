#include "tools/worker/services.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "harness/compile/nvrtc.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/gpu/batch/backend.h"
#include "harness/gpu/cupti/host.h"
#include "harness/gpu/measure/calibrate.h"
#include "harness/model/case/backend.h"
#include "labs/registry.h"
#include "tools/worker/limits.h"

namespace lab::worker {
namespace {

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

// The same source is asked for by the program and by the backend; the settings stay the same.
Compiler make_compiler() {
  return [settings = compile::default_settings()](const CompileRequest& request) {
    return compile::nvrtc_compile(request, settings);
  };
}

using MakeBackend = std::unique_ptr<Backend> (*)();

const std::map<std::string, MakeBackend>& backends() {
  static const std::map<std::string, MakeBackend> kTable = {
      {"gpu",
       []() -> std::unique_ptr<Backend> {
         return std::make_unique<gpu::Backend>(make_compiler(), all_labs());
       }},
      {"model",
       []() -> std::unique_ptr<Backend> {
         bound_memory();
         return std::make_unique<model::Backend>(make_compiler(), all_labs());
       }},
  };
  return kTable;
}

std::unique_ptr<Backend> make_backend(const std::string& name) {
  const auto found = backends().find(name);
  if (found != backends().end()) return found->second();
  std::vector<std::string> names;
  for (const auto& [known, make] : backends()) names.push_back(known);
  throw input_error(fmt::format("there is no backend '{}'", name), suggestion(name, names));
}

}  // namespace

Services make_services() {
  Services services;
  services.backend = make_backend;
  services.compile = make_compiler();
  services.environment = [](const AskEnvironment& ask) {
    return machine_environment(ask, make_compiler());
  };
  services.chip_metrics = chip_metrics;
  services.calibrate = [] {
    const Compiler compile = make_compiler();
    return gpu::calibrate(compile, gpu::open_machine(compile, 0));
  };
  return services;
}

}  // namespace lab::worker
