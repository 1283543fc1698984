#include "tools/cli/commands/single_case.h"

#include "harness/run/kernels.h"
#include "harness/run/places.h"
#include "labs/registry.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/watch.h"

namespace lab::cli {

std::vector<Option> single_case_options() {
  return {
      {"variant", "NAME", "The variant (default: the lab's first)"},
      {"param", "NAME=VALUE", "Value of a parameter (default: the variant's first point)", true},
      {"kernel", "FILE", "Run the kernels of this file in place of the lab's own"},
      {"backend", "NAME", "What runs the kernel (default: model)", false, run::backend_choices()},
      {"arch", "SM", "Architecture to compile for (default: the GPU's, else sm_90)"}};
}

RunRecord run_single_case(const Arguments& arguments, const Console& console, BatchRequest batch,
                          const std::string& backend) {
  const Lab& lab = find_lab(arguments.positionals().front());
  const auto theirs = students_kernel(arguments);
  const std::string labs_folder = run::labs_folder(console.program);
  run::Selection selection = selection_from(arguments);
  selection.all = true;  // the first of the variant's points
  if (selection.variants.empty()) selection.variants = {lab.variants.front().name};
  batch.cases = run::plan_cases(lab, selection);
  batch.cases.resize(1);
  run::Plan plan = run::plan_run(lab, std::move(batch), theirs, labs_folder);
  run::EngineSet engines(backend, console.interrupted);
  run::prepare(plan, arch_from(arguments, engines), engines.any());
  return run_watched(std::move(plan), engines, nullptr, console).run;
}

}  // namespace lab::cli
