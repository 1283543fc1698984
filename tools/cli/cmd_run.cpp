// lab run: runs a lab's cases and shows theory, model and measurement side by side.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/run/plan.h"
#include "labs/registry.h"
#include "tools/cli/case_view.h"
#include "tools/cli/commands.h"
#include "tools/cli/json.h"
#include "tools/cli/places.h"
#include "tools/cli/run_session.h"
#include "tools/cli/run_text.h"
#include "tools/cli/student_kernel.h"

namespace lab::cli {

namespace {

std::vector<const Lab*> chosen_labs(const std::vector<std::string>& names) {
  std::vector<const Lab*> labs;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const Lab& lab : all_labs()) labs.push_back(&lab);
    } else {
      labs.push_back(&find_lab(name));
    }
  }
  return labs;
}

run::Selection selection_from(const Arguments& arguments, bool for_gpu) {
  run::Selection selection;
  selection.variants = arguments.values("variant");
  for (const std::string& text : arguments.values("param")) {
    selection.sweeps.push_back(run::parse_param(text));
  }
  selection.for_gpu = for_gpu;
  return selection;
}

// A path below the current directory is shown from there.
std::string shown_path(const std::string& path) {
  const std::string near =
      std::filesystem::path(path).lexically_proximate(std::filesystem::current_path()).string();
  return near.rfind("..", 0) == 0 ? path : near;
}

/// What of a run does not depend on the lab.
struct Request {
  BatchRequest batch;
  std::optional<KernelText> kernel;
  std::string labs_folder;
};

RunPlan plan_of(const Lab& lab, const Request& request, const run::Selection& selection,
                const Arguments& arguments, EngineSet& engines) {
  RunPlan plan;
  plan.lab = &lab;
  plan.head = run_head(arguments);
  plan.head.lab = lab.number;
  plan.head.lab_id = lab.id;
  plan.head.folder = lab.folder;
  const std::string path = lab_file(request.labs_folder, lab, "kernels.cu");
  const KernelText own{shown_path(path), read_text(path, "the lab's kernels")};
  BatchRequest batch = request.batch;
  batch.lab = lab.number;
  batch.cases = run::plan_cases(lab, selection);
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

std::optional<KernelText> students_kernel(const Arguments& arguments) {
  const auto path = arguments.value("kernel");
  if (!path) return {};
  return KernelText{*path, read_kernels(*path)};
}

int run(const Arguments& arguments, const Surroundings& surroundings) {
  const std::vector<const Lab*> labs = chosen_labs(arguments.positionals());
  Request request{batch_from(arguments), students_kernel(arguments),
                  labs_folder(surroundings.program)};
  if (request.kernel && labs.size() > 1) {
    throw input_error("--kernel goes with one lab", "run the labs one by one");
  }
  // Bad names are told before anything is started or opened.
  const run::Selection named = selection_from(arguments, false);
  for (const Lab* lab : labs) static_cast<void>(run::plan_cases(*lab, named));
  EngineSet engines(arguments.value("backend").value_or("auto"));
  std::optional<db::Store> store = open_store(arguments);
  const run::Selection selection = selection_from(arguments, engines.uses_gpu());
  request.batch.arch = arch_from(arguments, engines);
  const RunTextOptions options{request.batch.metrics, store ? database_path(arguments) : ""};
  std::vector<RunRecord> finished;
  bool wrong = false;
  for (const Lab* lab : labs) {
    RunResult result = perform(plan_of(*lab, request, selection, arguments, engines), engines,
                               store ? &*store : nullptr, surroundings);
    wrong = wrong || something_wrong(result.run);
    if (arguments.has("json")) {
      finished.push_back(std::move(result.run));
    } else {
      fmt::print("{}{}", lab == labs.front() ? "" : "\n",
                 run_text(result.run, lab, options, surroundings.out));
    }
    if (result.store_failure) {
      if (arguments.has("json")) fmt::print("{}\n", runs_json(finished));
      std::rethrow_exception(result.store_failure);
    }
    if (surroundings.interrupted()) break;
  }
  if (arguments.has("json")) fmt::print("{}\n", runs_json(finished));
  return wrong ? 1 : 0;
}

}  // namespace

Command run_command() {
  std::vector<Option> options = {
      {"variant", "NAME", "Run this variant only", true},
      {"param", "NAME=VALUES", "Values of a parameter: 3; 1,2,4; 1..32; 1..32*2; 0..128+16", true},
      {"kernel", "FILE", "Run the kernels of this file in place of the lab's own"}};
  for (Option& option : batch_options()) options.push_back(std::move(option));
  return {"run",
          "Run a lab: theory, model and, where there is a GPU, measurement side by side",
          {"LAB", "Labs by number or name; all: every lab", 1, 100},
          std::move(options),
          "  lab run 3 --variant stride --param stride=1,2,4,8\n  lab run 3 --kernel mine.cu",
          run};
}

}  // namespace lab::cli
