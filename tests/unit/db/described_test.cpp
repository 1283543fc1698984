// The descriptions of records are the schema's: each column that one names is a column of its
// table, and each column of the table is in the description or among the table's keys.
#include <gtest/gtest.h>

#include <algorithm>

#include "db/query.h"
#include "db/rows.h"
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

template <typename Record>
void expect_columns(const std::vector<std::string>& keys) {
  EXPECT_EQ(table_columns(kTableOf<Record>), with_keys<Record>(keys)) << kTableOf<Record>;
}

TEST(Described, RecordsHaveTheColumnsOfTheirTables) {
  expect_columns<RunRecord>({"id", "finished_at", "source_sha256"});
  expect_columns<CaseRecord>({"id", "run_id"});
  expect_columns<Observation>({"case_id", "seq"});
  expect_columns<Verdict>({"case_id", "seq"});
  expect_columns<Finding>({"case_id", "seq"});
  expect_columns<Timing>({"case_id"});
  expect_columns<LineObservation>({"case_id", "seq"});
  expect_columns<Access>({"case_id", "seq"});
  expect_columns<Ceiling>({"calibration_id"});
}

TEST(Described, SoHaveThoseBesideRuns) {
  expect_columns<Student>({});
  expect_columns<RubricRow>({});
  expect_columns<GradeRow>({"id"});
  expect_columns<CriterionRow>({"grade_id", "seq"});
  expect_columns<Guess>({});
  expect_columns<QuizAnswer>({});
  expect_columns<Calibration>({"id"});
}

// The words that the table allows are those of the type, each once.
TEST(Described, AGradesStatusIsOneOfItsTablesWords) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  (void)Store::open(path, Mode::kCreate);
  std::string list;
  for (const std::string_view word : kWordsOf<GradeStatus>) {
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", word);
  }
  std::string sql = raw_value(path, "SELECT sql FROM sqlite_master WHERE name = 'grades'");
  std::replace(sql.begin(), sql.end(), '\n', ' ');
  const std::size_t open = sql.find("status IN (");
  ASSERT_NE(open, std::string::npos);
  std::string allowed = sql.substr(open + 11, sql.find(')', open) - open - 11);
  for (std::size_t at; (at = allowed.find("  ")) != std::string::npos;) allowed.erase(at, 1);
  EXPECT_EQ(allowed, list);
}

struct Flat {
  int a = 0;
  std::optional<std::string> b = {};
  std::vector<double> c = {};
  Dim3 d = {};
};
struct None {};

TEST(Described, MembersAreCounted) {
  EXPECT_TRUE((kHasMembers<None, 0>));
  EXPECT_TRUE((kHasMembers<Dim3, 3>));
  EXPECT_TRUE((kHasMembers<Flat, 4>));  // a member with members is one
  // A description that lacks a member does not compile.
  EXPECT_FALSE((kHasMembers<Flat, 3>));
  EXPECT_FALSE((kHasMembers<Flat, 5>));
}

TEST(Described, SqlNamesEveryColumn) {
  EXPECT_EQ(
      insert_sql<Ceiling>("ceilings", {"calibration_id"}),
      "INSERT INTO ceilings(calibration_id, name, value, unit, method) VALUES (?, ?, ?, ?, ?)");
  EXPECT_EQ(select_list<LineObservation>("t"), "t.file, t.line, t.metric, t.source, t.value");
}

}  // namespace
}  // namespace lab::db
