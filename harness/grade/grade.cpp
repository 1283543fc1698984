#include "harness/grade/grade.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>

#include "harness/core/text.h"
#include "harness/grade/code.h"
#include "harness/grade/feedback.h"
#include "harness/run/engines.h"
#include "harness/run/kernels.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "harness/worker/client.h"

namespace lab::grade {

namespace {

using Clock = std::chrono::steady_clock;

// What a submission is called after its cases: the first of these that any of them has.
constexpr std::array<std::pair<CaseStatus, const char*>, 7> kWorstFirst = {{
    {CaseStatus::kNotCompiled, "not_compiled"},
    {CaseStatus::kTimeout, "timeout"},
    {CaseStatus::kError, "error"},
    {CaseStatus::kSkipped, "error"},
    {CaseStatus::kFinding, "finding"},
    {CaseStatus::kWrong, "wrong"},
    {CaseStatus::kOk, "ok"},
}};

std::string status_of(const RunRecord& run) {
  for (const auto& [status, name] : kWorstFirst) {
    for (const CaseRecord& record : run.cases) {
      if (record.status == status) return name;
    }
  }
  return "error";
}

std::string reason_of(const RunRecord& run) {
  for (const CaseRecord& record : run.cases) {
    if (record.status == CaseStatus::kOk) continue;
    if (!record.reason.empty()) return record.reason;
    if (!record.findings.empty()) return record.findings.front().message;
  }
  return {};
}

// The compiler's words with their places, without the word that begins every error's text.
std::string compiler_text(const Error& error) {
  std::string text(trim(render(error)));
  constexpr std::string_view kBegins = "error: ";
  if (text.starts_with(kBegins)) text.erase(0, kBegins.size());
  return text;
}

// A submission that has no run, or whose run did not come to its cases.
std::vector<db::CriterionRow> no_points(const Rubric& rubric, const std::string& reason) {
  std::vector<db::CriterionRow> rows;
  for (const Criterion& criterion : rubric.criteria) {
    db::CriterionRow row{criterion.name, criterion.variant, 0.0, criterion.points,
                         criterion.metric};
    row.threshold = criterion.threshold();
    row.reason = reason;
    rows.push_back(std::move(row));
  }
  return rows;
}

db::CriterionRow row_of(const Rubric& rubric, const Criterion& criterion, const RunRecord& run) {
  std::vector<const CaseRecord*> cases;
  for (const CaseRecord& record : run.cases) {
    if (record.variant == criterion.variant) cases.push_back(&record);
  }
  const Judgement judgement = judge(criterion, cases, run.cases);
  db::CriterionRow row{criterion.name, criterion.variant, judgement.points, criterion.points,
                       criterion.metric};
  if (judgement.met == Met::kOpen) row.points.reset();
  row.value = judgement.value;
  row.excess = judgement.excess;
  row.threshold = criterion.threshold();
  row.reason = judgement.reason;
  const auto worst = std::find_if(cases.begin(), cases.end(), [&](const CaseRecord* record) {
    return record->params == judgement.params;
  });
  const bool hidden = worst != cases.end() && rubric.hidden.count((*worst)->index) > 0;
  row.params = hidden ? "hidden" : judgement.params.text();
  return row;
}

// A criterion earns points only where the criteria that it needs are met in full. Otherwise a slow
// kernel could add accesses to a tile that it does not use, and be paid for having no conflicts.
void hold_back(const Criterion& criterion, const std::vector<db::CriterionRow>& before,
               db::CriterionRow& row) {
  for (const db::CriterionRow& one : before) {
    const bool needed = std::count(criterion.needs.begin(), criterion.needs.end(), one.name) > 0;
    if (!needed || !one.points || *one.points >= one.of || !row.points || *row.points == 0)
      continue;
    row.points = 0;
    row.reason = fmt::format("it counts where this is met: {}", one.name);
  }
}

// Points, status and reason from the judged cases.
void give_points(const Rubric& rubric, const RunRecord& run, db::GradeRow& grade) {
  grade.of = rubric.of;
  grade.rubric_sha256 = rubric.sha256;
  grade.status = status_of(run);
  grade.reason = reason_of(run);
  double points = 0;
  bool open = false;
  grade.criteria.clear();
  for (const Criterion& criterion : rubric.criteria) {
    db::CriterionRow row = row_of(rubric, criterion, run);
    hold_back(criterion, grade.criteria, row);
    points += row.points.value_or(0);
    if (!row.points) {
      open = true;
      grade.reason = row.reason;
    }
    grade.criteria.push_back(std::move(row));
  }
  grade.points = points;
  if (!open) return;
  // What the model cannot tell is a person's to say: never no points.
  grade.status = "manual";
  grade.points.reset();
}

// The most memory that a process has had at once; proc(5).
std::optional<std::uint64_t> peak_memory(int pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("VmHWM:")) continue;
    constexpr std::uint64_t kKibibyte = 1024;
    return std::strtoull(line.c_str() + 6, nullptr, 10) * kKibibyte;
  }
  return {};
}

// What a process and the ended ones that it waited for have computed; proc(5): utime, stime, cutime
// and cstime are the 14th to the 17th of its fields, and the second, in parentheses, may hold
// blanks.
double cpu_seconds(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  const std::size_t name_ends = line.rfind(')');
  if (name_ends == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_ends + 1));
  constexpr int kBefore = 11;
  std::string skipped;
  for (int i = 0; i < kBefore; ++i) fields >> skipped;
  double ticks = 0;
  double one = 0;
  for (int i = 0; i < 4 && fields >> one; ++i) ticks += one;
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// By the clock a submission may take this much longer.
constexpr double kClockPerCpu = 3;

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
      end("missing", "nothing was handed in");
    } else if (!submission_.text) {
      end("no_kernel", submission_.problem);
    } else {
      try_to_run();
    }
    graded_.row.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    graded_.row.feedback =
        feedback_text(rubric_, graded_.row, graded_.run ? &*graded_.run : nullptr);
    // What the advice was worded after is no part of a grade.
    if (graded_.run) {
      for (CaseRecord& record : graded_.run->cases) record.accesses.clear();
    }
    return std::move(graded_);
  }

 private:
  void end(const std::string& status, const std::string& reason) {
    graded_.row.status = status;
    graded_.row.reason = reason;
    graded_.row.points = 0;
    graded_.row.criteria = no_points(rubric_, reason);
  }

  // Asked while the worker is waited for, and by its thread alone. Once true, true for good.
  [[nodiscard]] bool out_of_time() {
    constexpr auto kBetweenLooks = std::chrono::milliseconds(50);
    const Clock::time_point now = Clock::now();
    if (out_of_time_ || now - looked_ < kBetweenLooks) return out_of_time_;
    looked_ = now;
    const auto* client =
        engines_ ? dynamic_cast<const worker::Client*>(engines_->engines().model) : nullptr;
    const double cpu = client == nullptr ? 0 : cpu_seconds(client->pid());
    const double clock = std::chrono::duration<double>(now - began_).count();
    out_of_time_ = cpu > options_.budget_s || clock > kClockPerCpu * options_.budget_s;
    return out_of_time_;
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
    batch.sample = false;
    batch.timeout_s = kClockPerCpu * options_.budget_s;
    batch.warp = {0, 0};  // what the advice is worded after
    run::Plan plan =
        run::plan_run(*rubric_.lab, std::move(batch), submission_.text, options_.labs_folder);
    run::stamp(plan.head);
    plan.head.student = submission_.student;
    return plan;
  }

  void try_to_run() {
    run::Plan plan = make_plan();
    engines_.emplace("model", [this] { return stopped(); });
    run::EngineSet& engines = *engines_;
    RunRecord head = plan.head;
    try {
      run::prepare(plan, rubric_.arch, engines.any());
      keep_own_kernels_out(plan);
      const run::Plan kept = plan;
      graded_.run =
          run::perform(std::move(plan), engines, nullptr, {{}, {}, [this] { return stopped(); }})
              .run;
      graded_.row.memory_bytes = peak_memory(engines.any().pid());
      complete(*graded_.run);
      if (!stopped()) fingerprint_kernels(kept, engines.any());
    } catch (const Error& error) {
      if (out_of_time_) {
        not_run(std::move(head), engines, CaseStatus::kTimeout, budget_text());
      } else if (error.fault() != Fault::kInput) {
        throw;
      } else if (std::string(error.what()).find("none of the kernels") != std::string::npos) {
        end("no_kernel", error.what());
        return;
      } else {
        not_run(std::move(head), engines, CaseStatus::kNotCompiled, compiler_text(error));
      }
    }
    give_points(rubric_, *graded_.run, graded_.row);
  }

  [[nodiscard]] std::string budget_text() const {
    return fmt::format("not finished within the {} s of a submission",
                       number_text(options_.budget_s));
  }

  // The lab's own kernels stand in for what a file does not define, which earns nobody a point;
  // they run where a ratio of times needs them.
  void keep_own_kernels_out(run::Plan& plan) const {
    std::set<std::string> compared;
    for (const Criterion& criterion : rubric_.criteria) compared.insert(criterion.ratio_to);
    for (run::Job& job : plan.jobs) {
      if (!job.own_kernel) continue;
      std::erase_if(job.batch.cases, [&](const CaseRequest& request) {
        return compared.count(request.variant) == 0;
      });
    }
    std::erase_if(plan.jobs, [](const run::Job& job) { return job.batch.cases.empty(); });
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
    run.status = run::something_wrong(run) ? "failed" : "ok";
  }

  // A run all of whose cases came to the same end before they began.
  void not_run(RunRecord head, run::EngineSet& engines, CaseStatus status,
               const std::string& reason) {
    head.backend = engines.name();
    head.arch = rubric_.arch;
    head.seed = options_.seed;
    head.status = "failed";
    head.cases.clear();
    for (const CaseRequest& request : rubric_.requests) {
      CaseRecord record;
      record.index = request.index;
      record.variant = request.variant;
      record.params = request.params;
      record.arch = rubric_.arch;
      record.status = status;
      record.reason = reason;
      head.cases.push_back(std::move(record));
    }
    graded_.run = std::move(head);
  }

  void fingerprint_kernels(const run::Plan& plan, worker::Client& compiler) {
    for (const run::Job& job : plan.jobs) {
      if (job.own_kernel) continue;
      for (const auto& [kernel, code] :
           fingerprints_of(*rubric_.lab, job.batch, rubric_.arch, compiler)) {
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
  std::optional<run::EngineSet> engines_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point looked_ = began_;
  bool out_of_time_ = false;
};

}  // namespace

Graded grade_one(const Rubric& rubric, const Submission& submission, const GradeOptions& options) {
  return Grading(rubric, submission, options).run();
}

db::GradeRow regrade(const Rubric& rubric, const db::GradeRow& before,
                     const std::optional<RunRecord>& run) {
  db::GradeRow row = before;
  row.graded_at.clear();
  row.rubric_sha256 = rubric.sha256;
  row.of = rubric.of;
  if (!run) {
    row.points = 0;
    row.criteria = no_points(rubric, before.reason);
    row.feedback = feedback_text(rubric, row, nullptr);
    return row;
  }
  RunRecord known = *run;
  for (const CaseRequest& request : rubric.requests) {
    const auto at =
        std::find_if(known.cases.begin(), known.cases.end(), [&](const CaseRecord& one) {
          return one.variant == request.variant && one.params == request.params;
        });
    if (at == known.cases.end()) {
      throw input_error(fmt::format("the rubric has a case that was not run: {} {}",
                                    request.variant, request.params.text()),
                        "lab grade runs it");
    }
    at->index = request.index;  // hidden ones are known by it
  }
  std::erase_if(known.cases, [&](const CaseRecord& one) {
    return std::none_of(rubric.requests.begin(), rubric.requests.end(), [&](const auto& request) {
      return one.variant == request.variant && one.params == request.params;
    });
  });
  give_points(rubric, known, row);
  row.feedback = feedback_text(rubric, row, &known);
  return row;
}

std::map<std::string, std::string> solution_of(const Rubric& rubric,
                                               const std::string& labs_folder) {
  BatchRequest batch;
  batch.cases = rubric.requests;
  batch.source = run::own_kernels(*rubric.lab, labs_folder);
  run::EngineSet engines("model");
  return Grading::fingerprints_of(*rubric.lab, batch, rubric.arch, engines.any());
}

}  // namespace lab::grade
