// Databases made to crash, to hang or to deceive whoever opens them.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>

#include "db/query.h"
#include "db/store.h"
#include "db/views.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

class Hostile : public testing::Test {
 protected:
  Hostile() : path(folder.file("x.db")) {
    Store made = Store::open(path, Mode::kCreate, {{3, {"stride"}}});
    RunRecord run = full_run();
    run.lab = 3;
    run.cases = {stride_case(0, 2, 2)};
    store(made, run);
  }
  // What reading and writing say after `sql`, which must be the same input error.
  std::string opening(const std::string& sql) {
    raw_sql(path, sql);
    const std::string dir = folder.path().string();
    const auto read = [&] { (void)Store::open(path, Mode::kReadOnly).load_run("last"); };
    const auto write = [&] { (void)Store::open(path, Mode::kCreate); };
    EXPECT_EQ(error_of(read, dir), error_of(write, dir)) << sql;
    EXPECT_EQ(status_of(read), 2) << sql;
    EXPECT_EQ(status_of(write), 2) << sql;
    return error_of(read, dir);
  }
  Value value(const std::string& sql) { return query(path, sql).table.rows.at(0).at(0); }

  TempFolder folder;
  std::string path;
};

constexpr const char* kEdited = "\nhint: the database was edited; restore a copy\n";

TEST_F(Hostile, ANegativeVersion) {
  EXPECT_EQ(opening("PRAGMA user_version = -1"),
            std::string("error: DIR/x.db: its version is -1, which no lab has written") + kEdited);
}

TEST_F(Hostile, AVersionThatItsTablesAreNotOf) {
  for (const char* version : {"0", "1", "7"}) {
    EXPECT_NE(opening(std::string("PRAGMA user_version = ") + version), "no error") << version;
  }
}

TEST_F(Hostile, TablesThatAreNotOurs) {
  EXPECT_EQ(opening("DROP TABLE lab_params; CREATE TABLE lab_params(lab, name)"),
            std::string("error: DIR/x.db: another table 'lab_params'") + kEdited);
  EXPECT_EQ(opening("DROP TABLE lab_params"),
            std::string("error: DIR/x.db: it lacks the table 'lab_params'") + kEdited);
  EXPECT_EQ(opening("CREATE VIEW lab_params AS SELECT 3 AS lab, 'stride' AS name"),
            std::string("error: DIR/x.db: another table 'lab_params'") + kEdited);
}

TEST_F(Hostile, Triggers) {
  EXPECT_EQ(opening("CREATE TRIGGER t AFTER INSERT ON cases BEGIN DELETE FROM runs; END"),
            std::string("error: DIR/x.db: it has a trigger, 't'") + kEdited);
}

TEST_F(Hostile, TablesAndViewsOfTheUsersOwnStay) {
  raw_sql(path, "CREATE TABLE groups(student, grp); CREATE VIEW mine AS SELECT * FROM groups");
  EXPECT_EQ(status_of([&] { (void)Store::open(path, Mode::kCreate); }), 0);
  EXPECT_EQ(value("SELECT count(*) FROM mine"), Value(std::int64_t{0}));
}

// stride_case(0, 2, 2) has one verdict: the forged view says that there are none, or other ones.
TEST_F(Hostile, ViewsOfTheFileAreNotTrusted) {
  const Value honest = value("SELECT verdict FROM compare");
  raw_sql(path,
          "DROP VIEW compare; CREATE VIEW compare AS SELECT 'forged' AS verdict;"
          "DROP VIEW lab3; CREATE VIEW lab3 AS SELECT 99 AS stride;"
          "DROP VIEW latest; CREATE VIEW latest AS SELECT 'forged' AS student");
  EXPECT_EQ(value("SELECT verdict FROM compare"), honest);
  EXPECT_EQ(value("SELECT stride FROM lab3"), Value(std::int64_t{2}));
  EXPECT_EQ(value("SELECT count(*) FROM latest WHERE student = 'forged'"), Value(std::int64_t{0}));
}

TEST_F(Hostile, LabsThatThereCannotBe) {
  raw_sql(path, "INSERT INTO lab_params VALUES (-1, 'x'), (2147483647, 'y'), (12345, 'z')");
  EXPECT_EQ(status_of([&] { (void)Store::open(path, Mode::kCreate); }), 0);
  EXPECT_EQ(value("SELECT count(*) FROM lab3"), Value(std::int64_t{1}));
}

// SQLite ends at 2,000 columns of a result.
TEST_F(Hostile, ThousandsOfParametersDoNotMakeALabUnusable) {
  raw_sql(path,
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
          " INSERT INTO lab_params SELECT 3, 'p' || i FROM n");
  EXPECT_EQ(status_of([&] { (void)Store::open(path, Mode::kCreate); }), 0);
  EXPECT_EQ(value("SELECT count(*) FROM lab3"), Value(std::int64_t{1}));
}

TEST_F(Hostile, AValueOfGigabytes) {
  EXPECT_EQ(status_of([&] { (void)query(path, "SELECT zeroblob(2147483647)"); }), 2);
}

TEST_F(Hostile, WhatIsNoFileIsNotWaitedFor) {
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& name : {pipe, std::string("/dev/null"), std::string("/dev/zero")}) {
    EXPECT_EQ(status_of([&] { (void)Store::open(name, Mode::kCreate); }), 2) << name;
    EXPECT_EQ(status_of([&] { (void)Store::open(name, Mode::kReadOnly); }), 2) << name;
  }
}

// seccomp(2): every read at a place in a file fails as from a disk that is broken. SQLite reports
// it as damage (SQLITE_IOERR_CORRUPTFS), which is what the user would then restore a copy for.
TEST_F(Hostile, ADiskThatFailsIsTheMachines) {
  const pid_t child = ::fork();
  if (child == 0) {
    Store opened = Store::open(path, Mode::kReadOnly);
    std::array<sock_filter, 4> code = {
        {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pread64, 0, 1),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) ::_exit(9);
    const auto read = [&] { (void)opened.load_run("last"); };
    const std::string text = error_of(read, folder.path().string());
    const bool told = text.find("Input/output error") != std::string::npos;
    ::_exit(told && text.find("damaged") == std::string::npos ? status_of(read) : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 9) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

// Each header byte with each of a few values, and each pair of pages swapped: bad input, never a
// fault of ours.
TEST_F(Hostile, DamageIsBadInput) {
  std::ifstream in(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string damaged = folder.file("damaged.db");
  const auto survives = [&](const std::string& bytes, const std::string& what) {
    std::ofstream(damaged, std::ios::binary) << bytes;
    const auto read = [&] {
      Store open = Store::open(damaged, Mode::kReadOnly);
      (void)open.load_run("last");
      (void)query(damaged, "SELECT * FROM compare");
    };
    EXPECT_LT(status_of(read), 4) << what << ": " << error_of(read);
    const auto write = [&] {
      Store open = Store::open(damaged, Mode::kCreate);
      RunRecord run = full_run();
      run.uuid.clear();
      run.cases = {stride_case(0, 2, 2)};
      store(open, run);
    };
    EXPECT_LT(status_of(write), 4) << what << ": " << error_of(write);
  };
  // "Database File Format", 1.6: a page that begins with 10 is an index's leaf, whose first rows
  // lie at its end. They say then that there are rows which their table lacks.
  const std::size_t page = static_cast<unsigned char>(whole[16]) * 256U;
  for (std::size_t at = page; at + page <= whole.size(); at += page) {
    for (std::size_t back = 1; whole[at] == 10 && back <= 12; ++back) {
      std::string bytes = whole;
      bytes[at + page - back] ^= 5;
      survives(bytes, "page at " + std::to_string(at) + " from its end " + std::to_string(back));
    }
  }
  for (std::size_t byte = 16; byte < 100; ++byte) {
    for (const char value : {'\0', '\3', '\xff'}) {
      std::string bytes = whole;
      bytes[byte] = value;
      survives(bytes, "byte " + std::to_string(byte) + " = " + std::to_string(value));
    }
  }
  constexpr std::size_t kPage = 4096;
  const std::size_t pages = whole.size() / kPage;
  for (std::size_t a = 1; a < pages; ++a) {
    for (std::size_t b = a + 1; b < pages; b += 11) {
      std::string bytes = whole;
      bytes.replace(a * kPage, kPage, whole, b * kPage, kPage);
      bytes.replace(b * kPage, kPage, whole, a * kPage, kPage);
      survives(bytes, "pages " + std::to_string(a) + " and " + std::to_string(b));
    }
  }
}

}  // namespace
}  // namespace lab::db
