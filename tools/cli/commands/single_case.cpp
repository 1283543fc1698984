#include "tools/cli/commands/single_case.h"

#include <algorithm>

#include "harness/labs/registry.h"
#include "harness/run/places.h"
#include "tools/cli/arguments/probe_options.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/watch.h"

namespace lab::cli {

std::vector<Option> single_case_options() {
  std::vector<Option> options = {
      {"variant", "NAME",
       "The variant (default: the one of the lab's picture, or that of --kernel)"},
      {"param", "NAME=VALUE",
       "Value of a parameter (default: of the lab's picture, else the variant's first point)",
       true},
      {"kernel", "FILE",
       "Run the kernels of this file in place of the lab's own; of a FILE, the kernel"},
      {"backend", "NAME", "What runs the kernel (default: model)", false, run::backend_choices()},
      {"arch", "SM", "Architecture to compile for (default: the GPU's, else sm_90)"}};
  for (Option& option : probe_option_rows()) options.push_back(std::move(option));
  for (Option& option : compile_option_rows()) options.push_back(std::move(option));
  return options;
}

using Also = std::function<void(const CaseOutcome&)>;

RunRecord run_probe_case(const std::string& file, const Arguments& arguments,
                         const Console& console, BatchRequest batch, run::Backends backend,
                         const Also& also, const std::function<void(Probe&)>& change) {
  Probe probe = probe_from(arguments, run::read_source(file, compile_options(arguments)));
  if (change) change(probe);
  run::EngineSet engines(workers_from(arguments, console, backend));
  batch.arch = arch_from(arguments, engines);
  batch.source = std::move(probe.source);
  compile_probe(arguments, batch, probe.spec, engines.any());
  CaseRequest request;
  request.job = std::move(probe.spec);
  batch.cases = {std::move(request)};
  const std::string arch = batch.arch;
  run::Plan plan = run::plan_probe(std::move(batch));
  note_asked_gpu(arguments, plan.head);
  return run_watched({std::move(plan), arch, {nullptr, {also}}}, engines, console).run;
}

namespace {

const std::string& usual_variant(const Lab& lab) {
  return lab.picture ? lab.picture->row.variant : lab.variants.front().name;
}

// The lab's picture where that is among the cases, else the first: of a sweep that is often a case
// that shows nothing.
CaseRequest telling_case(const Lab& lab, std::vector<CaseRequest> cases) {
  const auto is_picture = [&](const CaseRequest& request) {
    const auto& points = lab.picture->row.points;
    return request.variant == lab.picture->row.variant &&
           std::find(points.begin(), points.end(), request.params) != points.end();
  };
  const auto found =
      lab.picture ? std::find_if(cases.begin(), cases.end(), is_picture) : cases.end();
  return std::move(found == cases.end() ? cases.front() : *found);
}

}  // namespace

RunRecord run_single_case(const Arguments& arguments, const Console& console, BatchRequest batch,
                          run::Backends backend,
                          const std::function<void(const CaseOutcome&)>& also) {
  if (names_kernel_file(arguments.positionals().front())) {
    return run_probe_case(arguments.positionals().front(), arguments, console, std::move(batch),
                          backend, also);
  }
  const Lab& lab = find_lab(arguments.positionals().front());
  const auto theirs = students_kernel(arguments);
  run::Selection selection = selection_from(arguments);
  selection.all = true;
  // Of a file without a variant: the first whose kernel it defines.
  const bool any_of_theirs = theirs && selection.variants.empty();
  if (selection.variants.empty() && !theirs) selection.variants = {usual_variant(lab)};
  batch.cases = run::plan_cases(lab, selection);
  if (!any_of_theirs) batch.cases = {telling_case(lab, std::move(batch.cases))};
  run::Plan plan = run::plan_run(lab, std::move(batch), theirs);
  if (any_of_theirs) plan.others = run::Others::kLeftOut;
  plan.first_alone = true;
  note_asked_gpu(arguments, plan.head);
  run::EngineSet engines(workers_from(arguments, console, backend));
  return run_watched({std::move(plan), arch_from(arguments, engines), {nullptr, {also}}}, engines,
                     console)
      .run;
}

}  // namespace lab::cli
