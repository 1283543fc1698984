// lab run: runs a lab's cases and shows theory, model and measurement side by side.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/classes/study/progress.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/page/make.h"
#include "harness/reading/generations/pattern.h"
#include "harness/run/gpu_size.h"
#include "harness/run/kernels.h"
#include "harness/run/machine.h"
#include "harness/run/places.h"
#include "harness/run/screen_map.h"
#include "harness/run/session.h"
#include "metrics/sets.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/advising.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/learning.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/commands/shown_run.h"
#include "tools/cli/commands/watch.h"
#include "tools/cli/json/json.h"
#include "tools/cli/terminal/pager.h"

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

// A command that would take such a file; empty: no lab does.
std::string pattern_hint() {
  for (const Lab& lab : all_labs()) {
    if (addresses_param(lab) != nullptr)
      return fmt::format("lab run {} --pattern FILE", lab.called());
  }
  return {};
}

// `--pattern FILE`: a warp's addresses, for the variants that take such a list.
void select_pattern(const Arguments& arguments, const std::vector<const Lab*>& labs,
                    run::Selection& selection) {
  const auto file = arguments.value("pattern");
  if (!file) return;
  const ParamSpec* addresses = labs.size() == 1 ? addresses_param(*labs.front()) : nullptr;
  if (addresses == nullptr) {
    throw input_error("--pattern goes with one lab that takes a list of addresses", pattern_hint());
  }
  const std::string text = run::read_text(*file, "the pattern");
  selection.sweeps.emplace_back(addresses->name, labs::text_of(labs::read_pattern(text, *file)));
  if (!selection.variants.empty()) return;
  for (const Variant& variant : labs.front()->variants) {
    const auto& reads = variant.reads;
    if (std::find(reads.begin(), reads.end(), addresses->name) != reads.end()) {
      selection.variants.push_back(variant.name);
    }
  }
}

run::Selection selection_of(const Arguments& arguments, const std::vector<const Lab*>& labs,
                            bool for_gpu) {
  run::Selection selection = selection_from(arguments);
  selection.for_gpu = for_gpu;
  selection.all = arguments.has("all");
  select_pattern(arguments, labs, selection);
  return selection;
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

// Bad names are told before anything is started or opened.
std::vector<run::Plan> plans_of(const Arguments& arguments, const BatchRequest& batch,
                                bool for_gpu) {
  const std::vector<const Lab*> labs = chosen_labs(arguments.positionals());
  const std::optional<KernelText> theirs = students_kernel(arguments);
  if (theirs && labs.size() > 1) {
    throw input_error("--kernel goes with one lab", "run the labs one by one");
  }
  const run::Selection selection = selection_of(arguments, labs, for_gpu);
  std::vector<run::Plan> plans;
  for (const Lab* lab : labs) {
    BatchRequest of_lab = batch;
    of_lab.cases = run::plan_cases(*lab, selection);
    plans.push_back(run::plan_run(*lab, std::move(of_lab), theirs));
    // Variants asked for by name run with the lab's kernels where the file has none for them.
    if (theirs && !arguments.has("variant")) plans.back().others = run::Others::kLeftOut;
    plans.back().head.student = arguments.value("student").value_or("");
  }
  return plans;
}

// Cases of the plan's variants that --all would run beside those that are run.
std::size_t left_out(const Arguments& arguments, const run::Prepared& run, bool for_gpu) {
  run::Selection selection = selection_of(arguments, {run.lab}, for_gpu);
  selection.all = true;
  std::set<std::string> variants;
  for (const run::Part& part : run.parts) {
    for (const CaseRequest& request : part.batch.cases) variants.insert(request.variant);
  }
  const std::vector<CaseRequest> all = run::plan_cases(*run.lab, selection);
  const auto of_plan = std::count_if(all.begin(), all.end(), [&](const CaseRequest& request) {
    return variants.contains(request.variant);
  });
  return static_cast<std::size_t>(of_plan) - run.size();
}

// The labs that Ctrl-C left out.
page::Page not_begun_page(const std::vector<run::Plan>& plans, std::size_t begun) {
  std::vector<std::string> labs;
  for (std::size_t i = begun; i < plans.size(); ++i) labs.push_back(plans[i].lab->called());
  if (labs.empty()) return {};
  return {{page::sentence(fmt::format("Interrupted: not begun: lab{} {}.",
                                      labs.size() == 1 ? "" : "s", fmt::join(labs, ", ")))}};
}

// Says where a run was stored, or why it was not.
std::string stored_text(const RunRecord& run, const Arguments& arguments) {
  try {
    db::Store store = run::open_database(database_path(arguments));
    const std::int64_t id = store.import_run(run, utc_now());
    return fmt::format("stored as run {} in {}", id, safe_line(database_path(arguments)));
  } catch (const Error& error) {
    return fmt::format("not stored: {}", error.what());
  }
}

// A file that does not compile is a run too, so that an older pass is not the newest any more.
run::Prepared prepared(run::Plan plan, run::EngineSet& engines, const Arguments& arguments) {
  const std::string arch = arch_from(arguments, engines);
  try {
    return run::prepare(plan, arch, engines.any());
  } catch (const run::NotCompiled& error) {
    if (arguments.has("no-store")) throw;
    run::keep_named_kernels(plan);
    const std::string stored = stored_text(
        run::not_run(plan, arch, engines, CaseStatus::kNotCompiled, run::compiler_text(error)),
        arguments);
    throw Error(error.fault(), error.what(),
                error.hint().empty() ? stored : error.hint() + "\n" + stored, error.place());
  }
}

std::size_t cases_of(const std::vector<run::Plan>& plans) {
  std::size_t cases = 0;
  for (const run::Plan& plan : plans) cases += plan.batch.cases.size();
  return cases;
}

// Nothing of the lab was chosen: then its lesson is what to show.
bool is_plain(const Arguments& arguments) {
  constexpr const char* kChoices[] = {"all", "variant", "param", "kernel", "pattern", "metrics"};
  return std::none_of(std::begin(kChoices), std::end(kChoices),
                      [&](const char* name) { return arguments.has(name); });
}

int run_run(const Arguments& arguments, const Console& console) {
  BatchRequest batch = batch_from(arguments);
  const run::Backends backend = backend_with_stalls(arguments, run::Backends::kAuto, batch);
  const run::EngineSettings workers = workers_from(arguments, console, backend);
  const bool for_gpu = run::uses_gpu(backend);
  std::vector<run::Plan> plans = plans_of(arguments, batch, for_gpu);
  run::EngineSet engines(workers);
  const bool json = arguments.has("json");
  const bool stores = !arguments.has("no-store");
  reading::RunView view{columns_of(batch.metrics)};
  view.all = arguments.has("all");
  view.lesson = is_plain(arguments);
  view.whole = arguments.has("variant");
  if (stores) view.stored = shown_place(database_path(arguments));
  std::optional<db::Store> store;
  std::optional<Watch> watch;
  std::vector<RunRecord> finished;
  std::vector<Diagnoses> found(plans.size());
  PageParts parts(arguments, console);
  bool wrong = false;
  for (run::Plan& plan : plans) {
    note_asked_gpu(arguments, plan.head);
    run::Prepared ready = prepared(plan, engines, arguments);
    // A student's file, which goes with one lab, says how many cases there are.
    if (!watch) watch.emplace(console, plans.size() == 1 ? ready.size() : cases_of(plans));
    view.left_out = left_out(arguments, ready, for_gpu);
    // A file with no kernel of the lab leaves no empty database behind.
    if (!store) store = open_store(arguments);
    run::RunResult result = watch->run(std::move(ready), engines, {store ? &*store : nullptr});
    wrong = wrong || run::something_wrong(result.run);
    db::Store* stored = store && !result.store_failure ? &*store : nullptr;
    if (view.lesson) {
      CaseRecord seen;
      seen.accesses = run::pictured_accesses(result, engines);
      view.picture = run::mapped_access(seen.accesses);
      const CaseRecord* const pictured = run::pictured_case(result.run, *plan.lab);
      if (pictured != nullptr) keep_seen(stored, result.run, *pictured, seen);
      result.run.at_gpu_size =
          run::at_gpu_size(result, engines, run::machine_of(result.run, stored));
      if (stored != nullptr) stored->keep_at_gpu_size(result.run);
    }
    std::vector<Advised> advised;
    if (plan.own) advised = advised_in(result, stored, workers, AdviceFor::kEachVariant);
    for (Advised& one : advised) found[finished.size()][one.record->index] = one.found;
    if (!json) {
      const Pager pager(plans.size() == 1 && !arguments.has("no-pager"));
      if (view.lesson) view.next = next_of(*plan.lab, stored, result.run.student);
      page::Page shown = shown_run(result.run, plan.lab, view, stored);
      shown.blocks.front().apart = true;
      parts.add(std::move(shown));
      if (plan.own) {
        parts.add(advised_page(result, advised, AdviceFor::kEachVariant));
        parts.add(solved_page(result.run, *plan.lab, stored, result.run.student));
      }
    }
    finished.push_back(std::move(result.run));
    if (result.store_failure) {
      if (json) fmt::print("{}\n", runs_json(finished, found));
      std::rethrow_exception(result.store_failure);
    }
    if (console.interrupted()) break;
  }
  if (!json) {
    parts.add(not_begun_page(plans, finished.size()));
    parts.end();
  }
  if (json) fmt::print("{}\n", runs_json(finished, found));
  return wrong ? 1 : 0;
}

}  // namespace

Command run_command() {
  std::vector<Option> options = {
      {"variant", "NAMES", "Run these variants only", true},
      {"param", "NAME=VALUES", "Values of a parameter: 3; 1,2,4; 2^20; 1..32; 1..32*2; 0..128+16",
       true},
      {"kernel", "FILE", "Run the kernels of this file in place of the lab's own"},
      {"pattern", "FILE", "The addresses of a warp's 32 lanes, for a lab that takes them"},
      {"all", "", "Run every point of each sweep, not the telling ones alone; show every source"}};
  for (Option& option : compile_option_rows()) options.push_back(std::move(option));
  for (Option& option : batch_options()) options.push_back(std::move(option));
  options.push_back(stalls_option());
  options.push_back(page_option());
  return {"run",
          "Run a lab: theory, model and, where there is a GPU, measurement side by side",
          {"LAB", "Labs by number or name; all: every lab", 1, 100},
          std::move(options),
          "  lab run 3 --variant stride --param stride=1,2,4,8\n  lab run 3 --kernel mine.cu",
          run_run};
}

}  // namespace lab::cli
