#include "harness/gpu/batch/backend.h"

#include <optional>
#include <vector>

#include "harness/core/job.h"
#include "harness/gpu/batch/batch_run.h"
#include "harness/gpu/driver/phase.h"
#include "harness/gpu/measure/machine.h"

namespace lab::gpu {

namespace {

void skip(CaseState& state, const std::string& reason) {
  state.outcome.record.status = CaseStatus::kSkipped;
  state.outcome.record.reason = reason;
  state.alive = false;
}

CaseState make_state(const CaseRequest& request, const std::string& arch) {
  CaseState state;
  state.job = request.job.value();
  CaseRecord& record = state.outcome.record;
  record.index = request.index;
  record.variant = request.variant;
  record.params = request.params;
  record.arch = arch;
  record.kernel = state.job.kernel;
  record.launch = state.job.launch;
  if (state.job.runs_on == RunsOn::kModelAlone) {
    skip(state, "broken on purpose: it runs in the model alone");
  }
  if (is_library(state.job) && !Library::knows(state.job.library)) {
    skip(state, "the GPU backend does not know " + state.job.library);
  }
  return state;
}

void mark_missing_kernels(std::vector<CaseState>& cases, const CompiledBatch& compiled) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].place = compiled.places[i];
    if (cases[i].alive && cases[i].place.missing.empty() && !is_library(cases[i].job)) {
      const Compiled& unit = compiled.units[cases[i].place.unit];
      CaseRecord& record = cases[i].outcome.record;
      note_compiled(cases[i].job.options, unit, record);
      if (!unit.no_lines.empty()) record.notes.line_information = "none: " + unit.no_lines;
    }
    if (!cases[i].alive || cases[i].place.missing.empty()) continue;
    skip(cases[i], cases[i].place.missing);
  }
}

}  // namespace

void GpuBackend::run(const BatchRequest& batch, const BatchSink& sink) {
  const GpuOptions& options = batch.gpu;
  const std::future<void> loading = options.counters ? preload_metrics() : std::future<void>();
  std::optional<Phase> phase;
  phase.emplace("driver");
  const Machine machine = open_machine(compiler_);
  phase.emplace("profiler");
  if (options.counters) watch_modules();
  phase.emplace("inputs and compilation");
  std::vector<CaseState> cases;
  std::vector<Job> jobs;
  for (const CaseRequest& request : batch.cases) {
    cases.push_back(make_state(request, machine.facts.arch()));
    jobs.push_back(cases.back().job);
  }
  CompiledBatch compiled = compile_batch(compiler_, batch.source, jobs, machine.facts.arch());
  mark_missing_kernels(cases, compiled);
  References references(compiler_, batch.reference, jobs, machine.facts.arch());
  phase.reset();
  BatchRun(batch, sink, machine, std::move(cases), {std::move(compiled), std::move(references)})
      .run();
}

}  // namespace lab::gpu
