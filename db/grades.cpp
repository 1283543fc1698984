#include "db/grades.h"

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <utility>

#include "db/heads.h"
#include "db/rows.h"
#include "db/seal.h"
#include "db/statement.h"
#include "harness/core/text.h"

namespace lab::db {

std::string_view name_of(GradeStatus status) { return word_of(status); }

namespace {

using SQLite::Statement;

constexpr const char* kNewestOfEach =
    "WHERE t.id = (SELECT n.id FROM grades n WHERE n.student = t.student AND n.lab = t.lab"
    " ORDER BY n.graded_at DESC, n.id DESC LIMIT 1)"
    " ORDER BY t.id";

std::vector<CriterionRow> read_criteria(SQLite::Database& database, std::int64_t grade) {
  return select_rows<CriterionRow>(database, "WHERE t.grade_id = ? ORDER BY t.seq", grade);
}

std::vector<std::string> read_adjustments(SQLite::Database& database, const GradeRow& grade) {
  Statement rows(
      database, "SELECT points, reason FROM adjustments WHERE student = ? AND lab = ? ORDER BY id");
  start(rows, grade.student, grade.lab);
  std::vector<std::string> texts;
  while (rows.executeStep()) {
    texts.push_back(
        fmt::format("{:+g}: {}", rows.getColumn(0).getDouble(), rows.getColumn(1).getString()));
  }
  return texts;
}

void insert_grade(Store& store, GradeRow& grade) {
  SQLite::Database& database = store.connection().database();
  if (grade.graded_at.empty()) grade.graded_at = utc_now();
  grade.id = insert_row(database, grade);
  Inserter<CriterionRow> criteria(database, {"grade_id", "seq"});
  int seq = 0;
  for (const CriterionRow& one : grade.criteria) criteria.add(one, grade.id, seq++);
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

// What results and outliers of a class are found by. A student's file, which has no grades, does
// without: no migration makes it.
void index_costs(SQLite::Database& database) {
  database.exec(
      "CREATE INDEX IF NOT EXISTS verdicts_by_cost ON verdicts(case_id, excess DESC, metric)"
      " WHERE excess IS NOT NULL");
  database.exec(
      "CREATE INDEX IF NOT EXISTS verdicts_off_one ON verdicts(case_id, metric, excess)"
      " WHERE excess <> 1");
  database.exec(
      "CREATE INDEX IF NOT EXISTS verdicts_without_excess ON verdicts(case_id, metric)"
      " WHERE excess IS NULL AND target IS NOT NULL");
}

}  // namespace

RubricRow keep_rubric(Store& store, const RubricRow& rubric) {
  RubricRow kept = rubric;
  store.together([&] {
    SQLite::Database& database = store.connection().database();
    index_costs(database);
    Inserter<RubricRow>(database, {}, Present::kStays).add(rubric);
    kept.seed = select_rows<RubricRow>(database, "WHERE sha256 = ?", rubric.sha256).at(0).seed;
  });
  return kept;
}

void put_students(Store& store, const std::vector<Student>& all) {
  store.together([&] {
    SQLite::Database& database = store.connection().database();
    move_head(database, store.key(), [&] {
      Inserter<Student> rows(database, {}, Present::kIsReplaced);
      for (const Student& one : all) rows.add(one);
    });
  });
}

void seal_by_hand(Store& store) {
  store.together([&] { seal_by_hand(store.connection().database(), store.key()); });
}

std::vector<Student> students(Store& store) {
  return store.connection().guarded(
      [&] { return select_rows<Student>(store.connection().database(), "ORDER BY student"); });
}

std::optional<GradeRow> newest_grade(Store& store, const std::string& student, int lab) {
  return store.connection().guarded([&]() -> std::optional<GradeRow> {
    auto found = select_rows<GradeRow>(store.connection().database(),
                                       "WHERE student = ? AND lab = ? ORDER BY id DESC LIMIT 1",
                                       student, lab);
    if (found.empty()) return {};
    return std::move(found.front());
  });
}

void put_grade(Store& store, GradeRow grade, const RunRecord* run,
               const std::map<std::string, std::string>& fingerprints) {
  store.together([&] {
    if (run != nullptr) grade.run = store.import_run(*run, utc_now());
    grade.fingerprints_sha256 = sum_of_fingerprints(fingerprints);
    insert_grade(store, grade);
    insert_fingerprints(store.connection().database(), grade.lab, grade.student, fingerprints);
  });
}

void keep_grade(Store& store, GradeRow grade) {
  store.together([&] { insert_grade(store, grade); });
}

void put_solution(Store& store, int lab, const std::map<std::string, std::string>& fingerprints) {
  SQLite::Database& database = store.connection().database();
  store.together([&] {
    move_head(database, store.key(), [&] { insert_fingerprints(database, lab, "", fingerprints); });
  });
}

namespace {

std::vector<GradeRow> grades_where(Store& store, const char* clauses) {
  return store.connection().guarded([&] {
    SQLite::Database& database = store.connection().database();
    auto all = select_rows<GradeRow>(database, clauses);
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
    while (rows.executeStep()) all[rows.getColumn(0).getString()] = rows.getColumn(1).getString();
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

// When the student's grade was given that is newer than this one; empty: it counts.
std::string newer_than(Store& into, const GradeRow& grade) {
  return into.connection().guarded([&] {
    Statement row(into.connection().database(),
                  "SELECT max(graded_at) FROM grades WHERE student = ? AND lab = ?"
                  " AND graded_at > ?");
    start(row, grade.student, grade.lab, grade.graded_at);
    return row.executeStep() ? row.getColumn(0).getString() : std::string();
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

std::vector<GradedText> graded_texts(Store& store, int lab) {
  return store.connection().guarded([&] {
    Statement rows(
        store.connection().database(),
        "SELECT g.student, coalesce(g.file, ''), s.text || coalesce((SELECT group_concat(i.text, "
        "'')"
        " FROM included_sources n JOIN sources i ON i.sha256 = n.source_sha256"
        " WHERE n.run_id = r.id), '')"
        " FROM grades g JOIN runs r ON r.id = g.run_id JOIN sources s ON s.sha256 = r.source_sha256"
        " WHERE g.lab = ? AND g.id = (SELECT n.id FROM grades n WHERE n.student = g.student"
        " AND n.lab = g.lab ORDER BY n.graded_at DESC, n.id DESC LIMIT 1) ORDER BY g.student");
    start(rows, lab);
    std::vector<GradedText> texts;
    while (rows.executeStep()) {
      texts.push_back({rows.getColumn(0).getString(), rows.getColumn(1).getString(),
                       rows.getColumn(2).getString()});
    }
    return texts;
  });
}

std::vector<GradeRow> every_grade(Store& store) { return grades_where(store, "ORDER BY t.id"); }

std::map<std::string, RubricRow> every_rubric(Store& store) {
  return store.connection().guarded([&] {
    std::map<std::string, RubricRow> rubrics;
    for (RubricRow& rubric : select_rows<RubricRow>(store.connection().database(), "")) {
      rubrics[rubric.sha256] = std::move(rubric);
    }
    return rubrics;
  });
}

MergedGrades merge_grades(Store& into, Store& from, Trust trust) {
  const std::map<std::string, RubricRow> rubrics = every_rubric(from);
  if (trust == Trust::kAll) put_students(into, students(from));
  MergedGrades merged;
  for (GradeRow& grade : grades_where(from, kNewestOfEach)) {
    if (is_here(into, grade)) continue;
    const SealCheck seal = from.connection().guarded(
        [&] { return check_grade(from.connection().database(), grade.id, into.key()); });
    if (!seal.problems.empty()) {
      merged.refused.push_back(fmt::format("grade of '{}', lab {}: edited: {}", grade.student,
                                           grade.lab, seal.problems.front()));
      continue;
    }
    if (trust == Trust::kOurKey && !seal.by_key) {
      ++merged.left;
      continue;
    }
    if (const std::string newer = newer_than(into, grade); !newer.empty()) {
      merged.behind.push_back(fmt::format("grade of '{}', lab {}, of {}: that of {} counts",
                                          grade.student, grade.lab, grade.graded_at, newer));
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

void begin_part(Store& part, Store& whole, int lab) {
  const std::map<std::string, RubricRow> rubrics = every_rubric(whole);
  part.together([&] {
    SQLite::Database& database = part.connection().database();
    Inserter<RubricRow> seeds(database, {}, Present::kStays);
    for (const auto& [sha256, rubric] : rubrics) {
      if (rubric.lab == lab) seeds.add(rubric);
    }
    for (GradeRow& grade : grades_where(whole, kNewestOfEach)) {
      if (grade.lab != lab || !grade.points) continue;
      grade.run.reset();
      const auto fingerprints = fingerprints_of(whole, lab, grade.student);
      grade.fingerprints_sha256 = sum_of_fingerprints(fingerprints);
      insert_grade(part, grade);
      insert_fingerprints(database, lab, grade.student, fingerprints);
    }
  });
}

std::vector<GradebookRow> gradebook(Store& store, int lab) {
  return store.connection().guarded([&] {
    SQLite::Database& database = store.connection().database();
    Statement rows(database,
                   fmt::format("SELECT {}, b.name, b.adjusted, b.total, b.passed FROM gradebook b"
                               " JOIN grades g ON g.id = b.grade WHERE b.lab = ?"
                               " ORDER BY g.student",
                               row_list<GradeRow>("g")));
    start(rows, lab);
    std::vector<GradebookRow> book;
    while (rows.executeStep()) {
      Reader row(rows);
      GradebookRow one{take_row<GradeRow>(row)};
      row.read(one.name);
      row.read(one.adjusted);
      row.read(one.total);
      row.read(one.passed);
      one.grade.criteria = read_criteria(database, one.grade.id);
      one.adjustments = read_adjustments(database, one.grade);
      book.push_back(std::move(one));
    }
    return book;
  });
}

}  // namespace lab::db
