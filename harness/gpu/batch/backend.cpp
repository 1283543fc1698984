#include "harness/gpu/batch/backend.h"

#include <algorithm>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/job.h"
#include "harness/core/text.h"
#include "harness/gpu/batch/batch_run.h"
#include "harness/gpu/driver/phase.h"
#include "harness/gpu/measure/machine.h"

namespace lab::gpu {

namespace {

const Lab* lab_of(const std::vector<Lab>& labs, int number) {
  const auto found = std::find_if(labs.begin(), labs.end(),
                                  [number](const Lab& lab) { return lab.number == number; });
  return found == labs.end() ? nullptr : &*found;
}

CaseState make_state(const Lab* lab, const CaseRequest& request, std::uint64_t seed,
                     const std::string& arch) {
  CaseState state;
  CaseRecord& record = state.outcome.record;
  record.index = request.index;
  record.variant = request.variant;
  record.params = request.params;
  record.arch = arch;
  state.job = make_job(lab, request, seed);
  record.kernel = state.job.kernel;
  record.launch = state.job.launch;
  if (state.job.variant != nullptr && state.job.variant->model_only) {
    record.status = CaseStatus::kSkipped;
    record.reason = "broken on purpose: it runs in the model alone";
    state.alive = false;
  }
  if (is_library(state.job)) {
    record.kernel.clear();
    if (!Library::knows(state.job.variant->library)) {
      record.status = CaseStatus::kSkipped;
      record.reason = "the GPU backend does not know " + state.job.variant->library;
      state.alive = false;
    }
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
      if (!unit.no_lines.empty()) record.notes["line_information"] = "none: " + unit.no_lines;
    }
    if (!cases[i].alive || cases[i].place.missing.empty()) continue;
    cases[i].outcome.record.status = CaseStatus::kSkipped;
    cases[i].outcome.record.reason = cases[i].place.missing;
    cases[i].alive = false;
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
  const Lab* lab = lab_of(labs_, batch.lab);
  if (lab == nullptr && batch.lab != 0) throw internal_error("a batch of a lab that is not there");
  std::vector<CaseState> cases;
  std::vector<Job> jobs;
  for (const CaseRequest& request : batch.cases) {
    cases.push_back(make_state(lab, request, batch.seed, machine.facts.arch()));
    jobs.push_back(cases.back().job);
  }
  CompiledBatch compiled = compile_batch(compiler_, batch.source, jobs, machine.facts.arch());
  mark_missing_kernels(cases, compiled);
  phase.reset();
  BatchRun(batch, sink, machine, options, std::move(cases), std::move(compiled)).run();
}

}  // namespace lab::gpu
