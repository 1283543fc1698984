// What students are given: questions and hints, a starter, points.
#include <fmt/format.h>

#include "harness/classes/grade/grade.h"
#include "harness/classes/grade/points.h"
#include "harness/classes/labtest/checks.h"
#include "harness/classes/study/study.h"
#include "harness/core/text.h"
#include "harness/run/places.h"
#include "harness/run/starter.h"

namespace lab::labtest {
namespace {

grade::Rubric rubric_of(const Lab& lab) {
  const std::string path = run::lab_file(lab, "rubric.toml");
  return grade::read_rubric(path, run::read_text(path, "the rubric"), lab);
}

// The grade of a text that a student might hand in.
grade::Graded graded(const Subject& subject, const grade::Rubric& rubric, KernelText text) {
  grade::Submission submission;
  submission.student = "author";
  submission.path = text.name;
  submission.text = std::move(text);
  grade::GradeOptions options;
  options.seed = rubric.seed.value_or(options.seed);
  options.cancelled = subject.settings.cancelled;
  return grade::grade_one(rubric, submission, options);
}

std::string points_text(const db::GradeRow& row) {
  return fmt::format("{} of {} points", row.points ? number_text(*row.points) : "no",
                     number_text(row.of));
}

// The criteria that are not met in full, each with its reason.
std::string lost_text(const db::GradeRow& row) {
  std::string text;
  for (const db::CriterionRow& one : row.criteria) {
    if (grade::is_met(one)) continue;
    text += fmt::format("\n  {}: {}", one.name, one.reason);
  }
  return text;
}

// The lab's own kernel with one element more in its first array of shared memory, which is what
// padding comes to; empty: it has none.
std::string padded_text(const std::string& kernel, const std::string& text) {
  const std::size_t at = text.find(" " + kernel + "(");
  const std::size_t array = at == text.npos ? at : text.find("__shared__", at);
  const std::size_t end = array == text.npos ? array : text.find("];", array);
  if (end == text.npos) return {};
  return text.substr(0, end) + " + 1" + text.substr(end);
}

void check_forbidden(const Subject& subject, const grade::Rubric& rubric, Check& check) {
  const Lab& lab = subject.lab;
  if (!lab.goal || lab.goal->forbidden == Forbidden::kNothing) return;
  KernelText text = run::own_kernels(lab);
  text.text = padded_text(*grade::kernels_of(rubric).begin(), text.text);
  const db::GradeRow row = graded(subject, rubric, std::move(text)).row;
  if (row.points && *row.points < rubric.pass) return;
  check.problems.push_back(
      fmt::format("{}: the cure that the task forbids passes: {}", rubric.name, points_text(row)));
}

}  // namespace

void check_study(const Subject& subject, Check& check) {
  const Lab& lab = subject.lab;
  const study::Study study = study::read_study(lab);
  const std::string file = run::lab_file(lab, "study.toml");
  for (const std::string& problem : study::problems_of(lab, study)) {
    check.problems.push_back(fmt::format("{}: {}", file, problem));
  }
  check.told =
      fmt::format("{}, {}, {}", counted(study.guesses.size(), "guess", "es"),
                  counted(study.questions.size(), "question"), counted(study.hints.size(), "hint"));
}

void check_starter(const Subject& subject, Check& check) {
  const grade::Rubric rubric = rubric_of(subject.lab);
  const std::string file = run::lab_file(subject.lab, "kernels.cu");
  const db::GradeRow row = graded(subject, rubric, {file, run::starter_of(subject.lab).text}).row;
  check.told = points_text(row);
  const bool compiled =
      row.status != db::GradeStatus::kNotCompiled && row.status != db::GradeStatus::kNoKernel;
  if (!compiled) {
    check.problems.push_back(fmt::format("{}: {}", file, row.reason));
  } else if (row.points && *row.points >= rubric.pass) {
    check.problems.push_back(fmt::format("{}: the starter as it is passes: {}, {} is enough",
                                         rubric.name, points_text(row), number_text(rubric.pass)));
  }
}

void check_rubric(const Subject& subject, Check& check) {
  const grade::Rubric rubric = rubric_of(subject.lab);
  const db::GradeRow row = graded(subject, rubric, run::own_kernels(subject.lab)).row;
  check.told = "the lab's own kernels: " + points_text(row);
  check_forbidden(subject, rubric, check);
  if (row.points && *row.points >= row.of) return;
  check.problems.push_back(fmt::format("{}: the lab's own kernels get {}{}", rubric.name,
                                       points_text(row), lost_text(row)));
}

}  // namespace lab::labtest
