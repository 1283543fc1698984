// lab run: runs a lab's cases and shows theory, model and measurement side by side.
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "labs/09_capabilities/pattern.h"
#include "labs/registry.h"
#include "metrics/sets.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"
#include "tools/cli/lab_plan.h"
#include "tools/cli/places.h"
#include "tools/cli/text/case_view.h"
#include "tools/cli/text/ceiling_text.h"
#include "tools/cli/text/run_text.h"
#include "tools/cli/text/stalls_text.h"
#include "tools/cli/text/table.h"

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

// What goes wrong with parameters that do not go together is told before anything is started.
void require_launchable(const Lab& lab, const std::vector<CaseRequest>& cases) {
  for (const CaseRequest& request : cases) {
    const Variant& variant = find_variant(lab, request.variant);
    if (variant.launch) static_cast<void>(variant.launch(request.params));
  }
}

// --pattern FILE: its addresses as a parameter of the variants that read one.
void select_pattern(const Arguments& arguments, const std::vector<const Lab*>& labs,
                    run::Selection& selection) {
  const auto file = arguments.value("pattern");
  if (!file) return;
  if (labs.size() != 1 || labs.front()->id != "capabilities") {
    throw input_error("--pattern goes with lab 9", "lab run 9 --pattern FILE");
  }
  const labs::Pattern pattern = labs::read_pattern(read_text(*file, "the pattern"), *file);
  selection.sweeps.emplace_back("addresses", labs::text_of(pattern));
  if (selection.variants.empty()) selection.variants = {"pattern", "pattern_shared"};
}

// Columns of the table: what was asked for by name; a set's name stands for no column.
std::vector<std::string> columns_of(const std::vector<std::string>& asked) {
  const std::vector<std::string>& sets = metrics::set_names();
  std::vector<std::string> columns;
  for (const std::string& name : asked) {
    if (std::find(sets.begin(), sets.end(), name) == sets.end()) columns.push_back(name);
  }
  return columns;
}

int run_run(const Arguments& arguments, const Surroundings& surroundings) {
  const std::vector<const Lab*> labs = chosen_labs(arguments.positionals());
  LabRequest request{
      batch_from(arguments), {}, students_kernel(arguments), labs_folder(surroundings.program)};
  if (request.kernel && labs.size() > 1) {
    throw input_error("--kernel goes with one lab", "run the labs one by one");
  }
  // Bad names are told before anything is started or opened.
  run::Selection selection = selection_from(arguments);
  select_pattern(arguments, labs, selection);
  for (const Lab* lab : labs) require_launchable(*lab, run::plan_cases(*lab, selection));
  EngineSet engines(backend_with_stalls(arguments, "auto", request.batch));
  std::optional<db::Store> store;
  selection.for_gpu = engines.uses_gpu();
  request.batch.arch = arch_from(arguments, engines);
  const bool stores = !arguments.has("no-store");
  const RunTextOptions options{columns_of(request.batch.metrics),
                               stores ? database_path(arguments) : ""};
  std::vector<RunRecord> finished;
  bool wrong = false;
  for (const Lab* lab : labs) {
    request.cases = run::plan_cases(*lab, selection);
    RunPlan plan = plan_of(*lab, request, run_head(arguments), engines);
    // A kernel that does not compile leaves no empty database behind.
    if (stores && !store) store = open_database(arguments);
    RunResult result = perform(std::move(plan), engines, store ? &*store : nullptr, surroundings);
    wrong = wrong || something_wrong(result.run);
    if (arguments.has("json")) {
      finished.push_back(std::move(result.run));
    } else {
      fmt::print("{}{}", lab == labs.front() ? "" : "\n",
                 run_text(result.run, lab, options, surroundings.out));
      fmt::print("{}", stalls_text(result.run, surroundings.out));
      if (lab->tables) {
        fmt::print("{}", text_tables(lab->tables(result.run.cases), surroundings.out));
      }
      if (store && !result.store_failure) {
        fmt::print("{}", bounds_text(result.run, *store, surroundings.out));
      }
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
      {"variant", "NAMES", "Run these variants only", true},
      {"param", "NAME=VALUES", "Values of a parameter: 3; 1,2,4; 1..32; 1..32*2; 0..128+16", true},
      {"kernel", "FILE", "Run the kernels of this file in place of the lab's own"},
      {"pattern", "FILE", "Lab 9: the addresses of a warp's 32 lanes"}};
  for (Option& option : batch_options()) options.push_back(std::move(option));
  options.push_back(stalls_option());
  return {"run",
          "Run a lab: theory, model and, where there is a GPU, measurement side by side",
          {"LAB", "Labs by number or name; all: every lab", 1, 100},
          std::move(options),
          "  lab run 3 --variant stride --param stride=1,2,4,8\n  lab run 3 --kernel mine.cu",
          run_run};
}

}  // namespace lab::cli
