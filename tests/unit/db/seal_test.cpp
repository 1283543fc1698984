// Every edit of a finished run is found by its seal; no honest run is accused.
#include "db/seal.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "db/merge.h"
#include "db/store.h"
#include "db/verify.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

class Seals : public testing::Test {
 protected:
  std::string make(const std::string& name, const std::string& key = {}) {
    const std::string path = folder.file(name);
    Store made = Store::open(path, Mode::kCreate);
    made.set_key(key);
    for (const char* uuid : {"aaaa", "bbbb", "cccc"}) {
      RunRecord run = full_run();
      run.uuid = uuid;
      run.cases = {full_case(0), stride_case(1, 2, 2)};
      store(made, run);
    }
    return path;
  }
  // All that the seals of a file say.
  static std::string said(const std::string& path, const std::string& key = {}) {
    Store open = Store::open(path, Mode::kReadOnly);
    SQLite::Database& database = open.connection().database();
    std::string text;
    for (const std::string& problem : check_file(open)) text += problem + "; ";
    for (const RunSummary& summary : open.list_runs()) {
      const SealCheck check = check_seal(database, summary.run.id, key);
      for (const std::string& problem : check.problems) text += problem + "; ";
    }
    return text;
  }
  TempFolder folder;
};

TEST_F(Seals, HonestRunsAreNotAccused) {
  EXPECT_EQ(said(make("x.db")), "");
  EXPECT_EQ(said(make("k.db", "secret"), "secret"), "");
  EXPECT_EQ(said(folder.file("k.db")), "");  // nothing can be told without the key
}

// One edit for each thing that a grader relies on, and for each table.
TEST_F(Seals, EditsAreFound) {
  const std::string path = make("x.db");
  for (const char* sql : {
           "UPDATE runs SET student = 'eve' WHERE id = 2",
           "UPDATE runs SET lab = 5 WHERE id = 2",
           "UPDATE runs SET gpu = 'another' WHERE id = 2",
           "UPDATE runs SET arch = 'sm_80' WHERE id = 2",
           "UPDATE runs SET backend = 'gpu' WHERE id = 2",
           "UPDATE runs SET status = status || 'x' WHERE id = 2",
           "UPDATE runs SET started_at = '2020-01-01T00:00:00Z' WHERE id = 2",
           "UPDATE runs SET finished_at = '2020-01-01T00:00:00Z' WHERE id = 2",
           "UPDATE runs SET seed = 99 WHERE id = 2",
           "UPDATE runs SET missing_cases = 7 WHERE id = 2",
           "UPDATE runs SET source_name = 'x.cu' WHERE id = 2",
           "UPDATE runs SET source_is_labs_own = 1 - source_is_labs_own WHERE id = 2",
           "UPDATE runs SET program_version = '9' WHERE id = 2",
           "UPDATE runs SET uuid = 'eeee' WHERE id = 2",
           "UPDATE environments SET value = 'x' WHERE run_id = 2",
           "INSERT INTO environments VALUES (2, 'forged', 'x')",
           "DELETE FROM environments WHERE run_id = 2",
           "UPDATE cases SET variant = 'padded' WHERE run_id = 2",
           "UPDATE cases SET params = '{}' WHERE run_id = 2",
           "UPDATE cases SET status = 1 + status % 7 WHERE run_id = 2",
           "UPDATE cases SET correct = 1 - coalesce(correct, 0) WHERE run_id = 2",
           "UPDATE cases SET reason = 'because' WHERE run_id = 2",
           "UPDATE cases SET kernel = 'k' WHERE run_id = 2",
           "UPDATE cases SET grid_x = grid_x + 1 WHERE run_id = 2",
           "UPDATE cases SET block_y = block_y + 1 WHERE run_id = 2",
           "UPDATE cases SET facts = '{}' WHERE run_id = 2",
           "UPDATE cases SET cubin_sha256 = 'x' WHERE run_id = 2",
           "UPDATE cases SET position = position + 10 WHERE run_id = 2",
           "DELETE FROM cases WHERE run_id = 2 AND position = 1",
           "INSERT INTO cases(run_id, position, variant, params, status, facts)"
           " VALUES (2, 2, 'stride', '{}', 1, '{}')",
           "UPDATE observations SET value = value + 1 WHERE value NOTNULL AND case_id = 3",
           "UPDATE observations SET missing_detail = 'x' WHERE value IS NULL AND case_id = 3",
           "UPDATE observations SET samples = samples + 1 WHERE case_id = 3",
           "UPDATE observations SET min = -1 WHERE case_id = 3",
           "DELETE FROM observations WHERE case_id = 4 AND source = 2",
           "UPDATE observations SET source = 5 WHERE case_id = 4 AND source = 2",
           "UPDATE verdicts SET kind = 1 + kind % 6 WHERE case_id = 3 AND kind NOTNULL",
           "UPDATE verdicts SET reason = 'x' WHERE case_id = 3",
           "UPDATE verdicts SET formula = '1' WHERE case_id = 3",
           "UPDATE verdicts SET theory = 1e9 WHERE case_id = 3",
           "UPDATE verdicts SET excess = 1, target = 1 WHERE case_id = 4",
           "UPDATE verdicts SET measured = 4, measured_source = 3 WHERE case_id = 4",
           "UPDATE verdicts SET level = 'x' WHERE case_id = 3",
           "DELETE FROM verdicts WHERE case_id = 3",
           "UPDATE findings SET message = 'x' WHERE case_id = 3",
           "DELETE FROM findings WHERE case_id = 3",
           "UPDATE timings SET median_ns = 1 WHERE case_id = 3",
           "UPDATE timings SET samples_ns = '[1]' WHERE case_id = 3",
           "UPDATE timings SET throttle_reasons = 'none' WHERE case_id = 3",
           "UPDATE line_observations SET value = 0 WHERE case_id = 3",
           "UPDATE accesses SET sectors = 0 WHERE case_id = 3",
           "UPDATE accesses SET addresses = '[]' WHERE case_id = 3",
           "DELETE FROM seals WHERE run_id = 2",
           "UPDATE seals SET sha256 = 'x' WHERE run_id = 2",
           "UPDATE seals SET previous = NULL WHERE run_id = 2",
           "PRAGMA foreign_keys = ON; DELETE FROM runs WHERE id = 1",
           "PRAGMA foreign_keys = ON; DELETE FROM runs WHERE id = 2",
           "PRAGMA foreign_keys = ON; DELETE FROM runs WHERE id = 3",
           "UPDATE sources SET text = 'x'",
       }) {
    const std::string forged = folder.file("forged.db");
    std::filesystem::copy_file(path, forged, std::filesystem::copy_options::overwrite_existing);
    raw_sql(forged, sql);
    EXPECT_NE(said(forged), "") << sql;
  }
}

TEST_F(Seals, WithAKeyNobodyElseCanSeal) {
  const std::string path = make("k.db", "secret");
  raw_sql(path, "UPDATE runs SET student = 'eve' WHERE id = 2");
  EXPECT_NE(said(path, "secret"), "");
  {
    Store forger = Store::open(path, Mode::kExisting);
    SQLite::Database& database = forger.connection().database();
    database.exec("BEGIN");
    seal_run(database, 2, "guessed");
    database.exec("COMMIT");
  }
  EXPECT_NE(said(path, "secret"), "");
}

TEST_F(Seals, AnImportIntoARunSealsItAnew) {
  const std::string path = make("x.db");
  {
    Store open = Store::open(path, Mode::kExisting);
    RunRecord run = open.load_run("bbbb");
    run.cases[1].reason = "imported";
    open.replace_case(run.id, run.cases[1]);
    open.update_run(run);
  }
  EXPECT_EQ(said(path), "");
}

TEST_F(Seals, MergedRunsAreSealedHereAndForgedOnesAreNotTaken) {
  const std::string theirs = make("theirs.db");
  raw_sql(theirs, "UPDATE observations SET value = 1 WHERE value NOTNULL AND case_id = 3");
  Store ours = Store::open(folder.file("ours.db"), Mode::kCreate);
  Store from = Store::open(theirs, Mode::kReadOnly);
  const MergeResult result = merge(ours, from);
  EXPECT_EQ(result.added, 2);
  EXPECT_EQ(result.refused,
            std::vector<std::string>{"run bbbb: edited: what is stored is not what was sealed"});
  EXPECT_EQ(said(folder.file("ours.db")), "");
}

}  // namespace
}  // namespace lab::db
