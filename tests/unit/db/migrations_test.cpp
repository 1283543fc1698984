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
      "8900b40c0e29737ace0f9ca07b3b05ac12ea9d1f07cebb8cc56d1ad2a604d1be",
      "3dd95c3dca5c15665c1eb727a8dd0d7494a92e53247916fe6711cfbb6f35f6d8",
      "6da5c722db3961778b7492af591de5795d6bc34cede23e4d251081a92e14da00",
      "67398fd0ee6d36c929354c28391a8ab276a0f4fb7d64c163a70fa64b86b811e3",
      "5d08fce869f88c63030abc113ac2849f841a7ef6e60238618b60c1497f32d048",
      "82ab634c1ca38c6202e3f4ac1a3318daa505167cf5ee72b9d2888bbd11e859c5",
      "f92a505a12e0a1691ba704a75219b6ea3d4ddad533df0d1c17b3774dec94e28c",
      "4c2ae2a6740d8b8f9e74dad452f671efca133e169479642b76d654ff5074be4e",
      "c245b6dc68932bd35c521d48fe105de4dbc5613411f5852d4521fb22418c2301",
  };
  ASSERT_EQ(migrations().size(), released.size()) << "add the new step's hash and its fixture";
  for (std::size_t i = 0; i < released.size(); ++i) {
    EXPECT_EQ(sha256_hex(migrations()[i].sql), released[i]) << "version " << i + 1;
    EXPECT_FALSE(migrations()[i].what.empty());
  }
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

// What was worded before version 4 is read out of the words, as they were then.
TEST(Migrations, WordsBecomeColumns) {
  const TempFolder folder;
  const std::string path = folder.file("old.db");
  fs::copy_file(fixture(3), path);
  raw_sql(path,
          "UPDATE timings SET method = 'CUDA events, cold L2, 40 launches after 3 warm-ups, SM"
          " clock 1980 MHz';"
          "UPDATE cases SET facts = json_object('access_level', 'ptx', 'counter_cache', 'warm',"
          " 'carveout', '50 %', 'cubin_sha256', 'ab', 'waves', '0.50') WHERE position = 0;"
          "UPDATE cases SET facts = json_object('carveout', 'chosen by the driver')"
          " WHERE position = 1;"
          // The model's value is never measured; ncu's is, where neither of ours is there.
          "INSERT INTO observations(case_id, metric, source, seq, value, samples, pass)"
          " SELECT id, 'global_load_sectors', 5, 9, 2528, 1, 0 FROM cases WHERE position = 0;"
          "INSERT INTO observations(case_id, metric, source, seq, value, samples, pass)"
          " SELECT id, 'shared_load_wavefronts', 3, 9, 1, 1, 0 FROM cases WHERE position = 0");
  const RunRecord run = Store::open(path, Mode::kReadOnly).load_run("last");
  const CaseRecord& first = run.cases.at(0);
  EXPECT_EQ(method_text(first.timing.value()),
            "CUDA events, cold L2, 4 launches after 3 warm-ups, SM clock 1980 MHz");
  EXPECT_EQ(first.timing->cache, Cache::kCold);
  EXPECT_EQ(first.facts.access_level, AccessLevel::kPtx);
  EXPECT_EQ(first.facts.counter_cache, Cache::kWarm);
  EXPECT_EQ(first.facts.carveout, 50);
  EXPECT_EQ(first.facts.cubin_sha256, "ab");
  EXPECT_EQ(first.notes, (std::map<std::string, std::string>{{"waves", "0.50"}}));
  EXPECT_EQ(run.cases.at(1).facts.carveout, CaseFacts::kDriversChoice);
  // The catalogue names cupti for wavefronts: its 1 stands, not the 1056 of sass.
  EXPECT_EQ(first.verdicts.at(0).measured_source, SourceOf::kCupti);
  EXPECT_EQ(first.verdicts.at(0).measured, 1);
  EXPECT_EQ(first.verdicts.at(2).metric, "global_load_sectors");
  EXPECT_EQ(first.verdicts.at(2).measured, 2528);
  EXPECT_EQ(first.verdicts.at(2).measured_source, SourceOf::kNcu);
}

// The machine's facts held them before version 5.
TEST(Migrations, SeedAndMissingCasesBecomeColumns) {
  const TempFolder folder;
  const std::string path = folder.file("old.db");
  fs::copy_file(fixture(4), path);
  raw_sql(path, "INSERT INTO environments VALUES (1, 'seed', '18'), (1, 'cases_missing', '3')");
  const RunRecord run = Store::open(path, Mode::kReadOnly).load_run("last");
  EXPECT_EQ(run.seed, 18U);
  EXPECT_EQ(run.missing_cases, 3U);
  EXPECT_EQ(run.environment, full_run().environment);
}

// A database of every version there was opens, is migrated, and holds what it held.
class Fixture : public testing::TestWithParam<int> {};

void expect_contents(Store& open, int version) {
  RunRecord want = full_run();
  want.id = 1;
  want.cases = {full_case(0), stride_case(1, 2, 2)};
  if (version < 2) {  // had no table for these
    for (CaseRecord& record : want.cases) {
      record.findings.clear();
      record.timing.reset();
      record.lines.clear();
      record.accesses.clear();
    }
  }
  if (version < 4) {  // said some of it in words, and knew less
    CaseRecord& record = want.cases.front();
    record.facts = {};
    record.facts.access_level = AccessLevel::kSass;
    record.facts.sampled_blocks = 1;  // of "1/16"
    record.notes.clear();
    if (record.timing) {
      Timing& timing = *record.timing;
      timing = {timing.median_ns, timing.min_ns, timing.max_ns, timing.samples_ns, timing.method};
    }
  }
  if (version < 5) want.seed.reset();
  if (version < 5) want.missing_cases.reset();
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

INSTANTIATE_TEST_SUITE_P(EveryVersion, Fixture, testing::Range(1, schema_version() + 1));

TEST(Migrations, AnInterruptedOneIsContinued) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  {
    SQLite::Database half(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    EXPECT_TRUE(migrate(half, 1));
  }
  EXPECT_EQ(raw_value(path, "PRAGMA user_version"), "1");
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
    migrate(half, 1);
    half.exec("PRAGMA foreign_keys = OFF; INSERT INTO environments VALUES (5, 'a', 'b')");
  }
  EXPECT_EQ(error_of([&] { (void)Store::open(path, Mode::kExisting); }, folder.path().string()),
            "error: DIR/x.db: rows refer to rows that are not there\n"
            "hint: the database was edited; restore a copy\n");
  EXPECT_EQ(raw_value(path, "PRAGMA user_version"), "1");
}

}  // namespace
}  // namespace lab::db
