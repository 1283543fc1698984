// lab ncu: the same cases under Nsight Compute, beside ours.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/ncu/observe.h"
#include "harness/ncu/tool.h"
#include "labs/registry.h"
#include "metrics/sets.h"
#include "metrics/values.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"
#include "tools/cli/lab_plan.h"
#include "tools/cli/ncu_import.h"
#include "tools/cli/places.h"
#include "tools/cli/run_session.h"
#include "tools/cli/temporary_folder.h"
#include "tools/cli/text/case_view.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;

// What a person asked for beyond the cases.
struct Request {
  std::vector<std::string> metrics;   // keys, sets of ours and counters' names
  std::vector<std::string> ncu_sets;  // sets of Nsight Compute
  std::string cache_control;
  std::string clock_control;
  std::optional<std::string> keep;
};

Request request_from(const Arguments& arguments, BatchRequest& batch) {
  Request request;
  const auto& ours = metrics::set_names();
  for (const std::string& set : arguments.values("set")) {
    const bool is_ours = std::find(ours.begin(), ours.end(), set) != ours.end();
    (is_ours ? batch.metrics : request.ncu_sets).push_back(set);
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

// Ran on a GPU, and can do so again.
bool ran(const CaseRecord& record) {
  return record.status == CaseStatus::kOk || record.status == CaseStatus::kWrong ||
         record.status == CaseStatus::kFinding;
}

RunRecord measure(const Lab& lab, BatchRequest batch, const Arguments& arguments, db::Store& store,
                  const Surroundings& surroundings) {
  LabRequest request{
      std::move(batch), {}, students_kernel(arguments), labs_folder(surroundings.program)};
  run::Selection selection = selection_from(arguments);
  static_cast<void>(run::plan_cases(lab, selection));  // bad names are told first
  EngineSet engines(arguments.value("backend").value_or("both"));
  selection.for_gpu = engines.uses_gpu();
  request.batch.arch = arch_from(arguments, engines);
  request.cases = run::plan_cases(lab, selection);
  RunResult result =
      perform(plan_of(lab, request, run_head(arguments), engines), engines, &store, surroundings);
  if (result.store_failure) std::rethrow_exception(result.store_failure);
  return std::move(result.run);
}

// The counters that the run has values of, and those that were asked for.
std::vector<std::string> counters_of(const RunRecord& run, const std::vector<std::string>& asked) {
  const std::string chip = ncu::chip_of(run);
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const auto any_has = [&](std::string_view key, SourceOf source) {
    return std::any_of(run.cases.begin(), run.cases.end(), [&](const CaseRecord& record) {
      return metrics::value_of(record, key, source).has_value();
    });
  };
  for (const metrics::Metric& metric : metrics::catalogue()) {
    for (const auto source : {SourceOf::kCupti, SourceOf::kSass}) {
      const auto name = counter_name(metric, source, chip);
      if (!name.name.empty() && any_has(metric.key, source)) add(name.name);
    }
  }
  metrics::Plan plan = metrics::plan_metrics(asked, chip);
  if (names.empty()) plan = metrics::join(metrics::plan_set("default", chip), plan);
  for (const metrics::Counter& counter : plan.counters) add(counter.name);
  return names;
}

std::string text_or(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// What the program under ncu told of its machine and its kernels.
RunRecord told_by(const std::string& json_text) {
  RunRecord run;
  const auto json = nlohmann::json::parse(json_text, nullptr, false);
  if (json.is_discarded() || !json.contains("runs") || json["runs"].empty()) return run;
  const auto& first = json["runs"].front();
  for (const auto& [key, value] : first["run"]["environment"].items()) {
    if (value.is_string()) run.environment[key] = value.get<std::string>();
  }
  for (const auto& one : first["cases"]) {
    CaseRecord record;
    record.variant = text_or(one, "variant");
    for (const auto& [key, value] : one["facts"].items()) {
      if (value.is_string()) record.facts[key] = value.get<std::string>();
    }
    run.cases.push_back(std::move(record));
  }
  return run;
}

ncu::Conditions conditions_of(const RunRecord& inside, const Request& request,
                              const std::string& version) {
  ncu::Conditions theirs = ncu::our_conditions(inside);
  theirs["version"] = version;
  theirs["cache"] = request.cache_control == "all" ? "flushed before each pass" : "left warm";
  theirs["clocks"] = request.clock_control == "base" ? "locked to base" : "left alone";
  return theirs;
}

void keep_report(const fs::path& report, const std::string& where) {
  std::error_code failed;
  fs::copy_file(report, where, fs::copy_options::overwrite_existing, failed);
  if (failed) throw input_error(fmt::format("{}: {}", where, failed.message()));
}

struct Profiled {
  ncu::Report report;
  ncu::Conditions conditions;
};

Profiled profile(const RunRecord& run, const fs::path& ncu, const Request& request,
                 const std::string& database, const Surroundings& surroundings) {
  const TemporaryFolder folder("lab-ncu");
  const auto version = ncu::run_program({ncu.string(), "--version"}, folder.path());
  ncu::ProfileRequest profile;
  profile.ncu = ncu;
  profile.metrics = counters_of(run, request.metrics);
  profile.sets = request.ncu_sets;
  profile.cache_control = request.cache_control;
  profile.clock_control = request.clock_control;
  profile.report = folder.path() / "report.ncu-rep";
  profile.log = folder.path() / "ncu.log";
  profile.program = {fs::read_symlink("/proc/self/exe").string(),
                     "ncu",
                     std::to_string(run.id),
                     "--inside",
                     "--db",
                     database,
                     "--json"};
  if (surroundings.err.tty) {
    fmt::print(stderr, "{} cases under Nsight Compute ...\n", run.cases.size());
  }
  const ncu::Ended inside = ncu::run_program(ncu::profile_command(profile), folder.path());
  std::error_code ignored;
  if (!fs::exists(profile.report, ignored)) {
    const std::string log =
        fs::exists(profile.log, ignored) ? read_text(profile.log.string(), "ncu's log") : "";
    throw ncu::explain_failure(inside, log);
  }
  const ncu::Ended csv =
      ncu::run_program(ncu::export_command(ncu, profile.report), folder.path(), {"LC_ALL=C"});
  if (csv.status != 0) throw ncu::explain_failure(csv, "");
  if (request.keep) keep_report(profile.report, *request.keep);
  return {ncu::read_report(csv.out, "ncu's CSV"),
          conditions_of(told_by(inside.out), request, ncu::version_in(version.out))};
}

// What runs under ncu: the stored run's cases once more, with its kernels, and no counters.
int run_inside(const std::string& selector, const Arguments& arguments,
               const Surroundings& surroundings) {
  const RunRecord stored =
      db::Store::open(database_path(arguments), db::Mode::kReadOnly).load_run(selector);
  const Lab& lab = find_lab(std::to_string(stored.lab));
  LabRequest request;
  request.labs_folder = labs_folder(surroundings.program);
  request.batch.arch = stored.arch;
  request.batch.options = {{"no_counters", "1"}, {"no_timing", "1"}};
  const auto seed = stored.environment.find("seed");
  if (seed != stored.environment.end()) request.batch.seed = std::stoull(seed->second);
  for (const CaseRecord& record : stored.cases) {
    if (ran(record)) request.cases.push_back({record.index, record.variant, record.params, {}});
    const auto carveout = record.facts.find("carveout");
    if (carveout != record.facts.end() && carveout->second.find(" %") != std::string::npos) {
      request.batch.options["carveout"] = carveout->second.substr(0, carveout->second.find(' '));
    }
  }
  const std::string path = lab_file(request.labs_folder, lab, "kernels.cu");
  if (read_text(path, "the lab's kernels") != stored.source_text) {
    request.kernel = KernelText{stored.source_name, stored.source_text};
  }
  EngineSet engines("gpu");
  const RunRecord again =
      perform(plan_of(lab, request, RunRecord{}, engines), engines, nullptr, surroundings).run;
  fmt::print("{}\n", runs_json({again}));
  return 0;
}

int run_ncu(const Arguments& arguments, const Surroundings& surroundings) {
  const std::string& word = arguments.positionals().front();
  if (arguments.has("inside")) return run_inside(word, arguments, surroundings);
  BatchRequest batch = batch_from(arguments);
  const Request request = request_from(arguments, batch);
  const ncu::ToolSearch search = ncu::find_tool("ncu", ncu::usual_places());
  if (!search.found) throw ncu::ncu_not_found(search);
  const Lab* lab = lab_named(word);
  db::Store store = lab != nullptr ? open_database(arguments)
                                   : db::Store::open(database_path(arguments), db::Mode::kExisting);
  RunRecord stored =
      lab != nullptr ? measure(*lab, batch, arguments, store, surroundings) : store.load_run(word);
  if (stored.lab == 0) {
    throw input_error(
        "a probe cannot be run again: its arguments are not stored",
        "ncu --nvtx --nvtx-include lab@check/ lab probe ... --no-counters profiles it");
  }
  if (surroundings.interrupted()) return 0;
  const bool any = std::any_of(stored.cases.begin(), stored.cases.end(), ran);
  if (!any)
    throw input_error(fmt::format("no case of run {} ran: there is nothing to profile", stored.id));
  const Profiled profiled =
      profile(stored, *search.found, request, database_path(arguments), surroundings);
  const Imported imported =
      import_report(store, std::move(stored), profiled.report, profiled.conditions);
  if (arguments.has("json")) {
    fmt::print("{}\n", imported_json(imported));
  } else {
    fmt::print("{}", imported_text(imported, surroundings.out));
  }
  return something_wrong(imported.run) || exact_differs(counter_rows(imported.run)) ? 1 : 0;
}

}  // namespace

Command ncu_command() {
  std::vector<Option> options = {
      {"variant", "NAMES", "Run these variants only", true},
      {"param", "NAME=VALUES", "Values of a parameter: 3; 1,2,4; 1..32; 1..32*2; 0..128+16", true},
      {"kernel", "FILE", "Run the kernels of this file in place of the lab's own"},
      {"set", "NAME", "A set of ours (arbitration) or of Nsight Compute (basic, full)", true},
      {"keep", "FILE", "Keep the report: FILE.ncu-rep opens in Nsight Compute"},
      {"cache-control", "MODE", "ncu's (default all, as ours flushes)", false, {"all", "none"}},
      {"clock-control", "MODE", "ncu's (default none, as ours)", false, {"none", "base"}},
      {"inside", "", "What lab ncu starts under ncu: the run once more, without counters"}};
  for (Option& option : batch_options()) {
    if (option.name != "no-store") options.push_back(std::move(option));
  }
  return {"ncu",
          "Run the same cases under Nsight Compute and show its values beside ours",
          {"LAB|RUN", "A lab, which is run first, or a stored run: its uuid's beginning, or last",
           1, 1},
          std::move(options),
          "  lab ncu 3 --variant stride --param stride=1,2,32\n"
          "  lab ncu last --set full --keep stride.ncu-rep",
          run_ncu};
}

}  // namespace lab::cli
