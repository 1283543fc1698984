#include "harness/model/case/ready_case.h"

#include <fmt/format.h>

#include <cstdint>

#include "harness/core/error.h"
#include "harness/model/case/launch_rules.h"
#include "harness/model/decode/decode.h"

namespace lab::model {

namespace {

const ptx::Function& entry_of(const Job& job, const LoadedKernel& kernel) {
  const ptx::Module& module = kernel.loaded.module;
  const std::uint32_t index = module.find_entry(kernel.name);
  if (index == ptx::kNoIndex) {
    throw input_error(fmt::format("the compiled source has no kernel '{}'", job.kernel));
  }
  require_launch(module.functions[index], job.launch);
  return module.functions[index];
}

cubin::SassMap map_of(const LoadedKernel& kernel, AccessLevel level) {
  if (level == AccessLevel::kSass) {
    return cubin::sass_map(kernel.loaded.image, kernel.name, kernel.loaded.module);
  }
  cubin::SassMap none;
  none.absent = "asked for";
  return none;
}

Program program_of(const LoadedKernel& kernel, const LaunchMemory& memory,
                   const cubin::SassMap& map) {
  DecodeRequest request;
  request.module = &kernel.loaded.module;
  request.entry = kernel.loaded.module.find_entry(kernel.name);
  request.parameters = memory.parameters();
  request.parameter_address = memory.parameter_address();
  request.variables = memory.variables();
  if (map.absent.empty()) request.machine = &map;
  return decode(request, best_table());
}

}  // namespace

ReadyCase::ReadyCase(const Job& job, const LoadedKernel& kernel, Buffers& buffers,
                     AccessLevel level)
    : entry(entry_of(job, kernel)),
      memory(job, kernel.loaded.module, entry, buffers),
      map(map_of(kernel, level)),
      program(program_of(kernel, memory, map)) {
  require_shared(program, job.launch);
}

}  // namespace lab::model
