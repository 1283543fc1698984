#include "db/study.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "db/rows.h"
#include "harness/core/text.h"
#include "harness/reading/case_reading.h"

namespace lab::db {

using SQLite::Statement;

namespace {

template <typename Body>
void stored(Store& store, Body body) {
  Connection& connection = store.connection();
  connection.guarded([&] {
    connection.database().exec("PRAGMA synchronous = FULL");
    SQLite::Transaction transaction(connection.database(), SQLite::TransactionBehavior::IMMEDIATE);
    body(connection.database());
    transaction.commit();
  });
}

void name_and_time(std::string& uuid, std::string& time) {
  if (uuid.empty()) uuid = new_uuid();
  if (time.empty()) time = utc_now();
}

// All rows of a table, or one student's.
template <Described Record, typename... Student>
std::vector<Record> rows_of(Store& store, const std::string& clauses, const Student&... student) {
  Connection& connection = store.connection();
  return connection.guarded(
      [&] { return select_rows<Record>(connection.database(), clauses, student...); });
}

const std::string kOfStudent = "WHERE coalesce(student, '') = ? ";
const std::string kGuessesInTime = "ORDER BY made_at, rowid";
const std::string kAnswersInTime = "ORDER BY given_at, rowid";

}  // namespace

void add_guess(Store& store, Guess& guess) {
  name_and_time(guess.uuid, guess.made_at);
  stored(store, [&](SQLite::Database& database) { insert_row(database, guess); });
}

void settle_guess(Store& store, const Guess& guess) {
  stored(store, [&](SQLite::Database& database) {
    Statement update(database,
                     "UPDATE guesses SET run_uuid = ?, answer = ?, rule = ? WHERE uuid = ?");
    execute(update, nullable(guess.run_uuid), guess.answer, nullable(guess.rule), guess.uuid);
  });
}

void add_quiz_answer(Store& store, QuizAnswer& answer) {
  name_and_time(answer.uuid, answer.given_at);
  stored(store, [&](SQLite::Database& database) { insert_row(database, answer); });
}

std::vector<Guess> guesses_of(Store& store, const std::string& student) {
  return rows_of<Guess>(store, kOfStudent + kGuessesInTime, student);
}

std::vector<QuizAnswer> quiz_answers_of(Store& store, const std::string& student) {
  return rows_of<QuizAnswer>(store, kOfStudent + kAnswersInTime, student);
}

std::vector<LabRuns> lab_runs_of(Store& store, const std::string& student) {
  // As reading::StandingCounts::all_on_target says, of runs that came to their end.
  const std::string sql = fmt::format(
      "WITH own AS (SELECT r.id, count(*) AS cases, sum(read.standing = {}) AS on_target"
      "  FROM runs r JOIN cases c ON c.run_id = r.id JOIN readings read ON read.case_id = c.id"
      "  WHERE r.source_is_labs_own = 0 AND r.status IN ('ok', 'failed')"
      "    AND coalesce(r.student, '') = ?1 AND read.standing <> {} GROUP BY r.id)"
      " SELECT r.lab, count(*), sum(r.source_is_labs_own = 1 AND r.uuid NOT IN"
      "   (SELECT run_uuid FROM guesses WHERE run_uuid IS NOT NULL)),"
      "  sum(r.source_is_labs_own = 0), coalesce(sum(own.on_target = own.cases), 0),"
      "  coalesce((SELECT newest.source_name FROM runs newest WHERE newest.lab = r.lab"
      "    AND newest.source_is_labs_own = 0 AND coalesce(newest.student, '') = ?1"
      "    ORDER BY newest.started_at DESC, newest.id DESC LIMIT 1), ''),"
      "  coalesce(max(CASE WHEN r.source_is_labs_own = 0 THEN r.started_at END), '')"
      " FROM runs r LEFT JOIN own ON own.id = r.id"
      " WHERE r.lab > 0 AND coalesce(r.student, '') = ?1 GROUP BY r.lab ORDER BY r.lab",
      static_cast<int>(reading::Standing::kOnTarget), static_cast<int>(reading::Standing::kNone));
  Connection& connection = store.connection();
  return connection.guarded([&] {
    Statement rows(connection.database(), sql);
    start(rows, student);
    std::vector<LabRuns> all;
    while (rows.executeStep()) {
      LabRuns& one = all.emplace_back();
      Reader row(rows);
      row.read(one.lab);
      row.read(one.runs);
      row.read(one.lessons);
      row.read(one.own_kernels);
      row.read(one.on_target);
      row.read(one.file);
      row.read(one.last_own);
    }
    return all;
  });
}

namespace {

template <Described Record>
std::int64_t add_missing(SQLite::Database& database, std::vector<Record> records,
                         const std::string& student) {
  std::int64_t added = 0;
  Inserter<Record> rows(database, {}, Present::kStays);
  for (Record& record : records) {
    if (!student.empty()) record.student = student;
    rows.add(record);
    added += database.getChanges();
  }
  return added;
}

}  // namespace

std::int64_t merge_study(Store& into, Store& from, const std::string& student) {
  const auto guesses = rows_of<Guess>(from, kGuessesInTime);
  const auto answers = rows_of<QuizAnswer>(from, kAnswersInTime);
  return into.connection().guarded([&] {
    SQLite::Database& database = into.connection().database();
    return add_missing(database, guesses, student) + add_missing(database, answers, student);
  });
}

}  // namespace lab::db
