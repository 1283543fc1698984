#include "harness/classes/grade/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "harness/box/worker/client.h"
#include "harness/classes/grade/code.h"
#include "harness/classes/grade/compiler_errors.h"
#include "harness/classes/grade/feedback.h"
#include "harness/classes/grade/points.h"
#include "harness/classes/grade/process_use.h"
#include "harness/classes/grade/programs.h"
#include "harness/core/text.h"
#include "harness/run/engines.h"
#include "harness/run/kernels.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "harness/run/temporary_folder.h"
#include "metrics/catalogue.h"

namespace lab::grade {

namespace {

using Clock = std::chrono::steady_clock;

// By the clock a case may take this much longer: on a busy machine its processor time is what ends.
constexpr double kClockPerCpu = 30;

/// One submission on its way through compiler, model and judgement.
class Grading {
 public:
  Grading(const Rubric& rubric, const Submission& submission, const GradeOptions& options)
      : rubric_(rubric), submission_(submission), options_(options) {
    db::GradeRow& row = graded_.row;
    row.student = submission.student;
    row.lab = rubric.lab->number;
    row.rubric_sha256 = rubric.sha256;
    row.source_sha256 = submission.sha256;
    row.file = submission.path;
    row.submitted_at = submission.submitted_at;
    row.of = rubric.of;
  }

  Graded run() {
    if (submission_.path.empty()) {
      end(db::GradeStatus::kMissing, "nothing was handed in");
    } else if (!submission_.text && submission_.unread == Unread::kNothing) {
      end(db::GradeStatus::kNoKernel, submission_.problem);
    } else if (!submission_.text) {
      leave_to_a_person(submission_.problem);
    } else if (rubric_.of_program()) {
      run_as_program();
    } else {
      try_to_run();
    }
    graded_.row.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    graded_.row.feedback =
        feedback_text(rubric_, graded_.row, graded_.run ? &*graded_.run : nullptr);
    // These were kept for the advice alone: they are not part of a grade.
    if (graded_.run) {
      for (CaseRecord& record : graded_.run->cases) {
        record.accesses.clear();
        std::erase_if(record.lines, [](const LineObservation& one) {
          return one.line == 0 || metrics::find(one.metric) == nullptr;
        });
      }
    }
    return std::move(graded_);
  }

 private:
  void end(db::GradeStatus status, const std::string& reason) {
    graded_.row.status = status;
    graded_.row.reason = reason;
    graded_.row.points = 0;
    graded_.row.criteria = no_points(rubric_, reason, 0.0);
  }

  // Asked while the worker is waited for, and by its thread alone. Once true, true for good.
  [[nodiscard]] bool out_of_time() {
    constexpr auto kBetweenLooks = std::chrono::milliseconds(100);
    const Clock::time_point now = Clock::now();
    if (out_of_time_ || now - looked_ < kBetweenLooks) return out_of_time_;
    looked_ = now;
    const auto* client =
        engines_ ? dynamic_cast<const worker::Client*>(engines_->engines().model) : nullptr;
    const double cpu = client == nullptr ? 0 : client->cpu_seconds();
    constexpr double kProgress = 0.1;
    if (cpu < cpu_seen_ || cpu > cpu_seen_ + kProgress) {  // less: of another worker
      cpu_seen_ = cpu;
      progressed_ = now;
    }
    const double still = std::chrono::duration<double>(now - progressed_).count();
    starved_ = still > most_still();
    out_of_time_ = cpu > options_.budget_s || starved_;
    return out_of_time_;
  }
  /// Seconds of the clock without progress, after which the machine is at fault.
  [[nodiscard]] double most_still() const {
    constexpr double kMostStill = 30;  // before the worker's client takes it for stopped
    return std::min(3 * options_.budget_s, kMostStill);
  }
  [[nodiscard]] bool stopped() {
    return out_of_time() || (options_.cancelled && options_.cancelled());
  }

  [[nodiscard]] run::Plan make_plan() const {
    BatchRequest batch;
    batch.cases = rubric_.requests;
    batch.seed = options_.seed;
    batch.threads = options_.threads;
    batch.checks = Checks::kFull;
    batch.sample_above = 0;
    batch.timeout_s = kClockPerCpu * options_.budget_s;  // out_of_time() comes first
    batch.warp = {0, 0};                                 // what the advice is worded after
    batch.habits = true;                                 // how many threads work
    run::Plan plan = run::plan_run(*rubric_.lab, std::move(batch), submission_.text);
    plan.head.student = submission_.student;
    return plan;
  }

  void run_as_program() {
    ProgramRuns ran = run_programs(rubric_, submission_, options_);
    graded_.run = std::move(ran.run);
    give_points(rubric_, *graded_.run, graded_.row);
    if (!ran.unknown.empty()) leave_to_a_person(ran.unknown);
  }

  void try_to_run() {
    const run::Plan plan = make_plan();
    // Nothing that one submission leaves behind is compiled code of another.
    cache_.emplace("lab-grade");
    run::EngineSettings settings = options_.workers;
    settings.cancelled = [this] { return stopped(); };
    settings.cache_folder = cache_->path().string();
    engines_.emplace(settings);
    try {
      run_kernels(plan);
    } catch (const run::NoKernel& error) {
      end(db::GradeStatus::kNoKernel, error.what());
      return;
    } catch (const Error& error) {
      if (!out_of_time_ && error.fault() != Fault::kInput) throw;
      graded_.run = run::not_run(plan, rubric_.arch, *engines_,
                                 out_of_time_ ? CaseStatus::kTimeout : CaseStatus::kNotCompiled,
                                 out_of_time_ ? budget_text() : compiler_text(error));
    }
    give_points(rubric_, *graded_.run, graded_.row);
    if (!starved_) return;
    // A kernel waits for nothing but the processor: one that got none is not the student's fault.
    leave_to_a_person(
        fmt::format("the machine gave it no processor time for {} s; lab grade takes it up again",
                    number_text(most_still())));
  }

  void leave_to_a_person(const std::string& reason) {
    graded_.run.reset();
    graded_.row.status = db::GradeStatus::kManual;
    graded_.row.points.reset();
    graded_.row.reason = reason;
    graded_.row.criteria = no_points(rubric_, reason, {});
  }

  void run_kernels(const run::Plan& plan) {
    run::EngineSet& engines = *engines_;
    run::Prepared prepared = run::prepare(plan, rubric_.arch, engines.any());
    keep_own_kernels_out(prepared);
    run::RunResult result = run::perform(std::move(prepared), engines,
                                         {nullptr, {{}, {}, [this] { return stopped(); }}});
    graded_.run = std::move(result.run);
    graded_.row.memory_bytes = peak_memory(engines.any().pid());
    control(plan);
    complete(*graded_.run);
    if (!stopped()) fingerprint_kernels(result.prepared, engines.any());
  }

  // Whether an output that has to come through shared memory does: one case of each such variant
  // runs once more, and nothing is stored there.
  void control(const run::Plan& plan) {
    std::set<std::string> variants;
    for (const Criterion& one : rubric_.criteria) {
      if (one.demand == Demand::kThrough) variants.insert(one.variant);
    }
    for (const std::string& variant : variants) {
      run::Plan again = plan;
      BatchRequest& batch = again.batch;
      const auto first = std::find_if(batch.cases.begin(), batch.cases.end(),
                                      [&](const auto& one) { return one.variant == variant; });
      if (first == batch.cases.end() || stopped()) return;
      batch.cases = {*first};
      batch.withhold_shared = true;
      batch.checks = Checks::kOff;
      batch.habits = false;
      run::Prepared prepared = run::prepare(again, rubric_.arch, engines_->any());
      keep_own_kernels_out(prepared);
      const run::RunResult ran = run::perform(std::move(prepared), *engines_,
                                              {nullptr, {{}, {}, [this] { return stopped(); }}});
      const auto& cases = ran.run.cases;
      if (cases.size() != 1 || cases.front().correct != true) continue;
      for (CaseRecord& record : graded_.run->cases) {
        if (record.variant == variant) record.notes.shared_unused = true;
      }
    }
  }

  // With the files that were left out of it, whether or not there are any of that name.
  [[nodiscard]] std::string compiler_text(const Error& error) const {
    std::string text;
    for (const std::string& name : submission_.refused) {
      text += fmt::format("it includes '{}', which is not a part of the submission\n",
                          std::filesystem::path(name).filename().string());
    }
    return text + first_errors(run::compiler_text(error));
  }

  [[nodiscard]] std::string budget_text() const {
    return fmt::format("not finished within the {} s of a submission",
                       number_text(options_.budget_s));
  }

  // The lab's own kernels stand in for what a file does not define, which earns nobody a point;
  // they run where a ratio of times needs them.
  void keep_own_kernels_out(run::Prepared& prepared) const {
    std::set<std::string> compared;
    for (const Criterion& criterion : rubric_.criteria) compared.insert(criterion.ratio_to);
    prepared.leave_out([&](const run::Part& part, const CaseRequest& request) {
      return part.own_kernel && compared.count(request.variant) == 0;
    });
  }

  // Every case of the rubric has a row, whatever kept it from being run.
  void complete(RunRecord& run) {
    std::set<int> there;
    for (const CaseRecord& record : run.cases) there.insert(record.index);
    for (const CaseRequest& request : rubric_.requests) {
      if (there.count(request.index) > 0) continue;
      CaseRecord record;
      record.index = request.index;
      record.variant = request.variant;
      record.params = request.params;
      record.arch = rubric_.arch;
      record.status = out_of_time_ ? CaseStatus::kTimeout : CaseStatus::kError;
      record.reason =
          out_of_time_ ? budget_text()
                       : fmt::format("the file does not define the kernel of {}", request.variant);
      run.cases.push_back(std::move(record));
    }
    std::sort(run.cases.begin(), run.cases.end(),
              [](const CaseRecord& a, const CaseRecord& b) { return a.index < b.index; });
    run.missing_cases.reset();
    run.status = run::something_wrong(run) ? RunStatus::kFailed : RunStatus::kOk;
  }

  void fingerprint_kernels(const run::Prepared& prepared, worker::Client& compiler) {
    for (const run::Part& part : prepared.parts) {
      if (part.own_kernel) continue;
      for (const auto& [kernel, code] :
           fingerprints_of(*rubric_.lab, part.batch, rubric_.arch, compiler)) {
        graded_.fingerprints[kernel] = code;
      }
    }
  }

 public:
  static std::map<std::string, std::string> fingerprints_of(const Lab& lab,
                                                            const BatchRequest& batch,
                                                            const std::string& arch,
                                                            worker::Client& compiler) {
    CompileRequest request;
    request.source = batch.source;
    request.arch = arch;
    request.partial = true;
    std::set<std::string> kernels;  // in the order in which they were compiled before
    for (const CaseRequest& one : batch.cases) {
      const Variant& variant = find_variant(lab, one.variant);
      if (variant.library.empty()) kernels.insert(variant.kernel(one.params));
    }
    request.kernels.assign(kernels.begin(), kernels.end());
    const Compiled compiled = compiler.compile(request);
    std::map<std::string, std::string> all;
    for (std::size_t i = 0; i < compiled.lowered.size() && i < request.kernels.size(); ++i) {
      const std::string code = fingerprint(compiled.ptx, compiled.lowered[i]);
      if (!code.empty()) all[request.kernels[i]] = code;
    }
    return all;
  }

 private:
  const Rubric& rubric_;
  const Submission& submission_;
  const GradeOptions& options_;
  Graded graded_;
  std::optional<run::TemporaryFolder> cache_;  // of kernels; goes after the workers that use it
  std::optional<run::EngineSet> engines_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point looked_ = began_;
  bool out_of_time_ = false;
  bool starved_ = false;  // of processor time, with some of the budget left
  double cpu_seen_ = 0;
  Clock::time_point progressed_ = began_;
};

}  // namespace

Graded grade_one(const Rubric& rubric, const Submission& submission, const GradeOptions& options) {
  return Grading(rubric, submission, options).run();
}

std::map<std::string, std::string> solution_of(const Rubric& rubric,
                                               const run::EngineSettings& workers) {
  if (rubric.of_program()) return {};
  BatchRequest batch;
  batch.cases = rubric.requests;
  batch.source = run::own_kernels(*rubric.lab);
  run::EngineSet engines(workers);
  return Grading::fingerprints_of(*rubric.lab, batch, rubric.arch, engines.any());
}

}  // namespace lab::grade
