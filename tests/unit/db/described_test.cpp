// The descriptions of records are the schema's: each column that one names is a column of its
// table, and each column of the table is in the description or among the table's keys.
#include <gtest/gtest.h>

#include <algorithm>

#include "db/query.h"
#include "db/record_sql.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

template <typename Record>
std::vector<std::string> with_keys(std::vector<std::string> keys) {
  for (std::string& column : columns_of<Record>()) keys.push_back(std::move(column));
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> table_columns(const std::string& table) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  (void)Store::open(path, Mode::kCreate);
  std::vector<std::string> columns;
  for (const auto& row : query(path, "PRAGMA table_info(" + table + ")").table.rows) {
    columns.push_back(std::get<std::string>(row.at(1)));
  }
  std::sort(columns.begin(), columns.end());
  return columns;
}

TEST(Described, RecordsHaveTheColumnsOfTheirTables) {
  EXPECT_EQ(table_columns("runs"), with_keys<RunRecord>({"id", "finished_at", "source_sha256"}));
  EXPECT_EQ(table_columns("cases"), with_keys<CaseRecord>({"id", "run_id"}));
  EXPECT_EQ(table_columns("observations"), with_keys<Observation>({"case_id", "seq"}));
  EXPECT_EQ(table_columns("verdicts"), with_keys<Verdict>({"case_id", "seq"}));
  EXPECT_EQ(table_columns("findings"), with_keys<Finding>({"case_id", "seq"}));
  EXPECT_EQ(table_columns("timings"), with_keys<Timing>({"case_id"}));
  EXPECT_EQ(table_columns("line_observations"), with_keys<LineObservation>({"case_id", "seq"}));
  EXPECT_EQ(table_columns("accesses"), with_keys<Access>({"case_id", "seq"}));
  EXPECT_EQ(table_columns("ceilings"), with_keys<Ceiling>({"calibration_id"}));
}

struct Flat {
  int a = 0;
  std::optional<std::string> b = {};
  std::vector<double> c = {};
  Dim3 d = {};
};
struct None {};

TEST(Described, MembersAreCounted) {
  EXPECT_EQ(arity<None>(), 0u);
  EXPECT_EQ(arity<Dim3>(), 3u);
  EXPECT_EQ(arity<Flat>(), 4u);  // a member with members is one
}

TEST(Described, SqlNamesEveryColumn) {
  EXPECT_EQ(
      insert_sql<Ceiling>("ceilings", {"calibration_id"}),
      "INSERT INTO ceilings(calibration_id, name, value, unit, method) VALUES (?, ?, ?, ?, ?)");
  EXPECT_EQ(select_list<LineObservation>("t"), "t.file, t.line, t.metric, t.source, t.value");
}

}  // namespace
}  // namespace lab::db
