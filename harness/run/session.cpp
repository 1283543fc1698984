#include "harness/run/session.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>

#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/run/machine.h"
#include "harness/run/version.h"

namespace lab::run {

namespace {

// Takes the cases of a run as they come. An error of the database ends the run but not the
// showing of what was found.
class Recorder {
 public:
  Recorder(RunRecord& run, db::Store* store, const RunSink& sink)
      : run_(run), store_(store), sink_(sink) {}

  void take(const CaseOutcome& outcome) {
    if (outcome.record.status == CaseStatus::kInterrupted) return;
    run_.cases.push_back(outcome.record);
    if (failure_) return;
    try {
      if (sink_.finished) sink_.finished(outcome);
      if (store_ != nullptr) store_->add_case(run_.id, outcome.record);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  /// Nothing could be run: a run without cases is of no use.
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

  [[nodiscard]] RunRecord& run() { return run_; }
  [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }

 private:
  RunRecord& run_;
  db::Store* store_;
  const RunSink& sink_;
  std::exception_ptr failure_;
};

void note_environment(RunRecord& run, const Outcome& outcome) {
  for (const auto& [key, value] : outcome.environment) run.environment[key] = value;
  for (const auto& [backend, why] : outcome.unavailable) {
    run.environment[fmt::format("{}_unavailable", name_of(backend))] = why;
  }
}

// Facts of the run that are known before its first case.
void describe(RunRecord& run, const BatchRequest& batch, const EngineSet& engines) {
  run.backend = engines.name();
  // What the user asked for was there before.
  auto known = engines.known_environment().values;
  run.environment.merge(known);
  run.arch = batch.arch;
  const auto gpu = run.environment.find("gpu");
  if (gpu != run.environment.end()) run.gpu = gpu->second;
  if (const std::string commit = program_commit(); !commit.empty()) {
    run.environment["commit"] = commit;
  }
  run.seed = batch.seed;
}

void run_parts(const Prepared& prepared, const Engines& engines, const metrics::Machine& machine,
               const RunSink& sink, Recorder& recorder) {
  const std::function<bool()> stopped = [&] {
    return recorder.failure() != nullptr || (sink.cancelled && sink.cancelled());
  };
  std::size_t before = 0;
  for (const Part& part : prepared.parts) {
    const std::size_t size = part.batch.cases.size();
    const RunSink of_part{[&](const CaseOutcome& outcome) { recorder.take(outcome); },
                          part_of(sink.progress, before, size, prepared.size()), stopped};
    note_environment(recorder.run(), execute(prepared.lab, part, engines, of_part, &machine));
    before += size;
  }
}

void note_end(RunRecord& run, std::size_t planned, const RunSink& sink) {
  const std::size_t missing = planned - run.cases.size();
  if (missing > 0 && sink.cancelled && sink.cancelled()) {
    run.status = RunStatus::kInterrupted;
    run.missing_cases = missing;
  } else {
    run.status = something_wrong(run) ? RunStatus::kFailed : RunStatus::kOk;
  }
}

// Names the run that begins now.
void stamp(RunRecord& head) {
  head.uuid = new_uuid();
  head.started_at = utc_now();
  head.program_version = program_version();
}

}  // namespace

RunResult perform(Prepared prepared, EngineSet& engines, const Outlet& outlet, const Engines* ran) {
  const auto& [store, sink] = outlet;
  RunRecord run = prepared.head;
  stamp(run);
  static_cast<void>(engines.environment());
  describe(run, prepared.parts.front().batch, engines);
  if (store != nullptr) store->begin_run(run);
  Recorder recorder(run, store, sink);
  try {
    const Engines used = ran == nullptr ? engines.engines() : *ran;
    run_parts(prepared, used, machine_of(run, store), sink, recorder);
  } catch (...) {
    recorder.abandon();
    throw;
  }
  std::sort(run.cases.begin(), run.cases.end(),
            [](const CaseRecord& a, const CaseRecord& b) { return a.index < b.index; });
  note_end(run, prepared.size(), sink);
  recorder.finish();
  return {std::move(run), std::move(prepared), recorder.failure()};
}

RunResult go(const Request& request, EngineSet& engines) {
  return perform(prepare(request.plan, request.arch, engines.any()), engines, request.outlet);
}

RunRecord not_run(const Plan& plan, const std::string& arch, const EngineSet& engines,
                  CaseStatus status, const std::string& reason) {
  RunRecord run = plan.head;
  stamp(run);
  BatchRequest batch = plan.batch;
  batch.arch = arch;
  describe(run, batch, engines);
  run.status = RunStatus::kFailed;
  for (const CaseRequest& request : batch.cases) {
    CaseRecord record;
    record.index = request.index;
    record.variant = request.variant;
    record.params = request.params;
    record.arch = arch;
    record.status = status;
    // A compiler's words are kept once.
    record.reason = run.cases.empty() ? reason : reason.substr(0, reason.find('\n'));
    run.cases.push_back(std::move(record));
  }
  return run;
}

std::string seal_key() {
  const char* key = std::getenv("LAB_SEAL_KEY");
  return key == nullptr ? "" : key;
}

db::Store open_database(const std::string& path) {
  std::vector<db::LabColumns> columns;
  for (const Lab& lab : all_labs()) {
    columns.push_back({lab.number, {}});
    for (const ParamSpec& spec : lab.params) columns.back().params.push_back(spec.name);
  }
  db::Store store = db::Store::open(path, db::Mode::kCreate, columns);
  store.set_key(seal_key());
  return store;
}

}  // namespace lab::run
