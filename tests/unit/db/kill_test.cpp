// A process that is killed loses at most the case it was writing.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "db/query.h"
#include "db/store.h"
#include "tests/unit/db/child.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

namespace fs = std::filesystem;

struct Kill : testing::Test {
  TempFolder folder;
  std::string path = folder.file("x.db");
};

TEST_F(Kill, WhileCasesAreWritten) {
  (void)Store::open(path, Mode::kCreate);
  for (int round = 0; round < 5; ++round) {
    Holder writer([&] {
      // Forked from a process that holds no connection; writes on after telling that it began.
      static Store* open = new Store(Store::open(path, Mode::kExisting));
      RunRecord run = full_run();
      run.uuid.clear();
      run.started_at.clear();
      open->begin_run(run);
      open->add_case(run.id, full_case(0));
      std::thread([id = run.id] {
        for (int i = 1;; ++i) open->add_case(id, full_case(i));
      }).detach();
    });
    // Different moments of a case's transaction.
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + 7 * round));
    writer.kill();

    Store open = Store::open(path, Mode::kExisting);
    const RunRecord run = open.load_run(std::to_string(round + 1));
    EXPECT_EQ(run.status, RunStatus::kRunning);  // nobody finished it
    EXPECT_GT(run.cases.size(), 0u);
    for (std::size_t i = 0; i < run.cases.size(); ++i) {
      EXPECT_EQ(run.cases[i], full_case(static_cast<int>(i)));
    }
  }
  EXPECT_EQ(raw_value(path, "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(raw_value(path, "SELECT count(*) FROM pragma_foreign_key_check"), "0");
}

// Leaves a hot journal: pages of an open transaction are in the file, their old contents beside it.
void die_in_a_transaction(const std::string& path) {
  Holder writer([&] {
    auto* other = new SQLite::Database(path, SQLite::OPEN_READWRITE);
    other->exec("PRAGMA cache_size = 1; PRAGMA cache_spill = 1");
    other->exec("BEGIN IMMEDIATE; DELETE FROM observations; DELETE FROM verdicts");
    other->exec(
        "INSERT INTO lab_params WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
        " FROM n WHERE i < 5000) SELECT 99, 'some parameter ' || i FROM n");
  });
}

void store_some(const std::string& path) {
  RunRecord run = full_run();
  for (int i = 0; i < 50; ++i) run.cases.push_back(full_case(i));
  Store open = Store::open(path, Mode::kCreate);
  store(open, run);
}

TEST_F(Kill, TwoProcessesWriteAtOnce) {
  // Both begin before there is a file; each waits for the other's transactions.
  const auto writer = [&](const char* student) {
    Store open = Store::open(path, Mode::kCreate);
    RunRecord run = full_run();
    run.uuid.clear();
    run.student = student;
    for (int i = 0; i < 30; ++i) run.cases.push_back(full_case(i));
    store(open, run);
  };
  {
    Holder other([&] {
      std::thread([&] {
        writer("ann");
        ::_exit(0);
      }).detach();
    });
    EXPECT_EQ(error_of([&] { writer("bob"); }), "no error");
    other.wait();
  }
  Store open = Store::open(path, Mode::kReadOnly);
  const auto runs = open.list_runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_NE(runs[0].run.student, runs[1].run.student);
  for (const RunSummary& run : runs) EXPECT_EQ(run.cases, 30);
}

TEST_F(Kill, AHotJournalIsRolledBackByAReader) {
  store_some(path);
  die_in_a_transaction(path);
  ASSERT_TRUE(fs::exists(path + "-journal"));
  EXPECT_EQ(query(path, "SELECT * FROM cases").table.rows.size(), 50u);
  EXPECT_FALSE(fs::exists(path + "-journal"));
  EXPECT_EQ(Store::open(path, Mode::kReadOnly).load_run("last").cases.at(49), full_case(49));
}

TEST_F(Kill, AHotJournalIsRolledBackByAWriter) {
  store_some(path);
  die_in_a_transaction(path);
  EXPECT_EQ(Store::open(path, Mode::kExisting).load_run("last").cases.at(49), full_case(49));
}

TEST_F(Kill, AHotJournalWhereNothingMayBeWrittenIsAnError) {
  store_some(path);
  die_in_a_transaction(path);
  const auto read = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  fs::permissions(path, read);
  fs::permissions(path + "-journal", read);
  fs::permissions(folder.path(), read | fs::perms::owner_exec | fs::perms::others_exec);
  const ChildResult child = unprivileged(
      [&] { return error_of([&] { (void)query(path, "SELECT 1"); }, folder.path().string()); });
  fs::permissions(folder.path(), fs::perms::owner_all);
  if (!child.skipped.empty()) GTEST_SKIP() << child.skipped;
  EXPECT_EQ(child.text,
            "error: DIR/x.db: its last writer was killed, and it cannot be repaired where it is "
            "read-only\n"
            "hint: copy it and DIR/x.db-journal together to a folder that may be written\n");
}

}  // namespace
}  // namespace lab::db
