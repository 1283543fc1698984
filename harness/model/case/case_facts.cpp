#include "harness/model/case/case_facts.h"

#include "harness/model/case/ready_case.h"
#include "harness/model/facts/facts.h"

namespace lab::model {

KernelFacts case_facts(const Job& job, const LoadedKernel& kernel, Checker& host) {
  const ReadyCase ready(job, kernel, host.launched(job));
  return facts_of(ready.program, kernel.loaded.image.find(kernel.name), job.launch,
                  ready.memory.memory());
}

}  // namespace lab::model
