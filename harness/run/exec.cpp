#include "harness/run/exec.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/core/error.h"
#include "harness/program/build/build.h"
#include "harness/program/build/load.h"

namespace lab::run {
namespace {

namespace fs = std::filesystem;

// Of the person's, as far as programs ask for them.
const std::vector<std::string> kEnvironment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"};

// What has run already, as a backend.
class Recorded : public Backend {
 public:
  explicit Recorded(std::vector<CaseOutcome> outcomes) : outcomes_(std::move(outcomes)) {}
  void run(const BatchRequest&, const BatchSink& sink) override {
    for (CaseOutcome& outcome : outcomes_) sink.finished(std::move(outcome));
    outcomes_.clear();
  }

 private:
  std::vector<CaseOutcome> outcomes_;
};

// All of the program's texts as one: the first file, and the others as what it includes.
KernelText whole_source(const ProgramRequest& request) {
  std::vector<KernelText> all;
  for (const ProgramUnit& unit : request.units) all.push_back(unit.source);
  all.insert(all.end(), request.others.begin(), request.others.end());
  KernelText whole = all.front();
  std::set<std::string> known = {whole.name};
  for (const IncludedText& one : whole.included) known.insert(one.name);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (known.insert(all[i].name).second) whole.included.push_back({all[i].name, all[i].text});
    for (const IncludedText& one : all[i].included) {
      if (known.insert(one.name).second) whole.included.push_back(one);
    }
  }
  return whole;
}

}  // namespace

namespace {

// What the program finds under the name of the runtime that it asks for.
void put_runtime(const fs::path& library, const fs::path& folder, const std::string& name) {
  std::error_code failed;
  fs::create_symlink(library, folder / name, failed);
  if (failed) throw machine_error("a link to the runtime library cannot be made");
}

void take_built(const ExecPlan& plan, const fs::path& made, ExecProgram& ready) {
  const fs::path library = worker::default_worker().parent_path() / "liblab-cudart.so";
  program::LoadedProgram loaded = program::load(plan.program, plan.arch, library);
  put_runtime(library, made, fs::path(loaded.runtime).filename().string());
  ready.request.units = std::move(loaded.units);
  Command& command = ready.request.command;
  command.words = {loaded.program};
  command.called = plan.program.string();
  command.environment = kEnvironment;
  command.environment.push_back("LD_LIBRARY_PATH=" + made.string());
}

void build_sources(const ExecPlan& plan, const program::BuildPlace& place, worker::Client& program,
                   worker::Client& compiler, ExecProgram& ready) {
  program::Built built = program::build(
      plan.sources, place, [&](const Command& command) { return program.command(command); });
  ready.compiler = built.compiler;
  for (ProgramUnit& unit : built.units) {
    if (unit.kernels.empty()) continue;
    unit.compiled = compiler.compile({unit.source, unit.kernels, plan.arch});
  }
  ready.request.units = std::move(built.units);
  ready.request.others = std::move(built.others);
  Command& command = ready.request.command;
  command.words = {built.program};
  command.called = "./" + fs::path(plan.sources.front().name).stem().string();
  command.environment = kEnvironment;
}

}  // namespace

ExecProgram build_program(const ExecPlan& plan, worker::Client& program, worker::Client& compiler) {
  const auto tell = [&](const std::string& stage) {
    if (plan.told) plan.told(stage);
  };
  tell("compiling");
  const fs::path made = plan.folder / "build";
  fs::create_directories(made);
  const program::BuildPlace place{made, fs::current_path(), worker::default_worker().parent_path()};
  ExecProgram ready;
  ProgramRequest& request = ready.request;
  if (plan.program.empty()) {
    build_sources(plan, place, program, compiler, ready);
  } else {
    take_built(plan, made, ready);
  }
  request.arch = plan.arch;
  request.threads = plan.threads;
  request.checks = plan.checks;
  request.each_launch = plan.each_launch;
  request.exact = plan.exact;
  request.sample = plan.sample;
  Command& command = request.command;
  command.words.insert(command.words.end(), plan.arguments.begin(), plan.arguments.end());
  command.folder = (plan.folder / "files").string();
  command.read = {place.library.string(), place.current.string(), made.string()};
  command.write = {command.folder};
  command.streams = plan.streams;
  command.seconds = plan.seconds;
  return ready;
}

ExecResult run_program(const ExecProgram& program, worker::Client& worker, EngineSet& engines,
                       const Outlet& outlet, const LaunchProgress& progress) {
  std::vector<CaseOutcome> outcomes;
  ExecResult done;
  BatchSink sink;
  sink.finished = [&](CaseOutcome outcome) { outcomes.push_back(std::move(outcome)); };
  sink.progress = progress;
  done.report = worker.program(program.request, sink);
  if (outcomes.empty()) return done;
  BatchRequest batch;
  batch.source = whole_source(program.request);
  batch.arch = program.request.arch;
  for (const CaseOutcome& outcome : outcomes) {
    CaseRequest request;
    request.index = outcome.record.index;
    request.job.emplace();
    request.job->kernel = outcome.record.kernel;
    request.job->launch = outcome.record.launch;
    batch.cases.push_back(std::move(request));
  }
  Recorded recorded(std::move(outcomes));
  Plan plan = plan_probe(std::move(batch));
  plan.head.compile_options = "";
  done.result =
      perform(prepare(plan, program.request.arch, engines.any()), engines, outlet, &recorded);
  return done;
}

}  // namespace lab::run
