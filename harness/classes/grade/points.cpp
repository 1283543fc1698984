#include "harness/classes/grade/points.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/classes/grade/feedback.h"
#include "harness/core/error.h"
#include "harness/reading/finding_text.h"
#include "metrics/catalogue.h"
#include "metrics/values.h"

namespace lab::grade {

namespace {

// A submission has the status of the first of these that any of its cases has.
constexpr std::array<std::pair<CaseStatus, db::GradeStatus>, 7> kWorstFirst = {{
    {CaseStatus::kNotCompiled, db::GradeStatus::kNotCompiled},
    {CaseStatus::kTimeout, db::GradeStatus::kTimeout},
    {CaseStatus::kError, db::GradeStatus::kError},
    {CaseStatus::kSkipped, db::GradeStatus::kError},
    {CaseStatus::kFinding, db::GradeStatus::kFinding},
    {CaseStatus::kWrong, db::GradeStatus::kWrong},
    {CaseStatus::kOk, db::GradeStatus::kOk},
}};

db::GradeStatus status_of(const RunRecord& run) {
  for (const auto& [of_case, of_all] : kWorstFirst) {
    for (const CaseRecord& record : run.cases) {
      if (record.status == of_case) return of_all;
    }
  }
  return db::GradeStatus::kError;
}

std::string reason_of(const RunRecord& run) {
  for (const CaseRecord& record : run.cases) {
    if (record.status == CaseStatus::kOk) continue;
    if (!record.reason.empty()) return record.reason;
    if (!record.findings.empty()) return reading::sentence_of(record.findings.front());
  }
  return {};
}

// What of a program's run a criterion is about: the launches of kernels that have the name; what is
// found anywhere; else the program itself.
bool is_about(const Criterion& criterion, const CaseRecord& record) {
  if (criterion.kernel.empty()) {
    return record.kernel.empty() || criterion.demand == Demand::kFindings;
  }
  return ::fnmatch(criterion.kernel.c_str(), record.kernel.c_str(), 0) == 0;
}

// Null: there was no such run.
const CaseRecord* program_of(const Criterion& criterion, const RunRecord& run) {
  const auto program = std::find_if(run.cases.begin(), run.cases.end(), [&](const auto& record) {
    return record.variant == criterion.variant && record.kernel.empty();
  });
  return program == run.cases.end() ? nullptr : &*program;
}

// A kernel's cost says nothing where the program does not do what it should.
std::optional<Judgement> spoilt(const Criterion& criterion, const RunRecord& run) {
  const CaseRecord* const program = program_of(criterion, run);
  if (program == nullptr) return std::nullopt;  // judged as a run that is not there
  if (program->status == CaseStatus::kOk || program->status == CaseStatus::kFinding) {
    return std::nullopt;
  }
  Judgement judgement;
  judgement.met = program->status == CaseStatus::kRefused ? Met::kOpen : Met::kNo;
  judgement.reason = fmt::format("the program is not right: {}", program->reason);
  return judgement;
}

// Adds up all launches of all kernels: a kernel that has the name asked for may leave
// the work to another one, and a launch that costs nothing may come before one that does it all.
// Empty: of a run by a version that did not add up.
std::optional<CaseRecord> sums_of(const Criterion& criterion, const RunRecord& run) {
  const CaseRecord* const program = program_of(criterion, run);
  if (program == nullptr || program->observations.empty()) return std::nullopt;
  CaseRecord sums = *program;
  metrics::derive(sums);                      // quotients of sums
  if (sums.status == CaseStatus::kFinding) {  // on the host's side
    sums.status = CaseStatus::kOk;
    sums.findings.clear();
  }
  for (const CaseRecord& record : run.cases) {
    const bool launch = record.variant == criterion.variant && !record.kernel.empty();
    if (!launch || record.status == CaseStatus::kOk || sums.status != CaseStatus::kOk) continue;
    sums.status = record.status;
    sums.reason = record.reason;
    sums.findings = record.findings;
  }
  return sums;
}

Judgement judge_sums(const Criterion& criterion, const CaseRecord& sums) {
  Judgement judgement = judge(criterion, {&sums}, {});
  // Zero of zero accesses: there is nothing that could be good.
  const metrics::Metric* const row = metrics::find(criterion.metric);
  const bool quotient = row != nullptr && row->derived.rule == metrics::Rule::kRatio;
  const bool counted =
      quotient &&
      std::all_of(row->derived.parts.begin(), row->derived.parts.end(), [&](std::string_view part) {
        return graded_value(sums, std::string(part)).has_value();
      });
  if (judgement.met == Met::kOpen && !judgement.value && counted) {
    judgement.met = Met::kNo;
    judgement.reason = fmt::format("no launch has accesses that {} is about", criterion.metric);
  }
  return judgement;
}

Judgement judge_program(const Criterion& criterion, const std::vector<const CaseRecord*>& cases,
                        const RunRecord& run) {
  if (!criterion.kernel.empty() || criterion.demand == Demand::kFindings) {
    if (const auto judgement = spoilt(criterion, run)) return *judgement;
  }
  if (criterion.demand == Demand::kMetric && criterion.kernel.empty()) {
    if (const auto judgement = spoilt(criterion, run)) return *judgement;
  }
  const bool sum = criterion.demand == Demand::kMetric && adds_up(criterion.metric);
  if (sum && !cases.empty()) {
    if (const auto sums = sums_of(criterion, run)) return judge_sums(criterion, *sums);
  }
  Judgement judgement = judge(criterion, cases, run.cases);
  if (cases.empty() && !criterion.kernel.empty()) {
    judgement.reason = fmt::format("no kernel called '{}' was launched", criterion.kernel);
  }
  return judgement;
}

db::CriterionRow row_of(const Rubric& rubric, const Criterion& criterion, const RunRecord& run) {
  std::vector<const CaseRecord*> cases;
  for (const CaseRecord& record : run.cases) {
    if (record.variant != criterion.variant) continue;
    if (!rubric.of_program() || is_about(criterion, record)) cases.push_back(&record);
  }
  const Judgement judgement = rubric.of_program() ? judge_program(criterion, cases, run)
                                                  : judge(criterion, cases, run.cases);
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
  const bool hidden =
      worst != cases.end() ? rubric.is_hidden(**worst) : rubric.is_hidden_run(criterion.variant);
  row.params = hidden ? db::DecidingCase::hidden() : db::DecidingCase(judgement.params.text());
  return row;
}

// A criterion earns points only where the criteria that it needs are met in full. Otherwise a slow
// kernel could add accesses to a tile that it does not use, and be paid for having no conflicts.
void hold_back(const Criterion& criterion, const std::vector<db::CriterionRow>& before,
               db::CriterionRow& row) {
  for (const db::CriterionRow& one : before) {
    const bool needed = std::count(criterion.needs.begin(), criterion.needs.end(), one.name) > 0;
    if (!needed || !one.points || is_met(one) || !row.points) continue;
    if (*row.points == 0 && !is_met(row)) continue;  // its own reason says more
    row.points = 0;
    row.reason = fmt::format("it counts where this is met: {}", one.name);
  }
}

}  // namespace

bool is_met(const db::CriterionRow& row) {
  if (row.of == 0) return row.points && row.reason.empty();
  return row.points && *row.points >= row.of;
}

std::vector<db::CriterionRow> no_points(const Rubric& rubric, const std::string& reason,
                                        std::optional<double> points) {
  std::vector<db::CriterionRow> rows;
  for (const Criterion& criterion : rubric.criteria) {
    db::CriterionRow row{criterion.name, criterion.variant, points, criterion.points,
                         criterion.metric};
    row.threshold = criterion.threshold();
    row.reason = reason;
    rows.push_back(std::move(row));
  }
  return rows;
}

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
  // Where the model cannot tell, a person decides: that is never 0 points.
  grade.status = db::GradeStatus::kManual;
  grade.points.reset();
}

db::GradeRow regrade(const Rubric& asked, const db::GradeRow& before,
                     const std::optional<RunRecord>& run) {
  const Rubric rubric = run && run->seed ? at_seed(asked, *run->seed) : asked;
  db::GradeRow row = before;
  row.graded_at.clear();
  row.rubric_sha256 = rubric.sha256;
  row.of = rubric.of;
  if (!run) {
    if (before.points) row.points = 0;  // else a person has to say
    row.criteria = no_points(rubric, before.reason, row.points);
    row.feedback = feedback_text(rubric, row, nullptr);
    return row;
  }
  RunRecord known = *run;
  for (const ProgramRun& one : rubric.runs) {
    if (std::any_of(known.cases.begin(), known.cases.end(),
                    [&](const CaseRecord& record) { return record.variant == one.name; })) {
      continue;
    }
    throw input_error("the rubric has a run that the program did not have: " + one.name,
                      "lab grade runs it");
  }
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
    return !rubric.of_program() &&
           std::none_of(rubric.requests.begin(), rubric.requests.end(), [&](const auto& request) {
             return one.variant == request.variant && one.params == request.params;
           });
  });
  give_points(rubric, known, row);
  row.feedback = feedback_text(rubric, row, &known);
  return row;
}

}  // namespace lab::grade
