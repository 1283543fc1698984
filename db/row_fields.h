// The fields of the records that db/ keeps beside runs, as harness/core/record_fields.h has those
// of runs: insert, select, merge, --json and CSV are made from them.
#pragma once

#include "db/calibration.h"
#include "db/grades.h"
#include "db/larger_times.h"
#include "db/study.h"
#include "harness/core/record_fields.h"

namespace lab {

template <>
inline constexpr auto kFieldsOf<db::LargerTime> = described<db::LargerTime>(
    field("variant", &db::LargerTime::variant), field("params", &db::LargerTime::params),
    field("bytes", &db::LargerTime::bytes), field("expected", &db::LargerTime::expected));

template <>
inline constexpr auto kFieldsOf<db::Student> = described<db::Student>(
    field("student", &db::Student::student), field("name", &db::Student::name, Trait::kNullable),
    field("email", &db::Student::email, Trait::kNullable));

template <>
inline constexpr auto kFieldsOf<db::RubricRow> = described<db::RubricRow>(
    field("sha256", &db::RubricRow::sha256), field("lab", &db::RubricRow::lab),
    field("text", &db::RubricRow::text), field("seed", &db::RubricRow::seed),
    field("pass", &db::RubricRow::pass), field("of", &db::RubricRow::of));

template <>
inline constexpr auto kFieldsOf<db::CriterionRow> = described<db::CriterionRow>(
    field("name", &db::CriterionRow::name), field("variant", &db::CriterionRow::variant),
    field("points", &db::CriterionRow::points), field("of", &db::CriterionRow::of),
    field("metric", &db::CriterionRow::metric, Trait::kNullable),
    field("value", &db::CriterionRow::value), field("excess", &db::CriterionRow::excess),
    field("threshold", &db::CriterionRow::threshold),
    field("params", &db::CriterionRow::params, Trait::kNullable),
    field("reason", &db::CriterionRow::reason, Trait::kNullable));

template <>
inline constexpr auto kFieldsOf<db::GradeRow> = described<db::GradeRow>(
    field("id", &db::GradeRow::id, Trait::kApart, ""), field("student", &db::GradeRow::student),
    field("lab", &db::GradeRow::lab, Trait::kNone, ""),
    field("rubric_sha256", &db::GradeRow::rubric_sha256, Trait::kNone, ""),
    field("source_sha256", &db::GradeRow::source_sha256, Trait::kNullable, ""),
    field("run_id", &db::GradeRow::run, Trait::kNone, ""),
    field("file", &db::GradeRow::file, Trait::kNullable, ""),
    field("status", &db::GradeRow::status), field("points", &db::GradeRow::points),
    field("of", &db::GradeRow::of), field("reason", &db::GradeRow::reason, Trait::kNullable),
    field("seconds", &db::GradeRow::seconds), field("memory_bytes", &db::GradeRow::memory_bytes),
    field("submitted_at", &db::GradeRow::submitted_at, Trait::kNullable, ""),
    field("graded_at", &db::GradeRow::graded_at, Trait::kNone, ""),
    field("feedback", &db::GradeRow::feedback, Trait::kNullable, ""),
    field("fingerprints_sha256", &db::GradeRow::fingerprints_sha256, Trait::kNullable, ""),
    field("criteria", &db::GradeRow::criteria, Trait::kApart, ""));

template <>
inline constexpr auto kFieldsOf<db::GradebookRow> = described<db::GradebookRow>(
    field("grade", &db::GradebookRow::grade),
    field("name", &db::GradebookRow::name, Trait::kNullable, ""),
    field("adjusted", &db::GradebookRow::adjusted), field("total", &db::GradebookRow::total),
    field("passed", &db::GradebookRow::passed, Trait::kNone, ""),
    field("adjustments", &db::GradebookRow::adjustments, Trait::kApart, ""));

template <>
inline constexpr auto kFieldsOf<db::Guess> = described<db::Guess>(
    field("uuid", &db::Guess::uuid), field("student", &db::Guess::student, Trait::kNullable),
    field("lab", &db::Guess::lab), field("variant", &db::Guess::variant),
    field("params", &db::Guess::params), field("metric", &db::Guess::metric),
    field("guess", &db::Guess::guess), field("made_at", &db::Guess::made_at),
    field("run_uuid", &db::Guess::run_uuid, Trait::kNullable), field("answer", &db::Guess::answer),
    field("rule", &db::Guess::rule, Trait::kNullable));

template <>
inline constexpr auto kFieldsOf<db::QuizAnswer> = described<db::QuizAnswer>(
    field("uuid", &db::QuizAnswer::uuid),
    field("student", &db::QuizAnswer::student, Trait::kNullable),
    field("lab", &db::QuizAnswer::lab), field("question", &db::QuizAnswer::question),
    field("given", &db::QuizAnswer::given), field("correct", &db::QuizAnswer::correct),
    field("given_at", &db::QuizAnswer::given_at));

template <>
inline constexpr auto kFieldsOf<db::Calibration> = described<db::Calibration>(
    field("gpu", &db::Calibration::gpu), field("gpu_uuid", &db::Calibration::gpu_uuid),
    field("driver", &db::Calibration::driver, Trait::kNullable),
    field("taken_at", &db::Calibration::taken_at),
    field("ceilings", &db::Calibration::ceilings, Trait::kApart, ""));

}  // namespace lab
