#include "tools/worker/services.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "harness/compile/nvrtc.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/model/case/backend.h"
#include "labs/registry.h"
#include "tools/worker/gpu_side.h"
#include "tools/worker/limits.h"

namespace lab::worker {
namespace {

// NVRTC is loaded when it is first needed: what needs none works without it.
Compiler make_compiler() {
  return [](const CompileRequest& request) { return compile::nvrtc_compile(request); };
}

using MakeBackend = std::unique_ptr<Backend> (*)();

const std::map<std::string, MakeBackend>& backends() {
  static const std::map<std::string, MakeBackend> kTable = {
      {"gpu", []() -> std::unique_ptr<Backend> { return make_gpu_backend(make_compiler()); }},
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
  services.calibrate = [] { return calibrate(make_compiler()); };
  return services;
}

}  // namespace lab::worker
