#include "harness/model/case/case_facts.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/cubin/sass_map.h"
#include "harness/model/case/launch_memory.h"
#include "harness/model/case/launch_rules.h"
#include "harness/model/decode/decode.h"
#include "harness/model/facts/facts.h"

namespace lab::model {

KernelFacts case_facts(const Job& job, const LoadedKernel& kernel, Checker& host) {
  const Loaded& loaded = kernel.loaded;
  const std::uint32_t index = loaded.module.find_entry(kernel.name);
  if (index == ptx::kNoIndex) {
    throw input_error(fmt::format("the compiled source has no kernel '{}'", job.kernel));
  }
  const ptx::Function& entry = loaded.module.functions[index];
  require_launch(entry, job.launch);
  LaunchMemory memory(job, loaded.module, entry, host.launched(job));
  DecodeRequest request;
  request.module = &loaded.module;
  request.entry = index;
  request.parameters = memory.parameters();
  request.parameter_address = memory.parameter_address();
  request.variables = memory.variables();
  const cubin::SassMap map = cubin::sass_map(loaded.image, kernel.name, loaded.module);
  if (map.absent.empty()) request.machine = &map;
  const Program program = decode(request, best_table());
  require_shared(program, job.launch);
  return facts_of(program, loaded.image.find(kernel.name), job.launch, memory.memory());
}

}  // namespace lab::model
