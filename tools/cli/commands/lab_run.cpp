#include "tools/cli/commands/lab_run.h"

#include <exception>

#include "harness/run/kernels.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/watch.h"

namespace lab::cli {

run::RunResult run_lab(LabRun what, const Arguments& arguments, run::EngineSet& engines,
                       const Console& console) {
  BatchRequest batch;
  batch.timeout_s = timeout_from(arguments);
  batch.cases = std::move(what.cases);
  run::Plan plan = run::plan_run(*what.lab, std::move(batch), what.theirs);
  if (what.theirs) plan.others = run::Others::kLeftOut;
  plan.head.student = what.student;
  run::RunResult result =
      run_watched({std::move(plan), arch_from(arguments, engines), {what.store}}, engines, console);
  if (result.store_failure) std::rethrow_exception(result.store_failure);
  return result;
}

std::vector<Option> lab_run_options() {
  return {{"backend", "NAME", "What runs the kernels (default auto: the model, and the GPU if any)",
           false, run::backend_choices()},
          {"arch", "SM", "Architecture to compile for (default: the GPU's, else sm_90)"},
          {"timeout", "SECONDS", "Give up on a case after this long"},
          {"no-sandbox", "",
           "Let the compiler and the model reach your files, as kernels you trust may"}};
}

}  // namespace lab::cli
