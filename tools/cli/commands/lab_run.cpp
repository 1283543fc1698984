#include "tools/cli/commands/lab_run.h"

#include <cstdlib>
#include <exception>

#include "harness/run/kernels.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "tools/cli/commands/watch.h"

namespace lab::cli {

RunRecord run_lab(LabRun what, BatchRequest batch, run::EngineSet& engines, const std::string& arch,
                  db::Store* store, const Console& console) {
  batch.cases = std::move(what.cases);
  run::Plan plan =
      run::plan_run(*what.lab, std::move(batch), what.theirs, run::labs_folder(console.program));
  plan.theirs_alone = what.theirs.has_value();
  plan.head.student = what.student;
  run::prepare(plan, arch, engines.any());
  run::stamp(plan.head);
  run::RunResult result = run_watched(std::move(plan), engines, store, console);
  if (result.store_failure) std::rethrow_exception(result.store_failure);
  return std::move(result.run);
}

std::vector<Option> lab_run_options() {
  return {{"backend", "NAME", "What runs the kernels (default auto: the model, and the GPU if any)",
           false, run::backend_choices()},
          {"arch", "SM", "Architecture to compile for (default: the GPU's, else sm_90)"},
          {"timeout", "SECONDS", "Give up on a case after this long"},
          {"no-sandbox", "",
           "Let the compiler and the model reach your files, as kernels you trust may"}};
}

BatchRequest lab_run_batch(const Arguments& arguments) {
  constexpr std::int64_t kDay = 86400;
  // Workers are told by their environment, as a person may tell all of them.
  if (arguments.has("no-sandbox")) ::setenv("LAB_SANDBOX", "off", 1);
  BatchRequest batch;
  batch.timeout_s = static_cast<double>(arguments.number("timeout", 1, kDay).value_or(0));
  return batch;
}

}  // namespace lab::cli
