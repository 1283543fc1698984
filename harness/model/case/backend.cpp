#include "harness/model/case/backend.h"

#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "harness/model/case/case.h"
#include "harness/model/case/case_facts.h"
#include "harness/model/case/kernels.h"
#include "harness/model/case/patience.h"

namespace lab::model {
namespace {

Kernels kernels_of(const BatchRequest& batch, const Compiler& compiler) {
  std::vector<const Job*> jobs;
  for (const CaseRequest& request : batch.cases) {
    const Job& job = request.job.value();
    if (job.runs_on != RunsOn::kGpuAlone) jobs.push_back(&job);
  }
  // A probe whose kernel is not there ends; in a lab, the other variants can still run.
  const Lacking lacking = batch.lab == 0 ? Lacking::kEndsAll : Lacking::kEndsAlone;
  return {compiler, batch.source, batch.arch, lacking, jobs};
}

void run_one(const BatchRequest& batch, const CaseRequest& request, const LoadedKernel& kernel,
             References& references, const BatchSink& sink, CaseOutcome& outcome) {
  const Job& job = request.job.value();
  note_compiled(job.options, kernel.loaded.compiled, outcome.record);
  if (batch.depth == Depth::kFewBlocks) {
    Patience patience(seconds_of(batch), sink.cancelled);
    return run_few_blocks(
        job, kernel, [&] { return patience.stopped(); }, outcome.record);
  }
  CaseHooks hooks;
  hooks.cancelled = sink.cancelled;
  if (sink.progress) {
    hooks.progress = [&](double fraction) { sink.progress(request.index, fraction); };
  }
  run_case(batch, job, kernel, hooks, references, outcome);
}

}  // namespace

ModelBackend::ModelBackend(Compiler compiler) : compiler_(std::move(compiler)) {}

ModelBackend::~ModelBackend() = default;

void ModelBackend::run(const BatchRequest& batch, const BatchSink& sink) {
  const Kernels kernels = kernels_of(batch, compiler_);
  References references(compiler_, batch);
  for (const CaseRequest& request : batch.cases) {
    const Job& job = request.job.value();
    CaseOutcome outcome;
    CaseRecord& record = outcome.record;
    record.index = request.index;
    record.variant = request.variant;
    record.params = request.params;
    record.arch = batch.arch;
    record.kernel = job.kernel;
    record.launch = job.launch;
    try {
      if (sink.cancelled && sink.cancelled()) {
        record.status = CaseStatus::kInterrupted;
        record.reason = "interrupted";
      } else if (job.runs_on == RunsOn::kGpuAlone) {
        record.status = CaseStatus::kSkipped;
        record.reason = "a library's kernel: there is no source for the model to run";
      } else {
        run_one(batch, request, kernels.find(job), references, sink, outcome);
      }
    } catch (const NotModelled& refusal) {
      record.status = CaseStatus::kRefused;
      record.reason = one_line(refusal);
    } catch (const Error& error) {
      record.status = CaseStatus::kError;
      record.reason = one_line(error);
    } catch (const std::bad_alloc&) {
      record.status = CaseStatus::kError;
      record.reason = "not enough memory for the case's buffers";
    }
    sink.finished(std::move(outcome));
  }
}

}  // namespace lab::model
