// lab ncu: the same cases under Nsight Compute, beside ours.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/labs/registry.h"
#include "harness/ncu/tool.h"
#include "harness/run/ncu_import.h"
#include "harness/run/ncu_session.h"
#include "harness/run/places.h"
#include "metrics/sets.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/commands/show_import.h"
#include "tools/cli/commands/watch.h"
#include "tools/cli/json/json.h"

namespace lab::cli {

namespace {

run::NcuRequest request_from(const Arguments& arguments, BatchRequest& batch) {
  run::NcuRequest request;
  const auto& ours = metrics::set_names();
  for (const std::string& set : arguments.values("set")) {
    const bool is_ours = std::find(ours.begin(), ours.end(), set) != ours.end();
    (is_ours ? batch.metrics : request.sets).push_back(set);
  }
  request.metrics = batch.metrics;
  const bool warm = arguments.value("cache") == "warm";
  request.cache_control = arguments.value("cache-control").value_or(warm ? "none" : "all");
  request.clock_control = arguments.value("clock-control").value_or("none");
  request.keep = arguments.value("keep");
  return request;
}

const Lab* lab_named(const std::string& word) {
  for (const Lab& lab : all_labs()) {
    if (word == std::to_string(lab.number) || word == lab.id || word == lab.folder) return &lab;
  }
  return nullptr;
}

RunRecord measure(const Lab& lab, BatchRequest batch, const Arguments& arguments, db::Store& store,
                  const Console& console) {
  const auto theirs = students_kernel(arguments);
  const run::Backends backend = backend_from(arguments, run::Backends::kBoth);
  run::Selection selection = selection_from(arguments);
  selection.for_gpu = run::uses_gpu(backend);
  selection.all = arguments.has("all");
  batch.cases = run::plan_cases(lab, selection);
  run::Plan plan = run::plan_run(lab, std::move(batch), theirs);
  plan.head.student = arguments.value("student").value_or("");
  run::EngineSet engines(workers_from(arguments, console, backend));
  run::RunResult result =
      run_watched({std::move(plan), arch_from(arguments, engines), {&store}}, engines, console);
  if (result.store_failure) std::rethrow_exception(result.store_failure);
  return std::move(result.run);
}

// The program that runs under ncu: the stored run's cases once more, with its kernels, without
// counters.
int run_inside(const std::string& selector, const Arguments& arguments, const Console& console) {
  const RunRecord stored =
      db::Store::open(database_path(arguments), db::Mode::kReadOnly).load_run(selector);
  run::EngineSet engines(workers_from(arguments, console, run::Backends::kGpu));
  run::Plan plan = run::plan_again(stored);
  fmt::print("{}\n",
             runs_json({run_watched({std::move(plan), stored.arch}, engines, console).run}));
  return 0;
}

std::vector<std::string> inside_command(std::int64_t run, const std::string& database) {
  return {std::filesystem::read_symlink("/proc/self/exe").string(),
          "ncu",
          std::to_string(run),
          "--inside",
          "--db",
          database,
          "--json"};
}

}  // namespace

int run_ncu(const Arguments& arguments, const Console& console) {
  const std::string& word = arguments.positionals().front();
  if (arguments.has("inside")) return run_inside(word, arguments, console);
  BatchRequest batch = batch_from(arguments);
  run::NcuRequest request = request_from(arguments, batch);
  if (request.keep) require_output(*request.keep, files_read(arguments));
  const ncu::ToolSearch search = ncu::find_tool("ncu", ncu::usual_places());
  if (!search.found) throw ncu::ncu_not_found(search);
  const Lab* lab = lab_named(word);
  db::Store store = lab != nullptr ? run::open_database(database_path(arguments))
                                   : db::Store::open(database_path(arguments), db::Mode::kExisting);
  RunRecord stored =
      lab != nullptr ? measure(*lab, batch, arguments, store, console) : store.load_run(word);
  if (stored.lab == 0) {
    throw input_error(
        "a probe cannot be run again: its arguments are not stored",
        "ncu --nvtx --nvtx-include lab@check/ lab probe ... --no-counters profiles it");
  }
  if (console.interrupted()) return 0;
  const bool any = std::any_of(stored.cases.begin(), stored.cases.end(), run::ran);
  if (!any) {
    throw input_error(fmt::format("no case of run {} ran: there is nothing to profile", stored.id));
  }
  request.ncu = *search.found;
  request.program = inside_command(stored.id, database_path(arguments));
  if (console.err.tty) {
    fmt::print(stderr, "{} cases under Nsight Compute ...\n", stored.cases.size());
  }
  const run::Profiled profiled = run::profile(stored, request);
  const ncu::Imported imported =
      run::import_report(store, std::move(stored), profiled.report, profiled.conditions);
  return show_import(imported, arguments, console);
}

}  // namespace lab::cli
