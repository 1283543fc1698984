#include "tools/cli/lab_plan.h"

#include <filesystem>

#include "tools/cli/places.h"
#include "tools/cli/student_kernel.h"

namespace lab::cli {

namespace {

// A path below the current directory is shown from there.
std::string shown_path(const std::string& path) {
  const std::string near =
      std::filesystem::path(path).lexically_proximate(std::filesystem::current_path()).string();
  return near.rfind("..", 0) == 0 ? path : near;
}

}  // namespace

run::Selection selection_from(const Arguments& arguments) {
  run::Selection selection;
  selection.variants = arguments.names("variant");
  for (const std::string& text : arguments.values("param")) {
    selection.sweeps.push_back(run::parse_param(text));
  }
  return selection;
}

std::optional<KernelText> students_kernel(const Arguments& arguments) {
  const auto path = arguments.value("kernel");
  if (!path) return {};
  return KernelText{*path, read_kernels(*path)};
}

RunPlan plan_of(const Lab& lab, const LabRequest& request, RunRecord head, EngineSet& engines) {
  RunPlan plan;
  plan.lab = &lab;
  plan.head = std::move(head);
  plan.head.lab = lab.number;
  plan.head.lab_id = lab.id;
  plan.head.folder = lab.folder;
  const std::string path = lab_file(request.labs_folder, lab, "kernels.cu");
  const KernelText own{shown_path(path), read_text(path, "the lab's kernels")};
  BatchRequest batch = request.batch;
  batch.lab = lab.number;
  batch.cases = request.cases;
  const KernelText& shown = request.kernel ? *request.kernel : own;
  plan.head.source_name = shown.name;
  plan.head.source_text = shown.text;
  if (request.kernel) {
    plan.groups = with_students_kernels(lab, batch, own, *request.kernel, engines.any());
  } else if (!is_as_shipped(request.labs_folder, lab, own.text)) {
    plan.groups = with_edited_kernels(lab, batch, own, engines.any());
  } else {
    batch.source = own;
    plan.groups = {{std::move(batch), true}};
  }
  plan.head.source_is_labs_own = plan.groups.front().own_kernel;
  return plan;
}

}  // namespace lab::cli
