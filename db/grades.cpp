#include "db/grades.h"

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <utility>

#include "db/seal.h"
#include "db/statement.h"
#include "harness/core/text.h"

namespace lab::db {

namespace {

using SQLite::Statement;

std::optional<double> real_at(Statement& row, int column) {
  const SQLite::Column value = row.getColumn(column);
  return value.isNull() ? std::nullopt : std::optional(value.getDouble());
}

std::string text_at(Statement& row, int column) { return row.getColumn(column).getString(); }

constexpr const char* kGradeColumns =
    "g.id, g.student, g.lab, g.rubric_sha256, g.source_sha256, g.run_id, g.file, g.status,"
    " g.reason, g.points, g.of, g.seconds, g.memory_bytes, g.submitted_at, g.feedback, g.graded_at";

GradeRow read_grade(Statement& row) {
  GradeRow grade;
  grade.id = row.getColumn(0).getInt64();
  grade.student = text_at(row, 1);
  grade.lab = row.getColumn(2).getInt();
  grade.rubric_sha256 = text_at(row, 3);
  grade.source_sha256 = text_at(row, 4);
  if (!row.getColumn(5).isNull()) grade.run = row.getColumn(5).getInt64();
  grade.file = text_at(row, 6);
  grade.status = text_at(row, 7);
  grade.reason = text_at(row, 8);
  grade.points = real_at(row, 9);
  grade.of = row.getColumn(10).getDouble();
  grade.seconds = real_at(row, 11);
  if (!row.getColumn(12).isNull()) {
    grade.memory_bytes = static_cast<std::uint64_t>(row.getColumn(12).getInt64());
  }
  grade.submitted_at = text_at(row, 13);
  grade.feedback = text_at(row, 14);
  grade.graded_at = text_at(row, 15);
  return grade;
}

std::vector<CriterionRow> read_criteria(SQLite::Database& database, std::int64_t grade) {
  Statement rows(database,
                 "SELECT name, variant, points, of, metric, value, excess, threshold, params,"
                 " reason FROM criteria WHERE grade_id = ? ORDER BY seq");
  start(rows, grade);
  std::vector<CriterionRow> criteria;
  while (rows.executeStep()) {
    CriterionRow one{text_at(rows, 0), text_at(rows, 1), real_at(rows, 2),
                     rows.getColumn(3).getDouble(), text_at(rows, 4)};
    one.value = real_at(rows, 5);
    one.excess = real_at(rows, 6);
    one.threshold = text_at(rows, 7);
    one.params = text_at(rows, 8);
    one.reason = text_at(rows, 9);
    criteria.push_back(std::move(one));
  }
  return criteria;
}

std::vector<std::string> read_adjustments(SQLite::Database& database, const GradeRow& grade) {
  Statement rows(
      database, "SELECT points, reason FROM adjustments WHERE student = ? AND lab = ? ORDER BY id");
  start(rows, grade.student, grade.lab);
  std::vector<std::string> texts;
  while (rows.executeStep()) {
    texts.push_back(fmt::format("{:+g}: {}", rows.getColumn(0).getDouble(), text_at(rows, 1)));
  }
  return texts;
}

void insert_grade(Store& store, GradeRow& grade) {
  SQLite::Database& database = store.connection().database();
  Statement insert(database,
                   "INSERT INTO grades(student, lab, rubric_sha256, source_sha256, run_id, file,"
                   " status, reason, points, of, seconds, memory_bytes, submitted_at, graded_at,"
                   " feedback) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  execute(insert, grade.student, grade.lab, grade.rubric_sha256, nullable(grade.source_sha256),
          grade.run, nullable(grade.file), grade.status, nullable(grade.reason), grade.points,
          grade.of, grade.seconds, grade.memory_bytes, nullable(grade.submitted_at),
          grade.graded_at.empty() ? utc_now() : grade.graded_at, nullable(grade.feedback));
  grade.id = database.getLastInsertRowid();
  Statement criterion(database,
                      "INSERT INTO criteria(grade_id, seq, name, variant, points, of, metric,"
                      " value, excess, threshold, params, reason)"
                      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  int seq = 0;
  for (const CriterionRow& one : grade.criteria) {
    execute(criterion, grade.id, seq++, one.name, one.variant, one.points, one.of,
            nullable(one.metric), one.value, one.excess, one.threshold, nullable(one.params),
            nullable(one.reason));
  }
  seal_grade(database, grade.id, store.key());
}

void insert_fingerprints(SQLite::Database& database, int lab, const std::string& student,
                         const std::map<std::string, std::string>& fingerprints) {
  Statement remove(database, "DELETE FROM fingerprints WHERE lab = ? AND student = ?");
  execute(remove, lab, student);
  Statement insert(database,
                   "INSERT INTO fingerprints(lab, student, kernel, sha256) VALUES (?, ?, ?, ?)");
  for (const auto& [kernel, sha256] : fingerprints) execute(insert, lab, student, kernel, sha256);
}

}  // namespace

RubricRow keep_rubric(Store& store, const RubricRow& rubric) {
  RubricRow kept = rubric;
  store.together([&] {
    SQLite::Database& database = store.connection().database();
    Statement insert(database,
                     "INSERT INTO rubrics(sha256, lab, text, seed, pass, of)"
                     " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    execute(insert, rubric.sha256, rubric.lab, rubric.text, rubric.seed, rubric.pass, rubric.of);
    Statement row(database, "SELECT seed FROM rubrics WHERE sha256 = ?");
    start(row, rubric.sha256);
    if (row.executeStep()) kept.seed = static_cast<std::uint64_t>(row.getColumn(0).getInt64());
  });
  return kept;
}

void put_students(Store& store, const std::vector<Student>& all) {
  store.together([&] {
    Statement insert(store.connection().database(),
                     "INSERT INTO students(student, name, email) VALUES (?1, ?2, ?3)"
                     " ON CONFLICT(student) DO UPDATE SET name = ?2, email = ?3");
    for (const Student& one : all) {
      execute(insert, one.student, nullable(one.name), nullable(one.email));
    }
  });
}

std::vector<Student> students(Store& store) {
  return store.connection().guarded([&] {
    Statement rows(store.connection().database(),
                   "SELECT student, name, email FROM students ORDER BY student");
    std::vector<Student> all;
    while (rows.executeStep())
      all.push_back({text_at(rows, 0), text_at(rows, 1), text_at(rows, 2)});
    return all;
  });
}

std::optional<GradeRow> newest_grade(Store& store, const std::string& student, int lab) {
  return store.connection().guarded([&]() -> std::optional<GradeRow> {
    Statement row(store.connection().database(),
                  fmt::format("SELECT {} FROM grades g WHERE student = ? AND lab = ?"
                              " ORDER BY id DESC LIMIT 1",
                              kGradeColumns));
    start(row, student, lab);
    if (!row.executeStep()) return {};
    return read_grade(row);
  });
}

void put_grade(Store& store, GradeRow grade, const RunRecord* run,
               const std::map<std::string, std::string>& fingerprints) {
  store.together([&] {
    if (run != nullptr) grade.run = store.import_run(*run, utc_now());
    insert_grade(store, grade);
    insert_fingerprints(store.connection().database(), grade.lab, grade.student, fingerprints);
  });
}

void keep_grade(Store& store, GradeRow grade) {
  store.together([&] { insert_grade(store, grade); });
}

void put_solution(Store& store, int lab, const std::map<std::string, std::string>& fingerprints) {
  store.together(
      [&] { insert_fingerprints(store.connection().database(), lab, "", fingerprints); });
}

namespace {

std::vector<RubricRow> rubrics_of(Store& store) {
  return store.connection().guarded([&] {
    Statement rows(store.connection().database(),
                   "SELECT sha256, lab, text, seed, pass, of FROM rubrics ORDER BY sha256");
    std::vector<RubricRow> all;
    while (rows.executeStep()) {
      all.push_back({text_at(rows, 0), rows.getColumn(1).getInt(), text_at(rows, 2),
                     static_cast<std::uint64_t>(rows.getColumn(3).getInt64()),
                     rows.getColumn(4).getDouble(), rows.getColumn(5).getDouble()});
    }
    return all;
  });
}

std::vector<GradeRow> newest_grades(Store& store) {
  return store.connection().guarded([&] {
    SQLite::Database& database = store.connection().database();
    Statement rows(database, fmt::format("SELECT {} FROM grades g WHERE id = (SELECT max(id) FROM"
                                         " grades n WHERE n.student = g.student AND n.lab = g.lab)"
                                         " ORDER BY id",
                                         kGradeColumns));
    std::vector<GradeRow> all;
    while (rows.executeStep()) all.push_back(read_grade(rows));
    for (GradeRow& grade : all) grade.criteria = read_criteria(database, grade.id);
    return all;
  });
}

std::map<std::string, std::string> fingerprints_of(Store& store, int lab,
                                                   const std::string& student) {
  return store.connection().guarded([&] {
    Statement rows(store.connection().database(),
                   "SELECT kernel, sha256 FROM fingerprints WHERE lab = ? AND student = ?");
    start(rows, lab, student);
    std::map<std::string, std::string> all;
    while (rows.executeStep()) all[text_at(rows, 0)] = text_at(rows, 1);
    return all;
  });
}

bool is_here(Store& into, const GradeRow& grade) {
  return into.connection().guarded([&] {
    Statement row(into.connection().database(),
                  "SELECT 1 FROM grades WHERE student = ? AND lab = ? AND rubric_sha256 = ?"
                  " AND source_sha256 IS ? AND graded_at = ?");
    start(row, grade.student, grade.lab, grade.rubric_sha256, nullable(grade.source_sha256),
          grade.graded_at);
    return row.executeStep();
  });
}

// The id that a run of `from` has in `into`; empty: it is not there.
std::optional<std::int64_t> run_here(Store& into, Store& from, std::int64_t run) {
  const auto value = [](Store& store, const char* sql, const auto& key) {
    return store.connection().guarded([&] {
      Statement row(store.connection().database(), sql);
      start(row, key);
      return row.executeStep() ? row.getColumn(0).getString() : std::string();
    });
  };
  const std::string uuid = value(from, "SELECT uuid FROM runs WHERE id = ?", run);
  const std::string id = value(into, "SELECT id FROM runs WHERE uuid = ?", uuid);
  return id.empty() ? std::nullopt : std::optional<std::int64_t>(std::stoll(id));
}

}  // namespace

MergedGrades merge_grades(Store& into, Store& from, bool trusted) {
  std::map<std::string, RubricRow> rubrics;
  for (RubricRow& rubric : rubrics_of(from)) rubrics[rubric.sha256] = std::move(rubric);
  if (trusted) put_students(into, students(from));
  MergedGrades merged;
  for (GradeRow& grade : newest_grades(from)) {
    if (is_here(into, grade)) continue;
    const SealCheck seal = from.connection().guarded(
        [&] { return check_grade_seal(from.connection().database(), grade.id, into.key()); });
    if (!seal.problems.empty()) {
      merged.refused.push_back(fmt::format("grade of '{}', lab {}: edited: {}", grade.student,
                                           grade.lab, seal.problems.front()));
      continue;
    }
    if (!trusted && !seal.by_key) {
      ++merged.left;
      continue;
    }
    static_cast<void>(keep_rubric(into, rubrics.at(grade.rubric_sha256)));
    if (grade.run) grade.run = run_here(into, from, *grade.run);
    put_grade(into, grade, nullptr, fingerprints_of(from, grade.lab, grade.student));
    const auto solution = fingerprints_of(from, grade.lab, "");
    if (!solution.empty()) put_solution(into, grade.lab, solution);
    ++merged.added;
  }
  return merged;
}

std::vector<GradebookRow> gradebook(Store& store, int lab) {
  return store.connection().guarded([&] {
    SQLite::Database& database = store.connection().database();
    Statement rows(database,
                   fmt::format("SELECT {}, b.name, b.adjusted, b.total, b.passed FROM gradebook b"
                               " JOIN grades g ON g.id = b.grade WHERE b.lab = ?"
                               " ORDER BY g.student",
                               kGradeColumns));
    start(rows, lab);
    std::vector<GradebookRow> book;
    while (rows.executeStep()) {
      GradebookRow one{read_grade(rows)};
      one.name = text_at(rows, 16);
      one.adjusted = rows.getColumn(17).getDouble();
      one.total = real_at(rows, 18);
      if (!rows.getColumn(19).isNull()) one.passed = rows.getColumn(19).getInt() != 0;
      one.grade.criteria = read_criteria(database, one.grade.id);
      one.adjustments = read_adjustments(database, one.grade);
      book.push_back(std::move(one));
    }
    return book;
  });
}

}  // namespace lab::db
