#include "harness/model/case/ready_launch.h"

#include <fmt/format.h>

#include <utility>

#include "harness/core/error.h"
#include "harness/model/case/launch_rules.h"
#include "harness/model/decode/decode.h"

namespace lab::model {

namespace {

cubin::SassMap map_of(const LoadedKernel& kernel, AccessLevel level) {
  if (level == AccessLevel::kSass) {
    return cubin::sass_map(kernel.loaded.image, kernel.name, kernel.loaded.module);
  }
  cubin::SassMap none;
  none.absent = "asked for";
  return none;
}

Program program_of(const LaunchPlace& place, const LoadedKernel& kernel,
                   const cubin::SassMap& map) {
  DecodeRequest request;
  request.module = &kernel.loaded.module;
  request.entry = kernel.loaded.module.find_entry(kernel.name);
  request.parameters = place.parameters;
  request.parameter_address = place.parameter_address;
  request.variables = place.variables;
  request.cluster = place.cluster;
  if (map.absent.empty()) request.machine = &map;
  return decode(request, best_table());
}

}  // namespace

const ptx::Function& entry_for(const LoadedKernel& kernel, const std::string& called,
                               const Launch& launch) {
  const ptx::Module& module = kernel.loaded.module;
  const std::uint32_t index = module.find_entry(kernel.name);
  if (index == ptx::kNoIndex) {
    throw input_error(fmt::format("the compiled source has no kernel '{}'", called));
  }
  require_launch(module.functions[index], launch);
  return module.functions[index];
}

ReadyLaunch ready_launch(const LaunchPlace& place, const LoadedKernel& kernel, const Launch& launch,
                         AccessLevel level) {
  cubin::SassMap map = map_of(kernel, level);
  Program program = program_of(place, kernel, map);
  const cubin::Function* const machine = kernel.loaded.image.find(kernel.name);
  if (machine != nullptr) program.registers = machine->registers.value_or(0);
  require_fits(program, launch);
  return {std::move(map), std::move(program), launch, machine};
}

LaunchPlace place_of(LaunchMemory& memory) {
  return {memory.memory(), memory.parameters(), memory.parameter_address(), memory.variables(),
          [&] { return memory.add_workspace(); }};
}

}  // namespace lab::model
