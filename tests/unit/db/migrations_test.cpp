#include "db/migrations.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "db/query.h"
#include "harness/core/text.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

namespace fs = std::filesystem;

std::string fixture(int version) {
  return fmt::format("{}/tests/fixtures/db/v{}.db", LAB_SOURCE_DIR, version);
}

// A step that was released is never edited. Where this fails, undo the edit and add a step.
TEST(Migrations, ReleasedStepsAreAsTheyWere) {
  const std::vector<std::string> released = {
      "7b9d53491e9d3808eb721c9040eff06eee907bb3011ee3f925a4f2ef98869741",
      "c245b6dc68932bd35c521d48fe105de4dbc5613411f5852d4521fb22418c2301",
      "9cd611335b1ea273151551394832605801385167d5ef090e9ec5bb86ea4e45ee",
      "8258ff02aa89a626a7ccfda52e7e71f656bbc1a7dfab641135b57bfd325fe830",
      "0cfb8cc8612bda0f7118a37b064ccc38c5384e98cf7ce7bb124777d701bf0add",
      "37ab3f4c01dfc5748edd5b9ac0b99168ea3e5c6f9ba3a27dc128c1de64d4d9cc",
      "c7c1fd9b3596dcc7e01007ddbd69b9eb142ce90aa7327fa2ba04255fecfd015d",
      "bdfc80a56b543e345c0e4033839834808133ee470a9d8f577d413788dcc34c3d",
      "00afb602f17591454c4e1b553d67c9f02696017873fe487338b02db435851636",
  };
  ASSERT_EQ(migrations().size(), released.size()) << "add the new step's hash and its fixture";
  for (std::size_t i = 0; i < released.size(); ++i) {
    EXPECT_EQ(sha256_hex(migrations()[i].sql), released[i])
        << "version " << migrations()[i].version;
    EXPECT_FALSE(migrations()[i].what.empty());
  }
}

// An older version kept the number as a text for people.
TEST(Migrations, BlocksOfAMultiprocessorComeFromTheNote) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  fs::copy_file(fixture(9), path);
  raw_sql(path, "UPDATE cases SET facts = '{\"blocks_per_sm\":\"4\"}' WHERE position = 0");
  const RunRecord run = Store::open(path, Mode::kExisting).load_run("1");
  EXPECT_EQ(run.cases.at(0).facts.blocks_per_sm, 4);
  EXPECT_EQ(run.cases.at(1).facts.blocks_per_sm, std::nullopt);
}

// Sentences said it; under a seal they stay as they were.
TEST(Migrations, WhyALaunchTookLongerComesFromTheSentence) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  fs::copy_file(fixture(12), path);
  raw_sql(path,
          "UPDATE verdicts SET metric = 'duration_ns', reason = 'at least: DRAM 5 us; it takes "
          "longer: 3 blocks leave 7 of 10 SMs without work' WHERE case_id = 1 AND seq = 0");
  const RunRecord run = Store::open(path, Mode::kExisting).load_run("1");
  const Verdict& verdict = run.cases.at(0).verdicts.at(0);
  EXPECT_EQ(verdict.longer, TimeGap::kFewBlocks);
  EXPECT_EQ(verdict.longer_because, "3 blocks leave 7 of 10 SMs without work");
  EXPECT_EQ(verdict.reason,
            "at least: DRAM 5 us; it takes longer: 3 blocks leave 7 of 10 SMs without work");
}

TEST(Migrations, EveryTableIsStrict) {
  const TempFolder folder;
  (void)Store::open(folder.file("x.db"), Mode::kCreate);
  EXPECT_EQ(raw_value(folder.file("x.db"),
                      "SELECT count(*) || ' ' || coalesce(group_concat(name), '') FROM"
                      " pragma_table_list WHERE type = 'table' AND NOT strict AND name NOT LIKE"
                      " 'sqlite_%'"),
            "0 ");
}

TEST(Migrations, ForeignKeysAreOn) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  EXPECT_EQ(status_of([&] { open.add_case(77, CaseRecord{}); }), 4);
  EXPECT_EQ(open.connection().database().execAndGet("PRAGMA foreign_keys").getInt(), 1);
}

// A database of every version there was opens, is migrated, and holds what it held.
class Fixture : public testing::TestWithParam<int> {};

// Before 15 a finding was told by its message alone.
Finding as_before_15(const Finding& finding) {
  Finding old;
  old.kind = finding.kind;
  old.message = finding.message;
  old.kernel = finding.kernel;
  old.file = finding.file;
  old.line = finding.line;
  old.source = finding.source;
  old.block = finding.block;
  old.thread = finding.thread;
  old.address = finding.address;
  old.count = finding.count;
  return old;
}

void expect_contents(Store& open, int version) {
  RunRecord want = full_run();
  want.id = 1;
  want.cases = {full_case(0), stride_case(1, 2, 2)};
  for (Finding& finding : want.cases[0].findings) {
    if (version < 15) finding = as_before_15(finding);
  }
  EXPECT_EQ(open.load_run("last"), want);
}

TEST_P(Fixture, IsMigratedWhereItMayBeWritten) {
  const TempFolder folder;
  const std::string path = folder.file("old.db");
  fs::copy_file(fixture(GetParam()), path);
  ASSERT_EQ(raw_value(path, "PRAGMA user_version"), std::to_string(GetParam()));
  {
    Store open = Store::open(path, Mode::kExisting);
    expect_contents(open, GetParam());
    RunRecord run = full_run();
    run.uuid.clear();
    run.cases = {full_case(0)};
    store(open, run);
    EXPECT_EQ(open.load_run("2"), run);
  }
  EXPECT_EQ(raw_value(path, "PRAGMA user_version"), std::to_string(schema_version()));
  EXPECT_EQ(query(path, "SELECT * FROM compare WHERE run = 1").table.rows.size(), 4u);
  EXPECT_EQ(query(path, "SELECT outcome FROM latest WHERE outcome NOTNULL").table.rows.size(), 2u);
}

TEST_P(Fixture, IsReadWithoutBeingTouched) {
  const TempFolder folder;
  const std::string path = folder.file("old.db");
  fs::copy_file(fixture(GetParam()), path);
  Store open = Store::open(path, Mode::kReadOnly);
  expect_contents(open, GetParam());
  EXPECT_EQ(query(path, "SELECT * FROM cases").table.rows.size(), 2u);
  EXPECT_EQ(query(path, "SELECT * FROM compare").table.rows.size(), 4u);
  EXPECT_EQ(query(path, "SELECT stride FROM lab4").table.rows.size(), 2u);
  EXPECT_EQ(raw_value(path, "PRAGMA user_version"), std::to_string(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(EveryVersion, Fixture,
                         testing::Range(oldest_version(), schema_version() + 1));

TEST(Migrations, AFileFromBeforeTheOldestVersionIsRefused) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  (void)Store::open(path, Mode::kCreate);
  raw_sql(path, "PRAGMA user_version = 7");
  EXPECT_EQ(error_of([&] { (void)Store::open(path, Mode::kReadOnly); }, folder.path().string()),
            "error: DIR/x.db: from before the first version of lab that keeps its files (schema 7;"
            " this program reads 8 and later)\nhint: run its kernels again\n");
}

TEST(Migrations, AnInterruptedOneIsContinued) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  {
    SQLite::Database half(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    EXPECT_TRUE(migrate(half, oldest_version()));
  }
  EXPECT_EQ(raw_value(path, "PRAGMA user_version"), "8");
  EXPECT_EQ(error_of([&] { (void)Store::open(path, Mode::kExisting); }), "no error");
  EXPECT_EQ(raw_value(path, "PRAGMA user_version"), std::to_string(schema_version()));
}

TEST(Migrations, AreTakenOnce) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  SQLite::Database ours(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  EXPECT_TRUE(migrate(ours, schema_version()));
  EXPECT_FALSE(migrate(ours, schema_version()));
  EXPECT_EQ(error_of([&] { (void)Store::open(path, Mode::kCreate); }), "no error");
}

TEST(Migrations, RowsThatReferToNothingStopAMigration) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  {
    SQLite::Database half(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    migrate(half, oldest_version());
    half.exec("PRAGMA foreign_keys = OFF; INSERT INTO environments VALUES (5, 'a', 'b')");
  }
  EXPECT_EQ(error_of([&] { (void)Store::open(path, Mode::kExisting); }, folder.path().string()),
            "error: DIR/x.db: rows refer to rows that are not there\n"
            "hint: the database was edited; restore a copy\n");
  EXPECT_EQ(raw_value(path, "PRAGMA user_version"), "8");
}

}  // namespace
}  // namespace lab::db
