#include "db/query.h"

#include <gtest/gtest.h>

#include <cmath>

#include "db/migrations.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

struct Query : testing::Test {
  void SetUp() override {
    RunRecord run = full_run();
    run.lab = 3;
    run.cases = {stride_case(0, 1, 1), stride_case(1, 2, 2), stride_case(2, 4, 4)};
    Store created = Store::open(path, Mode::kCreate);
    store(created, run);
  }
  Value value(const std::string& sql) { return query(path, sql).table.rows.at(0).at(0); }
  std::string error(const std::string& sql) {
    return error_of([&] { (void)query(path, sql); }, folder.path().string());
  }
  TempFolder folder;
  std::string path = folder.file("x.db");
};

TEST_F(Query, ValuesKeepTheirTypes) {
  const Table table =
      query(path, "SELECT 1 AS i, 1.5 AS r, 'x' AS t, x'00ff' AS b, NULL AS n").table;
  EXPECT_EQ(table.columns, (std::vector<std::string>{"i", "r", "t", "b", "n"}));
  const std::vector<Value> want = {std::int64_t{1}, 1.5, std::string("x"),
                                   Blob{std::string("\x00\xff", 2)}, std::monostate{}};
  EXPECT_EQ(table.rows, std::vector<std::vector<Value>>{want});
}

TEST_F(Query, TheGradersExample) {
  EXPECT_EQ(value("SELECT count(*) FROM compare WHERE lab=3 AND verdict='agrees'"),
            Value(std::int64_t{3}));
}

TEST_F(Query, CommentsAndSemicolonsAroundTheStatementAreFine) {
  EXPECT_EQ(value("-- how many\nSELECT 1; -- that's all\n ; /* none */ "), Value(std::int64_t{1}));
}

TEST_F(Query, MedianAndPercentile) {
  const std::string four = " FROM (VALUES (4), (1), (NULL), (3), (2))";
  // Sorted 1 2 3 4: the middle lies between 2 and 3.
  EXPECT_EQ(value("SELECT median(column1)" + four), Value(2.5));
  EXPECT_EQ(value("SELECT percentile(column1, 50)" + four), Value(2.5));
  EXPECT_EQ(value("SELECT percentile(column1, 0)" + four), Value(1.0));
  EXPECT_EQ(value("SELECT percentile(column1, 100)" + four), Value(4.0));
  // rank 0.25 * 3 = 0.75: 1 + 0.75 * (2 - 1).
  EXPECT_EQ(value("SELECT percentile(column1, 25)" + four), Value(1.75));
  EXPECT_EQ(value("SELECT median(stride) FROM lab3"), Value(2.0));
}

TEST_F(Query, StddevIsOfASample) {
  // 2 4 4 4 5 5 7 9: mean 5, squares 9+1+1+1+0+0+4+16 = 32, over n - 1 = 7.
  EXPECT_NEAR(std::get<double>(value("SELECT stddev(column1) FROM (VALUES (2),(4),(4),(4),(5),"
                                     "(5),(7),(9))")),
              std::sqrt(32.0 / 7), 1e-15);
  // Large offsets must not cancel: 1e9 + {0, 1, 2} has a deviation of 1.
  EXPECT_NEAR(std::get<double>(value("SELECT stddev(1000000000.0 + column1) FROM"
                                     " (VALUES (0), (1), (2))")),
              1.0, 1e-9);
  EXPECT_EQ(value("SELECT stddev(1)"), Value(std::monostate{}));
}

TEST_F(Query, AggregatesOfNothingAreNull) {
  EXPECT_EQ(value("SELECT median(1) WHERE 0"), Value(std::monostate{}));
  EXPECT_EQ(value("SELECT median(NULL)"), Value(std::monostate{}));
}

TEST_F(Query, AggregatesGroup) {
  const Table table = query(path,
                            "SELECT column1, median(column2) FROM (VALUES ('a',1),('b',5),('a',3))"
                            " GROUP BY column1")
                          .table;
  EXPECT_EQ(table.rows,
            (std::vector<std::vector<Value>>{{std::string("a"), 2.0}, {std::string("b"), 5.0}}));
}

TEST_F(Query, AggregatesRefuseTextsAndOddPercentages) {
  EXPECT_EQ(error("SELECT median('x')"), "error: median() takes numbers\n");
  const std::string odd = "error: percentile(x, p): p is one number from 0 to 100\n";
  EXPECT_EQ(error("SELECT percentile(1, 101)"), odd);
  EXPECT_EQ(error("SELECT percentile(1, NULL)"), odd);
  EXPECT_EQ(error("SELECT percentile(1, column1) FROM (VALUES (1), (2))"), odd);
}

TEST_F(Query, SyntaxErrorsPointAtThePlace) {
  EXPECT_EQ(error("SELECT run\nFORM compare"),
            "query:2:6: error: near \"compare\": syntax error\n"
            "  FORM compare\n"
            "       ^\n");
}

TEST_F(Query, UnknownNamesGetTheNearest) {
  EXPECT_EQ(error("SELECT verdct FROM compare"),
            "query:1:8: error: no such column: verdct\n"
            "  SELECT verdct FROM compare\n"
            "         ^\n"
            "hint: did you mean 'verdict'?\n");
  EXPECT_EQ(error("SELECT * FROM comapre"),
            "error: no such table: comapre\nhint: did you mean 'compare'?\n");
  EXPECT_EQ(error("SELECT c.statuss FROM cases c"),
            "query:1:8: error: no such column: c.statuss\n"
            "  SELECT c.statuss FROM cases c\n"
            "         ^\n"
            "hint: did you mean 'status'?\n");
  // A column that only other tables have does not help.
  EXPECT_EQ(error("SELECT verdict FROM runs"),
            "query:1:8: error: no such column: verdict\n"
            "  SELECT verdict FROM runs\n"
            "         ^\n"
            "hint: PRAGMA table_info(NAME) lists the columns of a table or view\n");
}

TEST_F(Query, ASecondStatementIsRefused) {
  EXPECT_EQ(error("SELECT 1; DELETE FROM runs"),
            "query:1:11: error: a second statement is refused\n"
            "  SELECT 1; DELETE FROM runs\n"
            "            ^\n"
            "hint: give one SELECT\n");
  EXPECT_EQ(error("SELECT 1; nonsense").substr(0, 12), "query:1:11: ");
  EXPECT_EQ(error(" -- nothing\n;"), "error: there is no statement\nhint: give one SELECT\n");
  EXPECT_EQ(error(std::string("SELECT 1\0; DROP TABLE runs", 26)),
            "error: the query holds a NUL character\n");
}

TEST_F(Query, WhateverWritesIsRefused) {
  const auto refused = [](const std::string& what) {
    return "error: " + what + " is refused\nhint: lab query reads; it never changes a database\n";
  };
  for (const char* sql :
       {"DELETE FROM runs", "UPDATE runs SET lab = 1", "INSERT INTO lab_params VALUES (1, 'x')",
        "CREATE TABLE t(x)", "CREATE TEMP TABLE t(x)", "DROP VIEW compare", "VACUUM", "REINDEX",
        "VACUUM INTO '/tmp/copy.db'", "BEGIN", "COMMIT", "SAVEPOINT a", "ANALYZE",
        "WITH a AS (SELECT 1) DELETE FROM runs"}) {
    EXPECT_EQ(error(sql), refused("a statement that writes")) << sql;
  }
  EXPECT_EQ(error("UPDATE sqlite_master SET sql = ''"),
            "error: table sqlite_master may not be modified\n");
  EXPECT_EQ(error("ATTACH '/tmp/other.db' AS o"), refused("ATTACH and DETACH"));
  EXPECT_EQ(error("PRAGMA user_version = 9"), refused("PRAGMA user_version with a value"));
  EXPECT_EQ(error("PRAGMA writable_schema(1)"), refused("PRAGMA writable_schema with a value"));
  EXPECT_EQ(error("SELECT load_extension('x')"), refused("load_extension"));
  EXPECT_EQ(value("SELECT count(*) FROM runs"), Value(std::int64_t{1}));
}

TEST_F(Query, SchemaMayBeLookedAt) {
  EXPECT_EQ(query(path, "PRAGMA table_info(compare)").table.rows.size(), 34u);
  EXPECT_EQ(value("PRAGMA user_version"), Value(std::int64_t{schema_version()}));
  EXPECT_EQ(query(path, "EXPLAIN QUERY PLAN SELECT * FROM runs").table.columns.size(), 4u);
}

TEST_F(Query, TableFunctionsWork) {
  EXPECT_EQ(value("SELECT sum(value) FROM json_each('[1, 2, 4]')"), Value(std::int64_t{7}));
  EXPECT_EQ(value("SELECT count(*) FROM pragma_table_info('compare')"), Value(std::int64_t{34}));
}

TEST_F(Query, StopsWhenAsked) {
  int asked = 0;
  QueryOptions options;
  options.cancelled = [&] { return ++asked == 3; };
  const QueryResult result = query(path,
                                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                                   " SELECT i FROM n WHERE i % 1000 = 0",
                                   options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(asked, 3);
  EXPECT_FALSE(query(path, "SELECT 1", options).interrupted);
}

TEST_F(Query, NoDatabaseNoFile) {
  const std::string none = folder.file("none.db");
  EXPECT_EQ(error_of([&] { (void)query(none, "SELECT 1"); }, folder.path().string()),
            "error: DIR/none.db: no such database\n"
            "hint: lab run makes one; name another file with --db\n");
  EXPECT_FALSE(std::filesystem::exists(none));
}

}  // namespace
}  // namespace lab::db
