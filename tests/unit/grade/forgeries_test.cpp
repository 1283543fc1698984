// A class's file, forged: what verify finds of it without running a kernel, with the grader's key
// and without. tests/attacks/README.md lists these rows.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "db/grades.h"
#include "db/heads.h"
#include "db/seal.h"
#include "db/verify.h"
#include "harness/classes/grade/points.h"
#include "harness/classes/grade/recheck.h"
#include "harness/classes/grade/rubric.h"
#include "harness/classes/grade/submissions.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"

namespace lab::grade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRubric = R"(lab = 3
seed = 7
pass = 60
[[points]]
variant = "column_swizzled"
params = { passes = [1, 2] }
[[criterion]]
name = "right"
points = 40
variant = "column_swizzled"
status = "ok"
[[criterion]]
name = "one wavefront"
points = 60
variant = "column_swizzled"
metric = "shared_load_wavefronts_sass"
max_excess = 1
)";

// Without the key whoever has lab can seal anew what was edited.
enum class Unkeyed : unsigned char { kFound, kShown, kUnseen };

struct Forgery {
  const char* name;
  Unkeyed unkeyed;  // sealed anew by its forger
  const char* sql;
};

// Grades 1 to 3 of ada, bob and cat, of runs 1 to 3; grade 4 is bob's second, of run 4, and better.
constexpr Forgery kForgeries[] = {
    {"points raised, seals taken off", Unkeyed::kFound,
     "UPDATE grades SET points = 100 WHERE student = 'bob';"
     "UPDATE grade_seals SET sha256 = NULL, previous = NULL, keyed = 0, version = 7;"
     "DELETE FROM grade_chain"},
    {"points raised with their criterion", Unkeyed::kFound,
     "UPDATE grades SET points = 100 WHERE id = 1; UPDATE criteria SET points = 60 WHERE grade_id "
     "= "
     "1 AND seq = 1"},
    {"a criterion's points given to another", Unkeyed::kFound,
     "UPDATE criteria SET points = 60 WHERE grade_id = 1 AND seq = 0"},
    {"the same points for another criterion", Unkeyed::kFound,
     "UPDATE criteria SET points = 40 - points WHERE grade_id = 1"},
    {"a criterion that the rubric lacks", Unkeyed::kFound,
     "INSERT INTO criteria(grade_id, seq, name, variant, points, of, threshold) VALUES"
     " (1, 2, 'more', 'x', 60, 60, ''); UPDATE grades SET points = 100 WHERE id = 1"},
    {"criteria worth more than the rubric says", Unkeyed::kFound,
     "UPDATE criteria SET of = 100, points = 100 WHERE grade_id = 1 AND seq = 0;"
     "UPDATE grades SET points = 100 WHERE id = 1"},
    {"the newest grade deleted", Unkeyed::kUnseen,
     "DELETE FROM grades WHERE id = 4; DELETE FROM fingerprints WHERE student = 'bob';"
     "INSERT INTO fingerprints VALUES (3, 'bob', 'k', 'of bob');"
     "UPDATE grade_chain SET last = (SELECT sha256 FROM grade_seals WHERE grade_id = 3)"},
    {"the newest run deleted, with its grade", Unkeyed::kUnseen,
     "DELETE FROM grades WHERE id = 4; DELETE FROM runs WHERE id = 4;"
     "UPDATE chain SET last = (SELECT uuid FROM runs WHERE id = 3);"
     "DELETE FROM fingerprints WHERE student = 'bob';"
     "INSERT INTO fingerprints VALUES (3, 'bob', 'k', 'of bob');"
     "UPDATE grade_chain SET last = (SELECT sha256 FROM grade_seals WHERE grade_id = 3)"},
    {"a run deleted alone", Unkeyed::kFound, "DELETE FROM runs WHERE id = 1"},
    {"all grades deleted", Unkeyed::kUnseen,
     "DELETE FROM grades; DELETE FROM grade_chain; DELETE FROM head;"
     "DELETE FROM fingerprints WHERE student <> ''"},
    {"a grade deleted in the middle, the next linked over it", Unkeyed::kUnseen,
     "DELETE FROM grades WHERE id = 2; UPDATE grade_seals SET previous = (SELECT sha256 FROM"
     " grade_seals WHERE grade_id = 1) WHERE grade_id = 3"},
    {"a grade that points at another student's run", Unkeyed::kFound,
     "UPDATE grades SET run_id = 3, points = 100 WHERE id = 1;"
     "UPDATE criteria SET points = of WHERE grade_id = 1"},
    {"the run of another, given to her", Unkeyed::kFound,
     "UPDATE runs SET student = 'ada' WHERE id = 3;"
     "UPDATE grades SET run_id = 3, points = 100 WHERE id = 1;"
     "UPDATE criteria SET points = of WHERE grade_id = 1"},
    {"the run of another, given to her with its source", Unkeyed::kUnseen,
     "UPDATE runs SET student = 'ada' WHERE id = 3; UPDATE grades SET run_id = 3, points = 100,"
     " source_sha256 = (SELECT source_sha256 FROM grades WHERE id = 3) WHERE id = 1;"
     "UPDATE criteria SET points = of WHERE grade_id = 1; DELETE FROM grades WHERE id = 3;"
     "DELETE FROM fingerprints WHERE student = 'cat'"},
    {"a grade that points at another's run, with its source", Unkeyed::kFound,
     "UPDATE grades SET run_id = 3, points = 100, source_sha256 = (SELECT source_sha256 FROM grades"
     " WHERE id = 3) WHERE id = 1; UPDATE criteria SET points = of WHERE grade_id = 1"},
    {"a grade without its run", Unkeyed::kFound,
     "UPDATE grades SET run_id = NULL, points = 100 WHERE id = 1;"
     "UPDATE criteria SET points = of WHERE grade_id = 1"},
    {"points taken away, with the run that says otherwise", Unkeyed::kFound,
     "UPDATE grades SET run_id = NULL, points = 0 WHERE id = 1"},
    {"ids exchanged, so that an older grade is the newest", Unkeyed::kUnseen,
     "PRAGMA foreign_keys = OFF; UPDATE grades SET id = 99 WHERE id = 2;"
     "UPDATE criteria SET grade_id = 99 WHERE grade_id = 2;"
     "UPDATE grade_seals SET grade_id = 99 WHERE grade_id = 2;"
     "UPDATE fingerprints SET sha256 = 'of bob' WHERE student = 'bob'"},
    {"ids of runs exchanged, so that an older one is the latest", Unkeyed::kUnseen,
     "PRAGMA foreign_keys = OFF; UPDATE runs SET id = 99 WHERE id = 2;"
     "UPDATE grades SET run_id = 99 WHERE run_id = 2;"
     "UPDATE seals SET run_id = 99 WHERE run_id = 2; UPDATE cases SET run_id = 99 WHERE run_id = 2;"
     "UPDATE environments SET run_id = 99 WHERE run_id = 2"},
    {"fingerprints of a student deleted", Unkeyed::kFound,
     "DELETE FROM fingerprints WHERE student = 'ada'"},
    {"fingerprints of a student edited", Unkeyed::kFound,
     "UPDATE fingerprints SET sha256 = 'x' WHERE student = 'ada'"},
    {"fingerprints edited with their sum", Unkeyed::kUnseen,
     "DELETE FROM fingerprints WHERE student = 'ada';"
     "UPDATE grades SET fingerprints_sha256 = NULL WHERE student = 'ada'"},
    {"fingerprints of somebody who handed nothing in", Unkeyed::kFound,
     "INSERT INTO fingerprints VALUES (3, 'eve', 'k', 'of ada')"},
    {"fingerprints of the lab's own kernels deleted", Unkeyed::kUnseen,
     "DELETE FROM fingerprints WHERE student = ''"},
    {"those deleted with the head", Unkeyed::kUnseen,
     "DELETE FROM fingerprints WHERE student = ''; DELETE FROM head"},
    {"a view that says something else", Unkeyed::kShown,
     "DROP VIEW gradebook; CREATE VIEW gradebook AS SELECT student, lab, 100 AS total FROM grades"},
    {"a view that is gone", Unkeyed::kShown, "DROP VIEW outliers"},
    {"a view of one lab that says something else", Unkeyed::kShown,
     "DROP VIEW lab3; CREATE VIEW lab3 AS SELECT 1 AS passes"},
    {"a row of the catalogue edited", Unkeyed::kShown,
     "UPDATE metrics SET unit = 'us', class = 'context' WHERE key = 'global_load_sectors'"},
    {"a row of the catalogue invented", Unkeyed::kShown,
     "INSERT INTO metrics SELECT 'grace', 99, unit, class, cupti_name, measured, text FROM metrics"
     " LIMIT 1"},
    {"a row of the catalogue gone", Unkeyed::kShown,
     "DELETE FROM metrics WHERE key = 'global_load_sectors'"},
    {"the columns of a lab's view gone", Unkeyed::kFound, "DELETE FROM lab_params WHERE lab = 3"},
    {"a time edited", Unkeyed::kUnseen, "UPDATE timings SET median_ns = 1"},
    {"a measured value edited", Unkeyed::kUnseen,
     "UPDATE observations SET value = 1 WHERE source = 3"},
    {"when it was handed in", Unkeyed::kUnseen,
     "UPDATE grades SET submitted_at = '2020-01-01T00:00:00Z'"},
    {"another rubric, with a text of its own", Unkeyed::kFound,
     "UPDATE rubrics SET of = 10, pass = 1; UPDATE grades SET of = 10"},
    {"a rubric that is worth less than its grades", Unkeyed::kFound, "UPDATE rubrics SET of = 10"},
    {"a milder text in a rubric's place, with the points that it gives", Unkeyed::kFound,
     "UPDATE rubrics SET text = replace(text, 'max_excess = 1', 'max_excess = 99');"
     "UPDATE criteria SET points = of; UPDATE grades SET points = 100"},
    {"another seed", Unkeyed::kFound, "UPDATE rubrics SET seed = 8"},
    {"a file that a kernel includes, put in another's place", Unkeyed::kFound,
     "INSERT INTO included_sources SELECT 1, 0, 'a.h', sha256 FROM sources LIMIT 1"},
    {"a run that was not finished, with a grade", Unkeyed::kFound,
     "UPDATE runs SET finished_at = NULL WHERE id = 1; DELETE FROM seals WHERE run_id = 1;"
     "UPDATE seals SET previous = NULL WHERE previous = 'r1'"},
    {"a status that the run does not have", Unkeyed::kFound,
     "UPDATE grades SET status = 'wrong' WHERE id = 1"},
    {"a manual grade made of a bad one", Unkeyed::kFound,
     "UPDATE grades SET status = 'manual', points = NULL WHERE id = 1"},
    {"an adjustment", Unkeyed::kShown,
     "INSERT INTO adjustments(student, lab, points, reason) VALUES ('ada', 3, 60, 'kind')"},
    {"a deadline of her own", Unkeyed::kShown,
     "INSERT INTO deadlines VALUES (3, 'ada', '2099-01-01T00:00:00Z')"},
    {"everybody's deadline", Unkeyed::kUnseen,
     "INSERT INTO deadlines VALUES (3, '', '2099-01-01T00:00:00Z')"},
    {"a name of the roster", Unkeyed::kUnseen,
     "UPDATE students SET name = 'Bob' WHERE name = 'Ada'"},
    {"one more on the roster", Unkeyed::kUnseen, "INSERT INTO students VALUES ('eve', 'Eve', '')"},
};

class Forgeries : public testing::Test {
 protected:
  Forgeries() { fs::create_directories(folder_); }
  ~Forgeries() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }

  /// What the model counts of a column of 32 words: `ways` times what theory says.
  static RunRecord run_of(const Rubric& rubric, const std::string& student, int number,
                          double ways) {
    RunRecord run;
    run.uuid = "r" + std::to_string(number);
    run.lab = 3;
    run.student = student;
    run.arch = "sm_90";
    run.seed = 7;
    run.started_at = "2026-11-23T00:00:00Z";
    run.status = RunStatus::kOk;
    run.source_is_labs_own = false;
    set_source({"k.cu", "// " + run.uuid + "\n", {}, {}}, run);
    run.environment["cpu"] = "x";
    for (const CaseRequest& request : rubric.requests) {
      CaseRecord one;
      one.index = request.index;
      one.variant = request.variant;
      one.params = request.params;
      one.status = CaseStatus::kOk;
      one.correct = true;
      one.timing = Timing{500, 500, 500, {500}, "CUDA events"};
      for (const SourceOf source : {SourceOf::kTheory, SourceOf::kModel, SourceOf::kCupti}) {
        const bool counted = source != SourceOf::kTheory;
        one.observations.push_back(
            {"shared_load_wavefronts_sass", source, counted ? 512 * ways : 512.0});
      }
      run.cases.push_back(std::move(one));
    }
    return run;
  }

  std::string make(const std::string& name, const std::string& key) {
    db::Store store = db::Store::open(file(name), db::Mode::kCreate);
    store.set_key(key);
    const Rubric rubric = read_rubric("rubric", kRubric, find_lab("3"));
    (void)db::keep_rubric(store, {rubric.sha256, 3, rubric.text, 7, rubric.pass, rubric.of});
    db::put_solution(store, 3, {{"k", "the lab's"}});
    db::put_students(store, {{"ada", "Ada", ""}});
    int number = 0;
    for (const auto& [student, ways] :
         {std::pair("ada", 32.0), {"bob", 32.0}, {"cat", 1.0}, {"bob", 1.0}}) {
      const RunRecord run = run_of(rubric, student, ++number, ways);
      db::GradeRow grade;
      grade.student = student;
      grade.lab = 3;
      grade.source_sha256 = hash_of(source_of(run));
      grade.submitted_at = "2026-11-23T00:00:00Z";
      give_points(rubric, run, grade);
      db::put_grade(store, grade, &run, {{"k", std::string("of ") + student}});
    }
    return file(name);
  }

  /// What is done to a copy of `path`.
  std::string forged(const std::string& path, const std::string& sql) {
    const std::string copy = file("forged.db");
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    SQLite::Database(copy, SQLite::OPEN_READWRITE).exec("PRAGMA foreign_keys = ON;" + sql);
    return copy;
  }

  /// Whoever has lab makes seals that fit what he has edited, by a key that he makes up.
  static void seal_anew(const std::string& path, const std::string& key) {
    SQLite::Database database(path, SQLite::OPEN_READWRITE);
    database.exec("PRAGMA synchronous = OFF");  // a copy's copy need not outlive a power cut
    const auto ids = [&](const char* sql) {
      std::vector<std::int64_t> all;
      for (SQLite::Statement rows(database, sql); rows.executeStep();) {
        all.push_back(rows.getColumn(0).getInt64());
      }
      return all;
    };
    database.exec(
        "DELETE FROM seals; DELETE FROM chain; DELETE FROM grade_seals;"
        "DELETE FROM grade_chain; DELETE FROM head");
    for (const auto id : ids("SELECT id FROM runs WHERE finished_at NOTNULL ORDER BY id")) {
      db::seal_run(database, id, key);
    }
    for (const auto id : ids("SELECT id FROM grades ORDER BY id")) {
      db::seal_grade(database, id, key);
    }
  }

  struct Said {
    std::string problems = {};
    std::string notes = {};
  };
  static Said said(const std::string& path, const std::string& key) {
    db::Store store = db::Store::open(path, db::Mode::kReadOnly);
    store.set_key(key);
    Said all;
    for (const std::string& one : db::check_file(store)) all.problems += one + "\n";
    for (const std::string& one : check_points(store).problems) all.problems += one + "\n";
    for (const std::string& one : db::file_notes(store)) all.notes += one + "\n";
    for (const db::RunSummary& summary : store.list_runs()) {
      db::SealCheck check = db::check_seal(store.connection().database(), summary.run.id, key);
      db::require_key(check, key);
      for (const std::string& one : check.problems) all.problems += one + "\n";
    }
    return all;
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("lab_forgeries_" + std::to_string(::getpid()));
};

TEST_F(Forgeries, AnHonestFileIsNotAccused) {
  for (const char* key : {"", "sesame"}) {
    const Said all = said(make(std::string("x") + key, key), key);
    EXPECT_EQ(all.problems + all.notes, "") << key;
  }
}

// A forger without the key leaves the seals as they are, or makes seals of his own.
TEST_F(Forgeries, NoneIsUnseenInAKeyedFile) {
  const std::string path = make("k.db", "sesame");
  for (const Forgery& one : kForgeries) {
    const std::string copy = forged(path, one.sql);
    const Said all = said(copy, "sesame");
    EXPECT_NE(all.problems + all.notes, "") << one.name;
    const bool by_hand = std::string(one.sql).find("deadlines") != std::string::npos ||
                         std::string(one.sql).find("adjustments") != std::string::npos;
    EXPECT_TRUE((one.unkeyed == Unkeyed::kShown && !by_hand) || !all.problems.empty()) << one.name;
    for (const char* key : {"", "guessed"}) {
      seal_anew(copy, key);
      EXPECT_NE(said(copy, "sesame").problems, "") << one.name << " sealed by '" << key << "'";
    }
  }
}

// db/README.md says what cannot be told of a file without a key: what is kUnseen here.
TEST_F(Forgeries, OfAFileWithoutAKeyWhatDoesNotFitTogetherIsFound) {
  const std::string path = make("x.db", "");
  for (const Forgery& one : kForgeries) {
    const std::string copy = forged(path, one.sql);
    seal_anew(copy, "");
    const Said all = said(copy, "");
    EXPECT_EQ(all.problems.empty(), one.unkeyed != Unkeyed::kFound)
        << one.name << ": " << all.problems;
    const bool shown = one.unkeyed == Unkeyed::kShown;
    EXPECT_TRUE(one.unkeyed == Unkeyed::kFound || all.notes.empty() != shown)
        << one.name << ": " << all.notes;
  }
}

// What is stored after a forgery must not seal it: the head stays as the forger left it.
TEST_F(Forgeries, WhatIsStoredLaterSealsNoForgery) {
  const std::string copy =
      forged(make("k.db", "sesame"),
             "DELETE FROM grades WHERE id = 4; DELETE FROM fingerprints WHERE student = 'bob';"
             "UPDATE grade_chain SET last = (SELECT sha256 FROM grade_seals WHERE grade_id = 3);"
             "DELETE FROM head");
  {
    db::Store store = db::Store::open(copy, db::Mode::kExisting);
    store.set_key("sesame");
    const Rubric rubric = read_rubric("rubric", kRubric, find_lab("3"));
    const RunRecord run = run_of(rubric, "dan", 9, 1);
    db::GradeRow grade;
    grade.student = "dan";
    grade.lab = 3;
    grade.source_sha256 = hash_of(source_of(run));
    give_points(rubric, run, grade);
    db::put_grade(store, grade, &run, {});
  }
  EXPECT_NE(said(copy, "sesame").problems.find("the end of its chains is not sealed with the key"),
            std::string::npos);
}

constexpr const char* kGift =
    "INSERT INTO adjustments(student, lab, points, reason) VALUES ('ada', 3, 60, 'kind')";

// What a grader writes by hand is the file's own once the key has sealed it, and nothing else is.
TEST_F(Forgeries, WhatIsWrittenByHandIsSealedWhereAGraderSaysSo) {
  const std::string copy = forged(make("k.db", "sesame"), kGift);
  const std::string accused = "adjustments, deadlines or names of students are not those";
  EXPECT_NE(said(copy, "sesame").problems.find(accused), std::string::npos);
  {
    db::Store store = db::Store::open(copy, db::Mode::kExisting);
    store.set_key("sesame");
    db::put_students(store, {{"dan", "Dan", ""}});  // which seals no gift
    EXPECT_NE(said(copy, "sesame").problems.find(accused), std::string::npos);
    db::seal_by_hand(store);
  }
  EXPECT_EQ(said(copy, "sesame").problems + said(copy, "sesame").notes, "");
  SQLite::Database(copy, SQLite::OPEN_READWRITE).exec("UPDATE adjustments SET points = 90");
  EXPECT_NE(said(copy, "sesame").problems.find(accused), std::string::npos);
}

// Whoever has no key, or has cut the chains, seals nothing.
TEST_F(Forgeries, NothingIsSealedByHandWithoutTheKeyOrBehindACut) {
  const std::string path = make("k.db", "sesame");
  for (const char* key : {"", "guessed"}) {
    db::Store store = db::Store::open(path, db::Mode::kExisting);
    store.set_key(key);
    EXPECT_THROW(db::seal_by_hand(store), Error) << key;
  }
  const std::string copy = forged(path, "DELETE FROM head");
  db::Store store = db::Store::open(copy, db::Mode::kExisting);
  store.set_key("sesame");
  EXPECT_THROW(db::seal_by_hand(store), Error);
}

// An older program has sealed the chains alone: what is written by hand is shown, as before.
TEST_F(Forgeries, AnOlderHeadIsNoForgery) {
  const std::string path = make("k.db", "sesame");
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  // Its number was made of these rows alone, under this title.
  std::string content;
  for (const char* sql : {"SELECT 'run', last FROM chain", "SELECT 'grade', last FROM grade_chain",
                          "SELECT lab, kernel, sha256 FROM fingerprints WHERE student = ''"}) {
    for (SQLite::Statement rows(database, sql); rows.executeStep(); content += '\n') {
      for (int i = 0; i < rows.getColumnCount(); ++i) {
        const std::string text = rows.getColumn(i).getString();
        content += std::to_string(text.size()) + ":" + text + ";";
      }
    }
  }
  SQLite::Statement put(database, "UPDATE head SET sha256 = ?");
  put.bind(1, db::sealed_number("lab head\n" + content, "sesame"));
  put.exec();
  database.exec(kGift);
  const Said all = said(path, "sesame");
  EXPECT_EQ(all.problems, "");
  EXPECT_NE(all.notes.find("adjustment: ada, lab 3: +60 points"), std::string::npos) << all.notes;
}

// A key that somebody sets for the first time believes nothing that was stored before.
TEST_F(Forgeries, AFileThatNoKeySealedFailsWithOne) {
  const std::string problems = said(make("x.db", ""), "sesame").problems;
  for (const char* one : {"\nit is not sealed with the key",
                          "grade 1 (ada, lab 3) was edited: it is not sealed with the key"}) {
    EXPECT_NE(problems.find(one), std::string::npos) << one << " in " << problems;
  }
}

}  // namespace
}  // namespace lab::grade
