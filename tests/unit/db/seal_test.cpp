// Every edit of a finished run is found by its seal; no honest run is accused.
#include "db/seal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "db/grades.h"
#include "db/merge.h"
#include "db/migrations.h"
#include "db/store.h"
#include "db/verify.h"
#include "harness/core/text.h"
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

// A seal covers the tables that its version had: what a later one adds is no edit.
TEST_F(Seals, OfAnOlderVersionTheyStillFit) {
  const std::string path = folder.file("old.db");
  std::filesystem::copy_file(std::string(LAB_SOURCE_DIR) + "/tests/fixtures/db/v8.db", path);
  (void)Store::open(path, Mode::kExisting);  // migrates
  EXPECT_EQ(raw_value(path, "SELECT count(*) FROM readings"), "2");
  EXPECT_EQ(raw_value(path, "SELECT version FROM seals"), "8");
  EXPECT_EQ(said(path), "");
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
           "INSERT INTO included_sources SELECT 2, 0, 'a.h', sha256 FROM sources LIMIT 1",
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
           "UPDATE verdicts SET level = 'as written' WHERE case_id = 3",
           "DELETE FROM verdicts WHERE case_id = 3",
           "UPDATE findings SET message = 'x' WHERE case_id = 3",
           "DELETE FROM findings WHERE case_id = 3",
           "UPDATE timings SET median_ns = 1 WHERE case_id = 3",
           "UPDATE timings SET samples_ns = '[1]' WHERE case_id = 3",
           "UPDATE timings SET throttle_reasons = 'none' WHERE case_id = 3",
           "UPDATE line_observations SET value = 0 WHERE case_id = 3",
           "UPDATE accesses SET sectors = 0 WHERE case_id = 3",
           "UPDATE accesses SET addresses = '[]' WHERE case_id = 3",
           "UPDATE readings SET standing = 1 WHERE case_id = 3",
           "UPDATE readings SET outcome = 6 WHERE case_id = 3",
           "DELETE FROM readings WHERE case_id = 3",
           "INSERT INTO expected_times(case_id, calibrated) VALUES (3, 0)",
           "INSERT INTO kernel_facts SELECT 3, 'x', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
           "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
           "0, 0, 0, 0, 0",
           "INSERT INTO larger_times(run_id, seq, variant, params, calibrated)"
           " VALUES (2, 0, 'stride', '{}', 0)",
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

// Whoever lacks the key cannot tell; whoever has it must not seal an edited run anew.
TEST_F(Seals, AnEditedRunOfOurKeyIsNotTaken) {
  const std::string theirs = make("theirs.db", "secret");
  raw_sql(theirs, "UPDATE observations SET value = 1 WHERE value NOTNULL AND case_id = 3");
  for (const auto& [key, added] : {std::pair{"secret", 2}, {"", 3}}) {
    const std::string ours = folder.file(std::string("ours") + key);
    Store into = Store::open(ours, Mode::kCreate);
    into.set_key(key);
    Store from = Store::open(theirs, Mode::kReadOnly);
    EXPECT_EQ(merge(into, from).added, added) << key;
  }
}

// The end of an older file's chains is not sealed with its key. Merging makes a file whose end is,
// and takes what the key of then does not hold no more than in a file of today.
TEST_F(Seals, AKeyedFileOfAnOlderVersionIsSealedAnewByMerging) {
  const std::string path = folder.file("old.db");
  std::filesystem::copy_file(std::string(LAB_SOURCE_DIR) + "/tests/fixtures/db/v11.db", path);
  const auto problems = [](Store& open) {
    open.set_key("secret");
    return check_file(open).size();
  };
  const auto merged = [&](const std::string& name) {
    Store into = Store::open(folder.file(name), Mode::kCreate);
    Store from = Store::open(path, Mode::kReadOnly);
    EXPECT_EQ(problems(into), 0U);
    const MergeResult result = merge(into, from);
    EXPECT_EQ(problems(into), 0U);
    return result;
  };
  {
    Store open = Store::open(path, Mode::kReadOnly);
    const std::string then = seal_of(open.connection().database(), 1, 11, "", "secret");
    raw_sql(path, "UPDATE seals SET keyed = 1, sha256 = '" + then + "'");
  }
  {
    Store old = Store::open(path, Mode::kReadOnly);
    EXPECT_EQ(problems(old), 3U);  // the end, and views and catalogue of that time
  }
  EXPECT_EQ(merged("new.db").added, 1);
  EXPECT_EQ(raw_value(folder.file("new.db"), "SELECT version || ' ' || keyed FROM seals"),
            std::to_string(schema_version()) + " 1");
  EXPECT_EQ(said(folder.file("new.db"), "secret"), "");
  raw_sql(path, "UPDATE runs SET student = 'eve'");
  EXPECT_EQ(merged("edited.db").refused.size(), 1U);
}

class GradeSeals : public testing::Test {
 protected:
  // Three graded students, with a criterion each; the last has no run.
  std::string make(const std::string& name, const std::string& key = {}) {
    const std::string path = folder.file(name);
    Store made = Store::open(path, Mode::kCreate);
    made.set_key(key);
    const std::string text = "lab = 3";
    (void)keep_rubric(made, {sha256_hex(text), 3, text, 7, 60, 100});
    for (const char* student : {"ada", "bob", "cat"}) {
      GradeRow grade;
      grade.student = student;
      grade.lab = 3;
      grade.rubric_sha256 = sha256_hex(text);
      grade.source_sha256 = "of " + grade.student;
      grade.status = GradeStatus::kOk;
      grade.points = 70;
      grade.of = 100;
      grade.criteria = {{"right", "stride", 70.0, 100, "shared_load_wavefronts"}};
      RunRecord run = full_run();
      run.uuid = grade.student;
      run.cases = {stride_case(0, 2, 2)};
      put_grade(made, grade, grade.student == "cat" ? nullptr : &run, {});
    }
    return path;
  }
  static std::string said(const std::string& path, const std::string& key = {}) {
    Store open = Store::open(path, Mode::kReadOnly);
    std::string text;
    for (const std::string& problem : check_grades(open.connection().database(), key)) {
      text += problem + "; ";
    }
    return text;
  }
  TempFolder folder;
};

TEST_F(GradeSeals, HonestGradesAreNotAccused) {
  EXPECT_EQ(said(make("x.db")), "");
  EXPECT_EQ(said(make("k.db", "secret"), "secret"), "");
  EXPECT_EQ(said(folder.file("k.db")), "");  // nothing can be told without the key
}

TEST_F(GradeSeals, EditsAreFound) {
  const std::string path = make("x.db");
  for (const char* sql : {
           "UPDATE grades SET student = 'eve' WHERE id = 2",
           "UPDATE grades SET lab = 4 WHERE id = 2",
           "UPDATE grades SET source_sha256 = 'x' WHERE id = 2",
           "UPDATE grades SET run_id = 1 WHERE id = 2",
           "UPDATE grades SET run_id = NULL WHERE id = 2",
           "UPDATE grades SET file = 'x.cu' WHERE id = 2",
           "UPDATE grades SET status = 'wrong' WHERE id = 2",
           "UPDATE grades SET reason = 'because' WHERE id = 2",
           "UPDATE grades SET points = 100 WHERE id = 2",
           "UPDATE grades SET of = 70 WHERE id = 2",
           "UPDATE grades SET seconds = 1 WHERE id = 2",
           "UPDATE grades SET memory_bytes = 1 WHERE id = 2",
           "UPDATE grades SET submitted_at = '2020-01-01T00:00:00Z' WHERE id = 2",
           "UPDATE grades SET graded_at = '2020-01-01T00:00:00Z' WHERE id = 2",
           "UPDATE grades SET feedback = 'well done' WHERE id = 2",
           "UPDATE criteria SET points = 100 WHERE grade_id = 2",
           "UPDATE criteria SET of = 70 WHERE grade_id = 2",
           "UPDATE criteria SET threshold = 'x' WHERE grade_id = 2",
           "UPDATE criteria SET reason = 'because' WHERE grade_id = 2",
           "DELETE FROM criteria WHERE grade_id = 2",
           "INSERT INTO criteria(grade_id, seq, name, variant, points, of, threshold)"
           " VALUES (2, 1, 'more', 'stride', 30, 0, '')",
           "UPDATE rubrics SET text = 'x'",
           "UPDATE rubrics SET of = 70",
           "UPDATE rubrics SET pass = 1",
           "UPDATE rubrics SET seed = 1",
           "INSERT INTO grades(student, lab, rubric_sha256, status, points, of, graded_at)"
           " SELECT student, lab, rubric_sha256, 'ok', 100, 100, graded_at FROM grades LIMIT 1",
           "DELETE FROM grade_seals WHERE grade_id = 2",
           "UPDATE grade_seals SET sha256 = NULL WHERE grade_id = 2",
           "UPDATE grade_seals SET previous = NULL WHERE grade_id = 2",
           "PRAGMA foreign_keys = ON; DELETE FROM grades WHERE id = 1",
           "PRAGMA foreign_keys = ON; DELETE FROM grades WHERE id = 2",
           "PRAGMA foreign_keys = ON; DELETE FROM grades WHERE id = 3",
       }) {
    const std::string forged = folder.file("forged.db");
    std::filesystem::copy_file(path, forged, std::filesystem::copy_options::overwrite_existing);
    raw_sql(forged, sql);
    EXPECT_NE(said(forged), "") << sql;
  }
}

TEST_F(GradeSeals, WhatTheKeyHasSealedIsMergedAndWhatWasEditedIsNot) {
  const auto merged = [&](const std::string& path, const std::string& key, Trust trust) {
    const std::string ours = folder.file("ours.db");
    std::filesystem::remove(ours);
    Store into = Store::open(ours, Mode::kCreate);
    into.set_key(key);
    Store from = Store::open(path, Mode::kReadOnly);
    (void)merge(into, from);
    const MergedGrades result = merge_grades(into, from, trust);
    EXPECT_EQ(said(ours, key), "");
    EXPECT_EQ(raw_value(ours, "SELECT count(*) FROM grades"), std::to_string(result.added));
    return std::to_string(result.added) + " " + std::to_string(result.left) + " " +
           std::to_string(result.refused.size());
  };
  const std::string keyed = make("k.db", "secret");
  EXPECT_EQ(merged(keyed, "secret", Trust::kOurKey), "3 0 0");
  EXPECT_EQ(merged(keyed, "", Trust::kOurKey), "0 3 0");
  EXPECT_EQ(merged(keyed, "", Trust::kAll), "3 0 0");
  const std::string plain = make("x.db");
  EXPECT_EQ(merged(plain, "secret", Trust::kOurKey),
            "0 3 0");  // whoever has the program can make these
  EXPECT_EQ(merged(plain, "secret", Trust::kAll), "3 0 0");
  for (const std::string& path : {keyed, plain}) {
    raw_sql(path, "UPDATE grades SET points = 100 WHERE id = 2");
    EXPECT_EQ(merged(path, path == keyed ? "secret" : "", Trust::kAll), "2 0 1");
  }
}

}  // namespace
}  // namespace lab::db
