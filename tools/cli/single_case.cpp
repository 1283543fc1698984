#include "tools/cli/single_case.h"

#include "labs/registry.h"
#include "tools/cli/lab_plan.h"
#include "tools/cli/places.h"

namespace lab::cli {

std::vector<Option> single_case_options() {
  return {
      {"variant", "NAME", "The variant (default: the lab's first)"},
      {"param", "NAME=VALUE", "Value of a parameter (default: the variant's first point)", true},
      {"kernel", "FILE", "Run the kernels of this file in place of the lab's own"},
      {"backend", "NAME", "What runs the kernel (default: model)", false, backend_choices()},
      {"arch", "SM", "Architecture to compile for (default: the GPU's, else sm_90)"}};
}

RunRecord run_single_case(const Arguments& arguments, const Surroundings& surroundings,
                          BatchRequest batch, const std::string& backend) {
  const Lab& lab = find_lab(arguments.positionals().front());
  LabRequest request;
  request.kernel = students_kernel(arguments);
  request.labs_folder = labs_folder(surroundings.program);
  request.batch = std::move(batch);
  run::Selection selection = selection_from(arguments);
  if (selection.variants.empty()) selection.variants = {lab.variants.front().name};
  request.cases = run::plan_cases(lab, selection);
  request.cases.resize(1);
  EngineSet engines(backend);
  request.batch.arch = arch_from(arguments, engines);
  return perform(plan_of(lab, request, RunRecord{}, engines), engines, nullptr, surroundings).run;
}

}  // namespace lab::cli
