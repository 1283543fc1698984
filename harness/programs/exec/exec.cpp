#include "harness/programs/exec/exec.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/programs/build/build.h"
#include "harness/programs/build/load.h"
#include "harness/run/layout_cures.h"
#include "harness/run/machine.h"

namespace lab::exec {
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

// What the program finds under the name of the runtime that it asks for.
void put_runtime(const fs::path& library, const fs::path& folder, const std::string& name) {
  std::error_code failed;
  fs::create_symlink(library, folder / name, failed);
  if (failed) throw machine_error("a link to the runtime library cannot be made");
}

// Of .file 1 "/home/me/app.cu", 1700000000, 512
std::vector<std::string> files_of(const std::string& ptx) {
  std::vector<std::string> names;
  for (const std::string_view line : split(ptx, '\n')) {
    const std::string_view words = trim(line);
    const std::size_t open = words.find('"');
    if (!words.starts_with(".file") || open == words.npos) continue;
    const std::string_view rest = words.substr(open + 1);
    names.emplace_back(rest.substr(0, rest.find('"')));
  }
  return names;
}

// nvcc names files by their whole paths; people, from where they are.
void name_from_here(CaseRecord& record) {
  const std::string here = fs::current_path().string() + "/";
  const auto shorten = [&](std::string& file) {
    if (file.starts_with(here)) file.erase(0, here.size());
  };
  for (Finding& finding : record.findings) shorten(finding.file);
  for (Finding& remark : record.remarks) shorten(remark.file);
  for (LineObservation& line : record.lines) shorten(line.file);
}

// What was found on the host's side is a case of its own, which has no kernel.
CaseOutcome host_case(const ProgramReport& report, const std::string& arch, std::size_t index) {
  CaseOutcome outcome;
  CaseRecord& record = outcome.record;
  record.index = static_cast<int>(index);
  record.variant = kHostCode;
  record.arch = arch;
  record.launch = {{0, 0, 0}, {0, 0, 0}, 0};
  record.findings = report.findings;
  const bool mistake =
      std::any_of(report.findings.begin(), report.findings.end(),
                  [](const Finding& one) { return one.kind != FindingKind::kLeak; });
  record.status = mistake ? CaseStatus::kFinding : CaseStatus::kOk;
  if (report.end.over != Overrun::kNone) {
    record.status = CaseStatus::kError;
    record.reason = overrun_text(report.end);
  }
  if (!report.broken.empty()) {
    record.status = CaseStatus::kError;
    record.reason = "it sends lab itself what no CUDA program sends: " + report.broken;
  }
  return outcome;
}

// The files of the current folder that line tables name, for the lines that people see.
std::vector<IncludedText> sources_named(const std::string& ptx) {
  constexpr std::uintmax_t kMost = std::uintmax_t{1} << 20U;
  std::vector<IncludedText> sources;
  const fs::path here = fs::current_path();
  for (const std::string& name : files_of(ptx)) {
    const fs::path relative = fs::path(name).lexically_proximate(here);
    std::error_code failed;
    const bool below = !relative.empty() && relative.is_relative() && *relative.begin() != "..";
    if (!below || !fs::is_regular_file(relative, failed)) continue;
    if (fs::file_size(relative, failed) > kMost) continue;
    sources.push_back({relative.string(), read_file(relative.string(), "a source")});
  }
  return sources;
}

/// The workers that a program is made with.
struct Makers {
  worker::Client& program;   // starts compilers
  worker::Client& compiler;  // of kernels
  worker::Client& reader;    // of what came out of compilers
};

void take_built(const fs::path& program, const ExecPlan& plan, const fs::path& made,
                worker::Client& reader, ExecProgram& ready) {
  const fs::path library = worker::default_worker().parent_path() / "liblab-cudart.so";
  BinaryQuestion question = program::question_of(BinaryKind::kProgram, program, program.string());
  question.arch = plan.arch;
  question.known = program::calls_of(read_file(library.string(), "the runtime library"));
  BinaryFacts facts = reader.binary(question);
  for (const std::string& name : facts.runtimes) {
    put_runtime(library, made, fs::path(name).filename().string());
  }
  for (ProgramUnit& unit : facts.units) {
    unit.source.text = unit.compiled.ptx;
    unit.source.included = sources_named(unit.compiled.ptx);
  }
  ready.request.units = std::move(facts.units);
  ready.host_clock = std::move(facts.host_clock);
  Command& command = ready.request.command;
  command.words = {fs::absolute(program).string()};
  command.called = program.string();
  command.environment = kEnvironment;
  command.environment.push_back("LD_LIBRARY_PATH=" + made.string());
}

void build_by_nvcc(const ExecPlan& plan, const program::BuildPlace& place, const Makers& by,
                   ExecProgram& ready) {
  program::Built built = program::build_by_nvcc(
      plan.sources, place, [&](const Command& command) { return by.program.command(command); },
      plan.arch);
  ready.compiler = built.compiler;
  ready.request.others = std::move(built.others);
  take_built(built.program, plan, place.folder, by.reader, ready);
  ready.request.command.called = "./" + fs::path(plan.sources.front().name).stem().string();
}

void build_sources(const ExecPlan& plan, const program::BuildPlace& place, const Makers& by,
                   ExecProgram& ready) {
  const program::ReadBinary read = [&](const BinaryQuestion& question) {
    return by.reader.binary(question);
  };
  program::Built built = program::build(
      plan.sources, place, [&](const Command& command) { return by.program.command(command); },
      read);
  ready.compiler = built.compiler;
  for (ProgramUnit& unit : built.units) {
    if (unit.kernels.empty()) continue;
    unit.compiled = by.compiler.compile({unit.source, unit.kernels, plan.arch});
  }
  ready.request.units = std::move(built.units);
  ready.request.others = std::move(built.others);
  Command& command = ready.request.command;
  command.words = {built.program};
  const std::string name = fs::path(built.program).filename().string();
  ready.host_clock = read(program::question_of(BinaryKind::kBuilt, built.program, name)).host_clock;
  command.called = "./" + fs::path(plan.sources.front().name).stem().string();
  command.environment = kEnvironment;
}

// clang is there everywhere, and quick. What it lacks are libraries that come with the toolkit.
void build_somehow(const ExecPlan& plan, const program::BuildPlace& place, const Makers& by,
                   ExecProgram& ready) {
  const bool nvcc_too = plan.compiler == HostCompiler::kAuto && !plan.nvcc.empty();
  if (plan.compiler == HostCompiler::kNvcc || (nvcc_too && program::find_clang().empty())) {
    return build_by_nvcc(plan, place, by, ready);
  }
  std::exception_ptr by_clang;  // it has the place in the person's own file
  try {
    return build_sources(plan, place, by, ready);
  } catch (const program::NeedsToolkit&) {
    by_clang = std::current_exception();
  } catch (const NotModelled&) {  // nor is it with nvcc
    throw;
  } catch (const Error& error) {
    if (error.fault() != Fault::kInput) throw;
    by_clang = std::current_exception();
  }
  if (!nvcc_too) std::rethrow_exception(by_clang);
  ready = {};
  try {
    build_by_nvcc(plan, place, by, ready);
  } catch (const Error&) {
    std::rethrow_exception(by_clang);
  }
}

}  // namespace

ExecProgram build_program(const ExecPlan& plan, worker::Client& program, worker::Client& compiler,
                          worker::Client& reader) {
  const Makers by{program, compiler, reader};
  const auto tell = [&](const std::string& stage) {
    if (plan.told) plan.told(stage);
  };
  tell("compiling");
  const fs::path made = plan.folder / "build";
  fs::create_directories(made);
  const program::BuildPlace place{made, plan.current.empty() ? fs::current_path() : plan.current,
                                  worker::default_worker().parent_path(), plan.nvcc};
  ExecProgram ready;
  ProgramRequest& request = ready.request;
  if (plan.program.empty()) {
    build_somehow(plan, place, by, ready);
  } else {
    take_built(plan.program, plan, made, reader, ready);
  }
  request.arch = plan.arch;
  request.modelled_gpu = plan.modelled_gpu;
  request.threads = plan.threads;
  request.checks = plan.checks;
  request.each_launch = plan.each_launch;
  request.exact = plan.exact;
  request.sample = plan.sample;
  request.runs_on = plan.runs_on;
  request.gpu = plan.gpu;
  Command& command = request.command;
  command.words.insert(command.words.end(), plan.arguments.begin(), plan.arguments.end());
  command.folder = (plan.folder / "files").string();
  const fs::path home = plan.home.empty() ? place.current : plan.home;
  command.read = {place.library.string(), home.string(), made.string()};
  command.read.insert(command.read.end(), plan.read.begin(), plan.read.end());
  command.write = {command.folder};
  command.streams = plan.streams;
  command.log = plan.log;
  command.memory_bytes = plan.memory_bytes;
  command.address_bytes = plan.address_bytes;
  command.file_bytes = plan.file_bytes;
  command.disk_bytes = plan.disk_bytes;
  command.seconds = plan.seconds;
  return ready;
}

ExecResult run_program(const ExecProgram& program, worker::Client& worker, run::EngineSet& engines,
                       const run::Outlet& outlet, const LaunchProgress& progress) {
  std::vector<CaseOutcome> outcomes;
  ExecResult done;
  BatchSink sink;
  sink.finished = [&](CaseOutcome outcome) {
    name_from_here(outcome.record);
    outcomes.push_back(std::move(outcome));
  };
  sink.progress = progress;
  done.report = worker.program(program.request, sink);
  const bool on_host = !done.report.findings.empty() || !done.report.broken.empty() ||
                       done.report.end.over != Overrun::kNone;
  if (on_host) {
    outcomes.push_back(host_case(done.report, program.request.arch, outcomes.size()));
  }
  if (outcomes.empty()) return done;
  std::vector<CaseOutcome> measured;
  for (CaseRecord& record : done.report.measured) {
    measured.emplace_back().record = std::move(record);
  }
  if (on_host) {  // of which a GPU knows nothing
    measured.push_back(outcomes.back());
    measured.back().record.findings.clear();
  }
  BatchRequest batch;
  batch.source = whole_source(program.request);
  batch.arch = program.request.arch;
  for (const CaseOutcome& outcome : outcomes) {
    CaseRequest request;
    request.index = outcome.record.index;
    request.variant = outcome.record.variant;
    request.job.emplace();
    request.job->kernel = outcome.record.kernel;
    request.job->launch = outcome.record.launch;
    batch.cases.push_back(std::move(request));
  }
  for (const CaseOutcome& outcome : outcomes) {
    if (outcome.traced.empty()) continue;
    auto cures = run::layout_cures(outcome, batch.source, Forbidden::kNothing);
    for (metrics::LayoutCure& cure : cures) cure.blocks = 1;
    done.layouts.emplace(outcome.record.index, std::move(cures));
  }
  const bool on_gpu = program.request.runs_on == LaunchesRunOn::kGpu;
  Recorded first(std::move(outcomes));
  Recorded second(std::move(measured));
  run::Engines ran{&first, nullptr};
  if (on_gpu) ran = {nullptr, &first};
  if (program.request.runs_on == LaunchesRunOn::kBoth) ran.gpu = &second;
  run::Plan plan = run::plan_probe(std::move(batch));
  plan.head.compile_options = "";
  if (!program.request.modelled_gpu.empty()) {
    plan.head.environment[run::kAskedGpu] = program.request.modelled_gpu;
  }
  done.result =
      run::perform(run::prepare(plan, program.request.arch, engines.any()), engines, outlet, &ran);
  return done;
}

}  // namespace lab::exec
