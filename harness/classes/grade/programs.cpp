#include "harness/classes/grade/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "harness/box/worker/client.h"
#include "harness/classes/grade/assignment.h"
#include "harness/classes/grade/compiler_errors.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/programs/exec/exec.h"
#include "harness/run/kernels.h"
#include "harness/run/session.h"
#include "harness/run/temporary_folder.h"

namespace lab::grade {
namespace {

namespace fs = std::filesystem;

// By the clock a program may take this much longer than its processor time.
constexpr double kClockPerProgramCpu = 20;
// Of each file that it writes, its output among them.
constexpr double kFileBytes = 16 << 20U;
constexpr double kAllFileBytes = 64 << 20U;
// A control run launches nothing, so that it takes no longer than the run itself; it may be ended.
constexpr double kControlSeconds = 2;
constexpr double kScriptSeconds = 60;

/// How one run of the program ended, and why a person has to say so where it is not known.
struct Ended {
  CaseRecord program;
  std::vector<CaseRecord> launches = {};
  std::string unknown = {};
};

void end(Ended& ended, CaseStatus status, std::string reason) {
  ended.program.status = status;
  ended.program.reason = std::move(reason);
}

/// A submission with its folders and workers.
class Programs {
 public:
  Programs(const Rubric& rubric, const Submission& submission, const GradeOptions& options)
      : rubric_(rubric), submission_(submission), options_(options), folder_("lab-grade") {
    settings_ = options.workers;
    settings_.cancelled = options.cancelled;
    // Nothing that one submission leaves behind is compiled code of another.
    settings_.cache_folder = (folder_.path() / "cache").string();
    left_s_ = options.budget_s;
  }

  ProgramRuns run() {
    run::EngineSet engines(settings_);
    ProgramRuns ran{head(engines)};
    try {
      program_ = build(engines);
    } catch (const NotModelled& refusal) {  // nobody's mistake
      ran.unknown = one_line(refusal);
      return ran;
    } catch (const Error& error) {
      if (error.fault() != Fault::kInput) throw;
      for (const ProgramRun& one : rubric_.runs) {
        add(ran.run, not_built(one, first_errors(run::compiler_text(error))));
      }
    }
    for (const ProgramRun& one : rubric_.runs) {
      if (!program_) break;
      Ended ended = run_one(one, engines);
      if (ran.unknown.empty()) ran.unknown = ended.unknown;
      add(ran.run, std::move(ended.program));
      for (CaseRecord& record : ended.launches) add(ran.run, std::move(record));
    }
    ran.run.status = run::something_wrong(ran.run) ? RunStatus::kFailed : RunStatus::kOk;
    return ran;
  }

 private:
  [[nodiscard]] RunRecord head(run::EngineSet& engines) const {
    run::Plan plan;
    plan.head.lab = rubric_.lab->number;
    plan.head.lab_id = rubric_.lab->id;
    plan.head.student = submission_.student;
    plan.head.source_is_labs_own = false;
    set_source(*submission_.text, plan.head);
    static_cast<void>(engines.environment());
    return run::not_run(plan, rubric_.arch, engines, CaseStatus::kOk, {});
  }

  static void add(RunRecord& run, CaseRecord record) {
    record.index = static_cast<int>(run.cases.size());
    run.cases.push_back(std::move(record));
  }

  [[nodiscard]] CaseRecord case_of(const ProgramRun& run) const {
    CaseRecord record;
    record.variant = run.name;
    record.arch = rubric_.arch;
    record.params = params_of(run);
    return record;
  }

  [[nodiscard]] CaseRecord not_built(const ProgramRun& run, const std::string& why) const {
    CaseRecord record = case_of(run);
    record.status = CaseStatus::kNotCompiled;
    record.reason = why;
    return record;
  }

  // In a folder of its own: neither the rubric nor others' submissions are within reach.
  [[nodiscard]] exec::ExecProgram build(run::EngineSet& engines) const {
    exec::ExecPlan plan;
    plan.sources = {*submission_.text};
    plan.compiler = exec::HostCompiler::kClang;
    plan.arch = rubric_.arch;
    plan.folder = folder_.path();
    plan.current = folder_.path() / "current";
    fs::create_directories(plan.current);
    plan.threads = options_.threads;
    plan.checks = Checks::kAuto;
    plan.memory_bytes = options_.workers.memory_bytes;
    plan.address_bytes = options_.workers.memory_bytes;
    plan.file_bytes = kFileBytes;
    plan.disk_bytes = kAllFileBytes;
    worker::Client worker(run::worker_settings(BackendKind::kModel, settings_));
    worker::Client reader(run::worker_settings(BackendKind::kModel, settings_));
    return exec::build_program(plan, worker, engines.any(), reader);
  }

  Ended run_one(const ProgramRun& run, run::EngineSet& engines) {
    Ended ended{case_of(run)};
    const double seconds = std::min(run.seconds, left_s_);
    if (seconds <= 0) {
      end(ended, CaseStatus::kTimeout,
          fmt::format("not begun within the {} s of a submission", number_text(options_.budget_s)));
      return ended;
    }
    Started started = start(run, seconds, engines, false);
    left_s_ -= started.used;
    const std::string late =
        fmt::format("not finished within {} s of processor time", number_text(seconds));
    std::optional<exec::ExecResult>& done = started.done;
    if (!done) {
      end(ended, CaseStatus::kTimeout, late);
      return ended;
    }
    ended.program.observations = done->report.totals;
    if (done->result) ended.launches = std::move(done->result->run.cases);
    // The program's own case stands for what was found on the host's side.
    std::erase_if(ended.launches, [](const CaseRecord& one) { return one.kernel.empty(); });
    for (CaseRecord& record : ended.launches) record.variant = run.name;
    if (done->report.end.late) {
      // It slept, or the machine had no time for it.
      if (started.used < seconds / 2) {
        ended.unknown =
            fmt::format("{} used less than half of its {} s of processor time in {} s", run.name,
                        number_text(seconds), number_text(kClockPerProgramCpu * seconds));
      }
      end(ended, CaseStatus::kTimeout, late);
    } else {
      judge(run, done->report, started.output, ended);
      if (ended.program.correct == true) control(run, started.used, engines, ended);
    }
    return ended;
  }

  /// The program, started once.
  struct Started {
    std::optional<exec::ExecResult> done = {};  ///< empty: it had its time
    double used = 0;                            ///< seconds of processor time, the model's included
    std::string output = {};                    ///< the file that has it
  };
  Started start(const ProgramRun& run, double seconds, run::EngineSet& engines, bool withheld) {
    Started started;
    const fs::path place = folder_.path() / fmt::format("run{}", ++runs_);
    fs::create_directories(place / "files");
    started.output = (place / "output").string();
    exec::ExecProgram program = *program_;
    program.request.totals = !withheld;
    program.request.withheld = withheld;
    Command& command = program.request.command;
    command.words.insert(command.words.end(), run.arguments.begin(), run.arguments.end());
    command.folder = (place / "files").string();
    command.write = {command.folder};
    command.log = started.output;
    command.log_errors = false;
    command.seconds = kClockPerProgramCpu * seconds;

    const worker::Client* self = nullptr;
    bool spent = false;
    worker::ClientSettings settings = run::worker_settings(BackendKind::kModel, settings_);
    settings.cancelled = [&] {
      if (self != nullptr && !spent) {
        started.used = std::max(started.used, self->cpu_seconds());
        spent = started.used > seconds;
      }
      return spent || (options_.cancelled && options_.cancelled());
    };
    worker::Client worker(settings);
    worker.start();
    self = &worker;
    try {
      started.done = exec::run_program(program, worker, engines, {nullptr, {}});
    } catch (const Error&) {
      if (!spent) throw;
    }
    started.used = std::max(started.used, worker.cpu_seconds());
    return started;
  }

  // Whether kernels made the output: what is printed without them has to be another one. Asked
  // where a criterion wants launches.
  void control(const ProgramRun& run, double used, run::EngineSet& engines, Ended& ended) {
    const bool wanted = std::any_of(
        rubric_.criteria.begin(), rubric_.criteria.end(),
        [](const Criterion& one) { return !one.kernel.empty() || one.demand == Demand::kMetric; });
    if (!wanted || !run.control) return;
    const Started started = start(run, std::max(kControlSeconds, 2 * used), engines, true);
    if (!started.done) return;
    const CommandEnd& how = started.done->report.end;
    if (how.late || how.signal != 0 || how.status != run.status) return;
    std::string unknown;
    const std::string difference = difference_in(run, started.output, unknown);
    if (!difference.empty() || !unknown.empty()) return;
    ended.program.correct = false;
    end(ended, CaseStatus::kWrong, "its output is the same when its kernels store nothing");
  }

  // What the model cannot run leaves an output that says nothing.
  void judge(const ProgramRun& run, const ProgramReport& report, const std::string& output,
             Ended& ended) const {
    if (!report.broken.empty()) {
      return end(ended, CaseStatus::kError,
                 "it sends lab itself what no CUDA program sends: " + report.broken);
    }
    if (report.end.over != Overrun::kNone) {
      return end(ended, CaseStatus::kError, overrun_text(report.end));
    }
    if (!report.refused.empty()) {
      return end(ended, CaseStatus::kRefused, report.refused + " is not modelled");
    }
    for (const CaseRecord& record : ended.launches) {
      if (record.status == CaseStatus::kRefused) {
        return end(ended, CaseStatus::kRefused, record.reason);
      }
    }
    std::copy_if(report.findings.begin(), report.findings.end(),
                 std::back_inserter(ended.program.findings),
                 [](const Finding& one) { return one.kind != FindingKind::kLeak; });
    if (report.end.signal != 0) {
      return end(ended, CaseStatus::kError,
                 fmt::format("ended by signal {} ({})", report.end.signal,
                             ::strsignal(report.end.signal)));
    }
    if (report.end.status != run.status) {
      return end(ended, CaseStatus::kError,
                 fmt::format("exit {}, wanted {}", report.end.status, run.status));
    }
    const std::string difference = difference_in(run, output, ended.unknown);
    ended.program.correct = difference.empty();
    if (!difference.empty()) return end(ended, CaseStatus::kWrong, difference);
    if (!ended.program.findings.empty()) ended.program.status = CaseStatus::kFinding;
  }

  std::string difference_in(const ProgramRun& run, const std::string& output,
                            std::string& unknown) const {
    if (run.output) {
      return difference_of(read_file(output, "a program's output"), *run.output, run.tolerance);
    }
    // The course's own, which may start an interpreter; what it reads is a student's.
    const fs::path script =
        fs::absolute(fs::path(rubric_.name).parent_path() / run.script).lexically_normal();
    const fs::path place = fs::path(output).parent_path() / "script";
    fs::create_directories(place);
    Command command;
    command.words = {script.string(), output};
    command.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"};
    command.folder = place.string();
    command.read = {script.string(), output};
    command.write = {place.string()};
    command.log = (place / "said").string();
    command.starts_others = true;
    command.seconds = kScriptSeconds;
    command.file_bytes = kFileBytes;
    worker::Client worker(run::worker_settings(BackendKind::kModel, settings_));
    const CommandEnd ended = worker.command(command);
    const std::string said = read_file(command.log, "a script's output");
    const std::string first(trim(std::string_view(said).substr(0, said.find('\n'))));
    if (ended.signal == 0 && !ended.late && ended.status == 0) return {};
    if (ended.signal == 0 && !ended.late && ended.status == 1) {
      return first.empty() ? run.script + " says that the output is wrong" : first;
    }
    unknown = fmt::format("{} did not say whether the output of {} is right: {}", run.script,
                          run.name, first.empty() ? "it failed" : first);
    return {};
  }

  const Rubric& rubric_;
  const Submission& submission_;
  const GradeOptions& options_;
  run::TemporaryFolder folder_;
  run::EngineSettings settings_;
  std::optional<exec::ExecProgram> program_;
  double left_s_ = 0;
  int runs_ = 0;
};

}  // namespace

ProgramRuns run_programs(const Rubric& rubric, const Submission& submission,
                         const GradeOptions& options) {
  return Programs(rubric, submission, options).run();
}

}  // namespace lab::grade
