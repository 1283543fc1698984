#include "db/readings.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <vector>

#include "db/statement.h"
#include "db/store_impl.h"
#include "harness/reading/case_reading.h"

namespace lab::db {

using SQLite::Statement;

void insert_reading(SQLite::Database& database, std::int64_t case_id, const CaseRecord& record) {
  const reading::CaseReading read = reading::read(record);
  Statement insert(database,
                   "INSERT INTO readings(case_id, outcome, standing, metric, value, target, excess)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?)");
  const auto of_furthest = [&](double reading::Against::*member) {
    return read.furthest ? std::optional((*read.furthest).*member) : std::nullopt;
  };
  execute(insert, case_id, static_cast<int>(read.outcome), static_cast<int>(read.standing),
          nullable(read.furthest ? read.furthest->metric : std::string()),
          of_furthest(&reading::Against::value), of_furthest(&reading::Against::target),
          of_furthest(&reading::Against::excess));
}

void fill_readings(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  std::vector<std::int64_t> runs;
  Statement unread(database,
                   "SELECT DISTINCT run_id FROM cases"
                   " WHERE id NOT IN (SELECT case_id FROM readings) ORDER BY run_id");
  while (unread.executeStep()) runs.push_back(unread.getColumn(0).getInt64());
  unread.reset();
  for (const std::int64_t run : runs) {
    for (const auto& [id, record] : load_cases(database, run)) {
      insert_reading(database, id, record);
    }
  }
  transaction.commit();
}

}  // namespace lab::db
