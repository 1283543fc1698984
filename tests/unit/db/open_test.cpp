// Files that are not what was asked for, and machines that do not let us.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "db/migrations.h"
#include "db/query.h"
#include "db/store.h"
#include "tests/unit/db/child.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

struct Opening : testing::Test {
  // The text of opening x.db, DIR for its folder.
  std::string opening(Mode mode) {
    return error_of([&] { (void)Store::open(path, mode, {}, milliseconds(50)); }, dir);
  }
  void write(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  void make_store() {
    RunRecord run = full_run();
    run.cases = {stride_case(0, 1, 1)};
    Store created = Store::open(path, Mode::kCreate);
    store(created, run);
  }
  // Files and folder as a person would share them: readable by all, writable by their owner.
  void modes(fs::perms file, fs::perms of_folder) {
    fs::permissions(path, file);
    fs::permissions(folder.path(), of_folder);
  }
  void TearDown() override { fs::permissions(folder.path(), fs::perms::owner_all); }

  TempFolder folder;
  std::string dir = folder.path().string();
  std::string path = folder.file("x.db");
  static constexpr fs::perms kReadAll =
      fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  static constexpr fs::perms kAll = fs::perms::all;
  static constexpr fs::perms kLook =
      kReadAll | fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
};

constexpr const char* kOther = "hint: name another file with --db\n";
constexpr const char* kMade = "hint: lab run makes one; name another file with --db\n";

TEST_F(Opening, CreateMakesExistingDoesNot) {
  EXPECT_EQ(opening(Mode::kExisting), std::string("error: DIR/x.db: no such database\n") + kMade);
  EXPECT_EQ(opening(Mode::kReadOnly), std::string("error: DIR/x.db: no such database\n") + kMade);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(opening(Mode::kCreate), "no error");
  EXPECT_EQ(opening(Mode::kExisting), "no error");
  EXPECT_EQ(raw_value(path, "PRAGMA application_id"), "1279345220");  // 0x4C414244, "LABD"
  EXPECT_EQ(raw_value(path, "PRAGMA journal_mode"), "delete");
}

TEST_F(Opening, NotADatabase) {
  write(std::string(5000, 'x'));
  for (const Mode mode : {Mode::kCreate, Mode::kExisting, Mode::kReadOnly}) {
    EXPECT_EQ(opening(mode), std::string("error: DIR/x.db: not a database\n") + kOther);
    EXPECT_EQ(status_of([&] { (void)Store::open(path, mode); }), 2);
  }
  EXPECT_EQ(fs::file_size(path), 5000u);
  EXPECT_EQ(error_of([&] { (void)query(path, "SELECT 1"); }, dir),
            std::string("error: DIR/x.db: not a database\n") + kOther);
}

TEST_F(Opening, AnEmptyFileIsFilledButNotRead) {
  write("");
  EXPECT_EQ(opening(Mode::kReadOnly),
            std::string("error: DIR/x.db: an empty file, not a database of lab\n") + kOther);
  EXPECT_EQ(opening(Mode::kExisting),
            std::string("error: DIR/x.db: an empty file, not a database of lab\n") + kOther);
  EXPECT_EQ(fs::file_size(path), 0u);
  EXPECT_EQ(opening(Mode::kCreate), "no error");
}

TEST_F(Opening, ADatabaseOfAnotherApplication) {
  raw_sql(path, "CREATE TABLE bookmarks(url)");
  const std::string before = raw_value(path, "SELECT group_concat(name) FROM sqlite_schema");
  for (const Mode mode : {Mode::kCreate, Mode::kExisting, Mode::kReadOnly}) {
    EXPECT_EQ(opening(mode),
              std::string("error: DIR/x.db: a database of another application\n") + kOther);
  }
  EXPECT_EQ(raw_value(path, "SELECT group_concat(name) FROM sqlite_schema"), before);
  // Empty, but claimed by somebody.
  const std::string claimed = folder.file("claimed.db");
  raw_sql(claimed, "PRAGMA application_id = 77");
  EXPECT_EQ(error_of([&] { (void)Store::open(claimed, Mode::kCreate); }, dir),
            std::string("error: DIR/claimed.db: a database of another application\n") + kOther);
}

TEST_F(Opening, FromANewerVersion) {
  make_store();
  raw_sql(path, "PRAGMA user_version = 99");
  const std::string text =
      "error: DIR/x.db: from a newer version of lab (schema 99; this program knows up to " +
      std::to_string(schema_version()) + ")\nhint: update lab, or name another file with --db\n";
  for (const Mode mode : {Mode::kCreate, Mode::kExisting, Mode::kReadOnly}) {
    EXPECT_EQ(opening(mode), text);
    EXPECT_EQ(status_of([&] { (void)Store::open(path, mode); }), 2);
  }
}

TEST_F(Opening, AFolderAndNoFolder) {
  EXPECT_EQ(error_of([&] { (void)Store::open(dir, Mode::kCreate); }, dir),
            std::string("error: DIR: a folder, not a database\n") + kOther);
  EXPECT_EQ(error_of([&] { (void)query(dir, "SELECT 1"); }, dir),
            std::string("error: DIR: a folder, not a database\n") + kOther);
  const std::string deep = folder.file("no/such/x.db");
  EXPECT_EQ(error_of([&] { (void)Store::open(deep, Mode::kCreate); }, dir),
            "error: DIR/no/such/x.db: there is no folder DIR/no/such\n"
            "hint: make it: mkdir -p DIR/no/such\n");
}

TEST_F(Opening, ADamagedDatabase) {
  make_store();
  // Pages from the second on hold the tables: overwrite all of them.
  const auto size = fs::file_size(path);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(4096);
  file << std::string(size - 4096, '\xff');
  file.close();
  EXPECT_EQ(error_of([&] { (void)query(path, "SELECT count(*) FROM cases"); }, dir),
            "error: DIR/x.db: the database is damaged (database disk image is malformed)\n"
            "hint: restore a copy; `sqlite3 DIR/x.db .recover` saves what can be read\n");
}

TEST_F(Opening, LockedByAnotherProcess) {
  make_store();
  const std::string text =
      "error: DIR/x.db: locked by another process (waited 0.05 s)\n"
      "hint: wait until it has ended, or name another file with --db\n";
  const Holder holder([&] {
    auto* other = new SQLite::Database(path, SQLite::OPEN_READWRITE);  // held until the kill
    other->exec("BEGIN EXCLUSIVE");
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(opening(Mode::kExisting), text);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(50));
  EXPECT_EQ(opening(Mode::kReadOnly), text);
  EXPECT_EQ(error_of([&] { (void)query(path, "SELECT 1", {{}, milliseconds(50)}); }, dir), text);
  EXPECT_EQ(status_of([&] { (void)Store::open(path, Mode::kExisting, {}, milliseconds(1)); }), 3);
}

TEST_F(Opening, AWriterWaitsForAReaderAndAnotherWriter) {
  make_store();
  Store open = Store::open(path, Mode::kExisting, {}, milliseconds(50));
  const auto write_one = [&] { open.add_case(1, stride_case(1, 2, 2)); };
  {
    const Holder writer(
        [&] { (new SQLite::Database(path, SQLite::OPEN_READWRITE))->exec("BEGIN IMMEDIATE"); });
    EXPECT_EQ(error_of(write_one, dir).substr(0, 47),
              "error: DIR/x.db: locked by another process (wai");
  }
  write_one();  // the other one is gone
  EXPECT_EQ(open.load_run("last").cases.size(), 2u);
}

TEST_F(Opening, AReadOnlyFile) {
  make_store();
  modes(kReadAll, kAll);
  const ChildResult child = unprivileged(
      [&] { return opening(Mode::kCreate) + opening(Mode::kExisting) + opening(Mode::kReadOnly); });
  if (!child.skipped.empty()) GTEST_SKIP() << child.skipped;
  const std::string refused =
      "error: DIR/x.db: cannot be written: the file is read-only\n"
      "hint: name a file that may be written with --db\n";
  EXPECT_EQ(child.text, refused + refused + "no error");
}

TEST_F(Opening, AReadOnlyFolder) {
  make_store();
  modes(kAll, kLook);  // the file may be written, its journal not made
  const ChildResult child = unprivileged([&] {
    return error_of(
               [&] {
                 RunRecord run;
                 Store::open(path, Mode::kExisting).begin_run(run);
               },
               dir) +
           opening(Mode::kReadOnly) +
           error_of([&] { (void)Store::open(folder.file("new.db"), Mode::kCreate); }, dir);
  });
  if (!child.skipped.empty()) GTEST_SKIP() << child.skipped;
  EXPECT_EQ(child.text,
            "error: DIR/x.db: cannot be written: its folder is read-only\n"
            "hint: name a file that may be written with --db\n"
            "no error"
            "error: DIR/new.db: cannot be made: Permission denied\n"
            "hint: name another file with --db\n");
}

TEST_F(Opening, AFileThatMayNotBeRead) {
  make_store();
  modes(fs::perms::none, kAll);
  const ChildResult child =
      unprivileged([&] { return opening(Mode::kReadOnly) + opening(Mode::kCreate); });
  if (!child.skipped.empty()) GTEST_SKIP() << child.skipped;
  const std::string denied =
      std::string("error: DIR/x.db: cannot be opened: Permission denied\n") + kOther;
  EXPECT_EQ(child.text, denied + denied);
}

TEST_F(Opening, AWriteAheadLogOnAReadOnlyShareIsReadAsImmutable) {
  make_store();
  raw_sql(path, "PRAGMA journal_mode = WAL");  // somebody else's tool did that
  modes(kReadAll, kLook);
  const ChildResult child = unprivileged([&] {
    return std::to_string(query(path, "SELECT * FROM cases").table.rows.size()) + " case";
  });
  if (!child.skipped.empty()) GTEST_SKIP() << child.skipped;
  EXPECT_EQ(child.text, "1 case");
}

TEST_F(Opening, WritingBringsAWriteAheadLogBack) {
  make_store();
  raw_sql(path, "PRAGMA journal_mode = WAL");
  EXPECT_EQ(opening(Mode::kExisting), "no error");
  EXPECT_EQ(raw_value(path, "PRAGMA journal_mode"), "delete");
}

TEST_F(Opening, OddCharactersInTheName) {
  path = folder.file("a?b#c%41 ü.db");
  make_store();
  EXPECT_EQ(query(path, "SELECT 1").table.rows.size(), 1u);
  raw_sql(path, "PRAGMA journal_mode = WAL");
  modes(kReadAll, kLook);
  const ChildResult child = unprivileged([&] {
    return std::to_string(query(path, "SELECT * FROM cases").table.rows.size()) + " case";
  });
  if (!child.skipped.empty()) GTEST_SKIP() << child.skipped;
  EXPECT_EQ(child.text, "1 case");
}

TEST_F(Opening, AFullDisk) {
  const ChildResult child = on_small_disk(dir, 400 * 1024, [&] {
    RunRecord run = full_run();
    std::string text;
    std::size_t stored = 0;
    {
      Store open = Store::open(path, Mode::kCreate);
      open.begin_run(run);
      text = error_of(
          [&] {
            for (int i = 0; i < 1000; ++i, ++stored) open.add_case(run.id, full_case(i));
          },
          dir);
    }
    // Whole, and all that was stored before is there.
    if (raw_value(path, "PRAGMA integrity_check") != "ok") text += "damaged\n";
    // At most 16 wait for the disk together.
    const std::size_t there = Store::open(path, Mode::kReadOnly).load_run("last").cases.size();
    if (there > stored || there + 16 < stored) text += "cases are lost\n";
    return text + (stored > 10 ? "after more than 10 cases" : "too early");
  });
  if (!child.skipped.empty()) GTEST_SKIP() << child.skipped;
  EXPECT_EQ(child.text,
            "error: DIR/x.db: the disk is full\n"
            "hint: what was stored before is whole; free some space or name a file on another disk "
            "with --db\n"
            "after more than 10 cases");
}

TEST_F(Opening, FullWithoutADisk) {
  // As above where nothing may be mounted: SQLite's own limit gives the same error.
  make_store();
  Store open = Store::open(path, Mode::kExisting);
  open.connection().database().exec("PRAGMA max_page_count = 1");
  EXPECT_EQ(status_of([&] {
              for (int i = 1; i < 1000; ++i) open.add_case(1, full_case(i));
            }),
            3);
  EXPECT_EQ(raw_value(path, "PRAGMA integrity_check"), "ok");
}

TEST_F(Opening, AReadOnlyDisk) {
  const ChildResult child = on_small_disk(
      dir, 4 << 20,
      [&] {
        make_store();
        return std::string();
      },
      [&] { return opening(Mode::kReadOnly) + opening(Mode::kExisting); });
  if (!child.skipped.empty()) GTEST_SKIP() << child.skipped;
  EXPECT_EQ(child.text,
            "no error"
            "error: DIR/x.db: cannot be written: the file is read-only\n"
            "hint: name a file that may be written with --db\n");
}

}  // namespace
}  // namespace lab::db
