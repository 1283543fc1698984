#include "harness/model/case/references.h"

#include <fmt/format.h>

#include <vector>

#include "harness/core/error.h"
#include "harness/model/case/launch_memory.h"
#include "harness/model/case/launch_rules.h"
#include "harness/model/case/records.h"
#include "harness/model/decode/decode.h"
#include "harness/model/execute/grid.h"

namespace lab::model {
namespace {

Kernels compiled(const Compiler& compiler, const BatchRequest& batch) {
  std::vector<Job> calls;
  for (const CaseRequest& request : batch.cases) {
    const Job& job = request.job.value();
    if (job.runs_on == RunsOn::kGpuAlone || !job.expected.reference) continue;
    calls.emplace_back().kernel = job.expected.reference->kernel;
  }
  std::vector<const Job*> jobs;
  for (const Job& call : calls) jobs.push_back(&call);
  return {compiler, batch.reference, batch.arch, Lacking::kEndsAlone, jobs};
}

Program program_of(const LoadedKernel& kernel, std::uint32_t entry, const LaunchMemory& memory) {
  DecodeRequest request;
  request.module = &kernel.loaded.module;
  request.entry = entry;
  request.parameters = memory.parameters();
  request.parameter_address = memory.parameter_address();
  request.variables = memory.variables();
  Program program = decode(request, best_table());
  // Nobody asks what it costs.
  program.traffic = false;
  for (Site& site : program.sites) site.counted = false;
  return program;
}

std::string words_of(const Finding& finding) {
  return finding.line > 0 ? fmt::format("{}:{}: {}", finding.file, finding.line, finding.message)
                          : finding.message;
}

}  // namespace

const Kernels& References::kernels() {
  if (batch_.reference.text.empty()) throw input_error("there is no reference.cu");
  if (!failure_.empty()) throw input_error(failure_);
  try {
    if (!kernels_) kernels_ = compiled(compiler_, batch_);
  } catch (const Error& error) {
    failure_ = one_line(error);
    throw;
  }
  return *kernels_;
}

std::uint64_t References::run(const Job& call, Buffers& buffers, const GridOptions& options) {
  const LoadedKernel kernel = kernels().find(call);
  const ptx::Module& module = kernel.loaded.module;
  const std::uint32_t entry = module.find_entry(kernel.name);
  if (entry == ptx::kNoIndex) throw input_error("the compiled source lacks it");
  require_launch(module.functions[entry], call.launch);
  LaunchMemory memory(call, module, module.functions[entry], buffers, Inputs::kReadOnly);
  const Program program = program_of(kernel, entry, memory);
  require_fits(program, call.launch);
  if (program.cooperative) throw input_error("its blocks can't wait for each other");
  const GridResult result = run_grid(program, call.launch, memory.memory(), options);
  const std::vector<Finding> wrong =
      findings(result.faults, program, call.launch, memory.memory(), batch_.reference);
  if (!wrong.empty()) throw input_error(words_of(wrong.front()));
  if (result.stop != Stop::kRunning || result.blocks_run < result.blocks) {
    throw input_error("it did not end in time");
  }
  return result.warp_instructions;
}

std::uint64_t References::expect(const Job& job, const GridOptions& options) {
  try {
    (void)checker_.before(job);
    return checker_.expect(
        job, [&](const Job& call, Buffers& buffers) { return run(call, buffers, options); });
  } catch (const Error& error) {
    throw ReferenceError(*job.expected.reference, error);
  }
}

std::optional<std::uint64_t> References::cost(const Job& job, std::uint64_t most,
                                              const std::function<bool()>& stopped) {
  if (!job.expected.reference) return {};
  GridOptions options;
  options.threads = 1;
  options.stopped = stopped;
  options.too_many = [&](std::uint64_t instructions) { return instructions > most; };
  try {
    return expect(job, options);
  } catch (const ReferenceError&) {
    return {};  // check() tells
  }
}

CheckResult References::check(const Job& job, const std::function<bool()>& stopped) {
  if (!job.expected.reference) return {};
  GridOptions options;
  options.threads = batch_.threads;
  options.stopped = stopped;
  expect(job, options);
  return checker_.check(job);
}

}  // namespace lab::model
