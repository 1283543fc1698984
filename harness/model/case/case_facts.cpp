#include "harness/model/case/case_facts.h"

#include "harness/model/case/ready_launch.h"
#include "harness/model/facts/facts.h"

namespace lab::model {

KernelFacts case_facts(const Job& job, const LoadedKernel& kernel, Checker& host) {
  const ptx::Function& entry = entry_for(kernel, job.kernel, job.launch);
  LaunchMemory memory(job, kernel.loaded.module, entry, host.launched(job));
  const ReadyLaunch ready = ready_launch(place_of(memory), kernel, job.launch);
  return facts_of(ready.program, kernel.loaded.image.find(kernel.name), job.launch,
                  memory.memory());
}

}  // namespace lab::model
