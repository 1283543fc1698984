// Whole rows of the tables that hold records, stored and read by the records' descriptions.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "db/record_sql.h"
#include "db/row_fields.h"
#include "db/statement.h"

namespace lab::db {

/// The table whose rows are records of this type.
template <Described Record>
inline constexpr const char* kTableOf = nullptr;
// Of a run.
template <>
inline constexpr const char* kTableOf<RunRecord> = "runs";
template <>
inline constexpr const char* kTableOf<CaseRecord> = "cases";
template <>
inline constexpr const char* kTableOf<Observation> = "observations";
template <>
inline constexpr const char* kTableOf<Verdict> = "verdicts";
template <>
inline constexpr const char* kTableOf<Finding> = "findings";
template <>
inline constexpr const char* kTableOf<Timing> = "timings";
template <>
inline constexpr const char* kTableOf<KernelFacts> = "kernel_facts";
template <>
inline constexpr const char* kTableOf<ExpectedTime> = "expected_times";
template <>
inline constexpr const char* kTableOf<LineObservation> = "line_observations";
template <>
inline constexpr const char* kTableOf<Access> = "accesses";
template <>
inline constexpr const char* kTableOf<LargerTime> = "larger_times";
// Beside runs.
template <>
inline constexpr const char* kTableOf<Student> = "students";
template <>
inline constexpr const char* kTableOf<RubricRow> = "rubrics";
template <>
inline constexpr const char* kTableOf<GradeRow> = "grades";
template <>
inline constexpr const char* kTableOf<CriterionRow> = "criteria";
template <>
inline constexpr const char* kTableOf<Guess> = "guesses";
template <>
inline constexpr const char* kTableOf<QuizAnswer> = "quiz_answers";
template <>
inline constexpr const char* kTableOf<Calibration> = "calibrations";
template <>
inline constexpr const char* kTableOf<Ceiling> = "ceilings";

/// Of a row whose key is there already.
enum class Present : std::uint8_t { kFails, kStays, kIsReplaced };

/// Adds rows to a record's table. `keys` are columns that the record does not have.
template <Described Record>
class Inserter {
 public:
  explicit Inserter(SQLite::Database& database, std::initializer_list<const char*> keys = {},
                    Present present = Present::kFails)
      : statement_(database, insert_sql<Record>(kTableOf<Record>, keys) + clause(present)) {}

  /// `values` are those of the keys, in their order; a Nullable may be among them.
  template <typename... Values>
  void add(const Record& record, const Values&... values) {
    Binder binder(statement_);
    (binder.put(values), ...);
    binder.put(record);
    statement_.exec();
  }

 private:
  static std::string clause(Present present) {
    if (present == Present::kFails) return {};
    if (present == Present::kStays) return " ON CONFLICT DO NOTHING";
    std::string sets;
    for (const std::string& column : columns_of<Record>()) {
      sets += fmt::format("{}{} = excluded.{}", sets.empty() ? "" : ", ", column, column);
    }
    return " ON CONFLICT DO UPDATE SET " + sets;
  }

  SQLite::Statement statement_;
};

/// Returns the row's id.
template <Described Record>
std::int64_t insert_row(SQLite::Database& database, const Record& record) {
  Inserter<Record>(database).add(record);
  return database.getLastInsertRowid();
}

namespace detail {

template <typename Record>
concept Numbered = requires(Record record) {
  record.id;
};

}  // namespace detail

/// "g.id, g.student, ...": a record's columns in a SELECT, its id first where it has one.
template <Described Record>
std::string row_list(const std::string& alias) {
  const std::string columns = select_list<Record>(alias);
  return detail::Numbered<Record> ? alias + ".id, " + columns : columns;
}

/// The record in the next columns of a row, as row_list names them.
template <Described Record>
Record take_row(Reader& row) {
  Record record;
  if constexpr (detail::Numbered<Record>) {
    const auto id = row.take<std::int64_t>();
    row.read(record);
    record.id = id;
  } else {
    row.read(record);
  }
  return record;
}

/// The rows of a record's table, here `t`, that `clauses` select with `values` for its parameters.
template <Described Record, typename... Values>
std::vector<Record> select_rows(SQLite::Database& database, const std::string& clauses,
                                const Values&... values) {
  SQLite::Statement rows(database, fmt::format("SELECT {} FROM {} t {}", row_list<Record>("t"),
                                               kTableOf<Record>, clauses));
  start(rows, values...);
  std::vector<Record> found;
  while (rows.executeStep()) {
    Reader row(rows);
    found.push_back(take_row<Record>(row));
  }
  return found;
}

}  // namespace lab::db
