#include "tests/support/case_facts/facts.h"

#include "harness/core/error.h"
#include "harness/core/resolve.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/model/case/case_facts.h"
#include "tests/support/lab_batch.h"

namespace lab {
namespace {

Compiled compile_cached(const CompileRequest& request) {
  auto settings = compile::default_settings();
  settings.cache = LAB_SOURCE_DIR "/build/test-cache/lab/compile";  // the one of tests/cli
  return compile::nvrtc_compile(request, settings);
}

CaseRecord facts_or_why(const Job& job, const model::Kernels& kernels) {
  CaseRecord record;
  try {
    model::run_few_blocks(job, kernels.find(job), {}, record);
  } catch (const Error& error) {
    record.kernel_facts = KernelFacts();
    record.kernel_facts->absent = one_line(error);
  }
  return record;
}

}  // namespace

void facts_of_cases(const Lab& lab, const std::vector<CaseRecord>& cases,
                    const std::function<void(const CaseRecord&, const CaseRecord&)>& take) {
  BatchRequest batch = batch_of_lab(lab);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    batch.cases.push_back({static_cast<int>(i), cases[i].variant, cases[i].params, {}});
  }
  (void)resolve(&lab, batch);
  std::vector<const Job*> jobs;
  for (const CaseRequest& one : batch.cases) {
    if (one.job && one.job->runs_on != RunsOn::kGpuAlone) jobs.push_back(&*one.job);
  }
  const model::Kernels kernels(compile_cached, batch.source, batch.arch, model::Lacking::kEndsAll,
                               jobs);
  for (const CaseRequest& one : batch.cases) {
    if (!one.job || one.job->runs_on == RunsOn::kGpuAlone) continue;
    take(cases[static_cast<std::size_t>(one.index)], facts_or_why(*one.job, kernels));
  }
}

}  // namespace lab
