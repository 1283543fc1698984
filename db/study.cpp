#include "db/study.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "db/statement.h"
#include "harness/core/text.h"
#include "harness/reading/case_reading.h"

namespace lab::db {

using SQLite::Statement;

namespace {

constexpr const char* kInsertGuess =
    "INSERT INTO guesses(uuid, student, lab, variant, params, metric, guess, made_at, run_uuid,"
    " answer, rule) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kInsertAnswer =
    "INSERT INTO quiz_answers(uuid, student, lab, question, given, correct, given_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)";

void insert(SQLite::Database& database, const Guess& guess) {
  Statement add(database, kInsertGuess);
  execute(add, guess.uuid, nullable(guess.student), guess.lab, guess.variant, guess.params,
          guess.metric, guess.guess, guess.made_at, nullable(guess.run_uuid), guess.answer,
          nullable(guess.rule));
}

void insert(SQLite::Database& database, const QuizAnswer& answer) {
  Statement add(database, kInsertAnswer);
  execute(add, answer.uuid, nullable(answer.student), answer.lab, answer.question, answer.given,
          answer.correct, answer.given_at);
}

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

std::string text_at(Statement& row, int column) { return row.getColumn(column).getString(); }

Guess guess_at(Statement& row) {
  Guess guess{text_at(row, 0), text_at(row, 1), row.getColumn(2).getInt(),    text_at(row, 3),
              text_at(row, 4), text_at(row, 5), row.getColumn(6).getDouble(), text_at(row, 7),
              text_at(row, 8)};
  if (!row.isColumnNull(9)) guess.answer = row.getColumn(9).getDouble();
  guess.rule = text_at(row, 10);
  return guess;
}

QuizAnswer answer_at(Statement& row) {
  return {text_at(row, 0), text_at(row, 1), row.getColumn(2).getInt(),
          text_at(row, 3), text_at(row, 4), row.getColumn(5).getInt() != 0,
          text_at(row, 6)};
}

// All rows of a table, or one student's; `where` has one parameter or none.
template <typename Record>
std::vector<Record> rows_of(Store& store, const std::string& sql, Record (*take)(Statement&),
                            const std::string* student) {
  Connection& connection = store.connection();
  return connection.guarded([&] {
    Statement rows(connection.database(), sql);
    if (student != nullptr) rows.bind(1, *student);
    std::vector<Record> found;
    while (rows.executeStep()) found.push_back(take(rows));
    return found;
  });
}

const std::string kGuesses =
    "SELECT uuid, student, lab, variant, params, metric, guess, made_at, run_uuid, answer, rule"
    " FROM guesses ";
const std::string kAnswers =
    "SELECT uuid, student, lab, question, given, correct, given_at FROM quiz_answers ";
const std::string kOfStudent = "WHERE coalesce(student, '') = ? ";

}  // namespace

void add_guess(Store& store, Guess& guess) {
  name_and_time(guess.uuid, guess.made_at);
  stored(store, [&](SQLite::Database& database) { insert(database, guess); });
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
  stored(store, [&](SQLite::Database& database) { insert(database, answer); });
}

std::vector<Guess> guesses_of(Store& store, const std::string& student) {
  return rows_of(store, kGuesses + kOfStudent + "ORDER BY made_at, rowid", guess_at, &student);
}

std::vector<QuizAnswer> quiz_answers_of(Store& store, const std::string& student) {
  return rows_of(store, kAnswers + kOfStudent + "ORDER BY given_at, rowid", answer_at, &student);
}

std::vector<LabRuns> lab_runs_of(Store& store, const std::string& student) {
  // As reading::StandingCounts::all_on_target says, of runs that came to their end.
  const std::string sql = fmt::format(
      "WITH own AS (SELECT r.id, count(*) AS cases, sum(read.standing = {}) AS on_target"
      "  FROM runs r JOIN cases c ON c.run_id = r.id JOIN readings read ON read.case_id = c.id"
      "  WHERE r.source_is_labs_own = 0 AND r.status IN ('ok', 'failed')"
      "    AND coalesce(r.student, '') = ?1 AND read.standing <> {} GROUP BY r.id)"
      " SELECT r.lab, count(*), sum(r.source_is_labs_own = 0),"
      "  coalesce(sum(own.on_target = own.cases), 0)"
      " FROM runs r LEFT JOIN own ON own.id = r.id"
      " WHERE r.lab > 0 AND coalesce(r.student, '') = ?1 GROUP BY r.lab ORDER BY r.lab",
      static_cast<int>(reading::Standing::kOnTarget), static_cast<int>(reading::Standing::kNone));
  return rows_of<LabRuns>(
      store, sql,
      [](Statement& row) {
        return LabRuns{row.getColumn(0).getInt(), row.getColumn(1).getInt64(),
                       row.getColumn(2).getInt64(), row.getColumn(3).getInt64()};
      },
      &student);
}

namespace {

template <typename Record>
std::int64_t add_missing(SQLite::Database& database, std::vector<Record> records,
                         const char* known_sql, const std::string& student) {
  std::int64_t added = 0;
  Statement known(database, known_sql);
  for (Record& record : records) {
    start(known, record.uuid);
    if (known.executeStep()) continue;
    if (!student.empty()) record.student = student;
    insert(database, record);
    ++added;
  }
  return added;
}

}  // namespace

std::int64_t merge_study(Store& into, Store& from, const std::string& student) {
  const auto guesses = rows_of(from, kGuesses + "ORDER BY made_at, rowid", guess_at, nullptr);
  const auto answers = rows_of(from, kAnswers + "ORDER BY given_at, rowid", answer_at, nullptr);
  std::int64_t added = 0;
  Connection& connection = into.connection();
  connection.guarded([&] {
    SQLite::Database& database = connection.database();
    added += add_missing(database, guesses, "SELECT 1 FROM guesses WHERE uuid = ?", student);
    added += add_missing(database, answers, "SELECT 1 FROM quiz_answers WHERE uuid = ?", student);
  });
  return added;
}

}  // namespace lab::db
