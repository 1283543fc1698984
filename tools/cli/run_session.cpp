#include "tools/cli/run_session.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "labs/registry.h"
#include "metrics/sets.h"
#include "tools/cli/terminal/progress.h"
#include "tools/cli/text/case_view.h"
#include "tools/cli/version.h"

namespace lab::cli {

namespace {

Checks parse_checks(const std::optional<std::string>& text) {
  if (text == "full") return Checks::kFull;
  return text == "off" ? Checks::kOff : Checks::kAuto;
}

std::vector<std::string> asked_metrics(const Arguments& arguments) {
  const std::vector<std::string> names = arguments.names("metrics");
  // For its error alone, which names what is unknown: the chip comes later.
  static_cast<void>(metrics::plan_metrics(names, "GH100"));
  return names;
}

// What a case left undone by Ctrl-C looks like.
bool left_undone(const CaseRecord& record) {
  return record.status == CaseStatus::kSkipped && record.reason == "interrupted";
}

// Takes the cases of a run as they come. An error of the database ends the run but not the
// showing of what was found.
class Recorder {
 public:
  Recorder(RunRecord& run, db::Store* store, const OutcomeSink& also)
      : run_(run), store_(store), also_(also) {}

  void take(const CaseOutcome& outcome) {
    if (left_undone(outcome.record)) return;
    run_.cases.push_back(outcome.record);
    if (failure_) return;
    try {
      if (also_) also_(outcome);
      if (store_ != nullptr) store_->add_case(run_.id, outcome.record);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  /// Nothing could be run: a run with no case is of no use to anybody.
  void abandon() {
    try {
      if (store_ != nullptr && run_.cases.empty()) store_->delete_run(run_.id);
    } catch (const std::exception& error) {
      spdlog::warn("an empty run stays in the database: {}", error.what());
    }
  }

  void finish() {
    if (failure_ || store_ == nullptr) return;
    try {
      store_->update_run(run_);
      store_->finish_run(run_.id, run_.status);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }

 private:
  RunRecord& run_;
  db::Store* store_;
  const OutcomeSink& also_;
  std::exception_ptr failure_;
};

void note_environment(RunRecord& run, const run::Outcome& outcome) {
  for (const auto& [key, value] : outcome.environment) run.environment[key] = value;
  for (const auto& [backend, why] : outcome.unavailable) {
    run.environment[backend + "_unavailable"] = why;
    fmt::print(stderr, "note: no results from the {}: {}\n", backend, safe_text(why));
  }
}

std::string label_of(const RunPlan& plan) {
  return plan.lab == nullptr ? "probe" : fmt::format("lab {}", plan.lab->number);
}

}  // namespace

RunResult perform(RunPlan plan, EngineSet& engines, db::Store* store,
                  const Surroundings& surroundings, const OutcomeSink& also) {
  RunRecord& run = plan.head;
  run.backend = engines.name();
  run.environment = engines.environment();
  run.arch = plan.groups.front().batch.arch;
  const auto gpu = run.environment.find("gpu");
  if (gpu != run.environment.end()) run.gpu = gpu->second;
  if (const std::string commit = program_commit(); !commit.empty()) {
    run.environment["commit"] = commit;
  }
  // What a second run needs to give the same values: one seed for all groups of a run.
  run.environment["seed"] = std::to_string(plan.groups.front().batch.seed);
  if (store != nullptr) store->begin_run(run);
  Recorder recorder(run, store, also);
  std::size_t total = 0;
  for (const Group& group : plan.groups) total += group.batch.cases.size();
  {
    Progress progress(label_of(plan), surroundings.err);
    std::size_t before = 0;
    for (const Group& group : plan.groups) {
      const auto size = static_cast<double>(group.batch.cases.size());
      const run::RunSink sink{
          [&](const CaseOutcome& outcome) { recorder.take(outcome); },
          [&](double fraction) {
            progress.show((static_cast<double>(before) + fraction * size) /
                          static_cast<double>(total));
          },
          [&] { return surroundings.interrupted() || recorder.failure() != nullptr; }};
      try {
        note_environment(
            run, run::execute(plan.lab, group.own_kernel, group.batch, engines.engines(), sink));
      } catch (...) {
        recorder.abandon();
        throw;
      }
      before += group.batch.cases.size();
    }
  }
  std::sort(run.cases.begin(), run.cases.end(),
            [](const CaseRecord& a, const CaseRecord& b) { return a.index < b.index; });
  run.status = surroundings.interrupted() ? "interrupted" : something_wrong(run) ? "failed" : "ok";
  recorder.finish();
  return {std::move(run), recorder.failure()};
}

std::pair<std::uint32_t, std::uint32_t> parse_warp(const std::string& text) {
  std::uint32_t numbers[2] = {};
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t i = 0; i < 2; ++i) {
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    const bool separated = i == 0 ? next != end && *next == ',' : next == end;
    if (error != std::errc() || !separated) {
      throw input_error(fmt::format("--warp takes a block and a warp, not '{}'", text),
                        "--warp 0,1 logs the second warp of the first block");
    }
    at = next + 1;
  }
  return {numbers[0], numbers[1]};
}

std::vector<Option> batch_options() {
  return {
      {"backend", "NAME", "What runs the kernels (default auto: the model, and the GPU if any)",
       false, backend_choices()},
      {"arch", "SM", "Architecture to compile for (default: the GPU's, else sm_90)"},
      {"metrics", "LIST", "More metrics: names of lab metrics or of CUPTI, with commas", true},
      {"check", "HOW", "The model's checkers", false, {"auto", "full", "off"}},
      {"warp", "B,W", "Log the memory accesses of warp W of block B (in --json: accesses)"},
      {"seed", "N", "Seed of the input data (default 1)"},
      {"timeout", "SECONDS", "Give a case up after this long"},
      {"cache", "STATE", "L2 before each counted launch (default cold)", false, {"cold", "warm"}},
      {"repeat", "N", "Collect the counters N times"},
      {"no-counters", "", "Leave the counters alone, as under Nsight tools"},
      {"cold", "", "Flush L2 before each timed launch, too"},
      {"no-timing", "", "Leave the timing loop out"},
      {"lines", "", "Count per source line on the GPU, too, each case in a process of its own"},
      {"carveout", "PERCENT", "Share of the L1 data store preferred as shared memory"},
      {"threads", "N", "CPU threads of the model (default: all cores)"},
      database_option(),
      {"no-store", "", "Don't store the run"},
      {"student", "NAME", "Whose run it is"}};
}

BatchRequest batch_from(const Arguments& arguments) {
  constexpr std::int64_t kDay = 86400;
  BatchRequest batch;
  batch.metrics = asked_metrics(arguments);
  batch.checks = parse_checks(arguments.value("check"));
  if (const auto warp = arguments.value("warp")) batch.warp = parse_warp(*warp);
  batch.seed = static_cast<std::uint64_t>(arguments.number("seed", 0, INT64_MAX).value_or(1));
  batch.timeout_s = static_cast<double>(arguments.number("timeout", 1, kDay).value_or(0));
  if (const auto cache = arguments.value("cache")) batch.options["cache"] = *cache;
  for (const auto& [name, most] : {std::pair{"repeat", 1000}, std::pair{"carveout", 100}}) {
    if (const auto n = arguments.number(name, 0, most)) batch.options[name] = std::to_string(*n);
  }
  if (arguments.has("no-counters")) batch.options["no_counters"] = "1";
  if (arguments.has("lines")) batch.options["lines"] = "1";
  if (arguments.has("cold")) batch.options["cold"] = "1";
  if (arguments.has("no-timing")) batch.options["no_timing"] = "1";
  batch.threads = static_cast<int>(arguments.number("threads", 1, 1024).value_or(0));
  return batch;
}

Option stalls_option() {
  return {"stalls", "", "Sample on the GPU what warps wait for at each line, and count nothing"};
}

std::string backend_with_stalls(const Arguments& arguments, const std::string& fallback,
                                BatchRequest& batch) {
  std::string asked = arguments.value("backend").value_or(fallback);
  if (!arguments.has("stalls")) return asked;
  for (const char* other : {"lines", "no_counters"}) {
    if (batch.options.count(other) == 0) continue;
    const std::string option = other == std::string("lines") ? "--lines" : "--no-counters";
    throw input_error("--stalls is a run of its own: it does not go with " + option,
                      "do the one, then the other");
  }
  if (asked == "model" && arguments.value("backend")) {
    throw input_error("--stalls samples on a GPU: it does not go with --backend model");
  }
  batch.options["stalls"] = "1";
  return asked == "gpu" ? "gpu" : "both";
}

std::string arch_from(const Arguments& arguments, EngineSet& engines) {
  const auto arch = arguments.value("arch");
  return arch ? *arch : engines.arch();
}

RunRecord run_head(const Arguments& arguments) {
  RunRecord run;
  run.uuid = new_uuid();
  run.started_at = utc_now();
  run.program_version = LAB_VERSION;
  run.student = arguments.value("student").value_or("");
  return run;
}

db::Store open_database(const Arguments& arguments) {
  std::vector<db::LabColumns> columns;
  for (const Lab& lab : all_labs()) {
    columns.push_back({lab.number, {}});
    for (const ParamSpec& spec : lab.params) columns.back().params.push_back(spec.name);
  }
  return db::Store::open(database_path(arguments), db::Mode::kCreate, columns);
}

std::optional<db::Store> open_store(const Arguments& arguments) {
  if (arguments.has("no-store")) return {};
  return open_database(arguments);
}

}  // namespace lab::cli
