#include "db/verify.h"

#include <gtest/gtest.h>

#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

std::string text_of(const std::vector<Difference>& differences) {
  std::string text;
  for (const Difference& d : differences) {
    text += std::to_string(d.index) + " " + d.what + ": " + d.stored + " -> " + d.found + "\n";
  }
  return text;
}

struct Verify : testing::Test {
  void SetUp() override {
    RunRecord run = full_run();
    run.cases = {full_case(0), stride_case(1, 2, 2)};
    Store open = Store::open(path, Mode::kCreate);
    store(open, run);
  }
  std::string problems() {
    Store open = Store::open(path, Mode::kReadOnly);
    std::string text;
    for (const std::string& problem : check_file(open)) text += problem + "\n";
    return text;
  }
  // What an edited stored run differs in from what was run.
  std::string after(const std::string& edit) {
    raw_sql(path, edit);
    const RunRecord run = Store::open(path, Mode::kReadOnly).load_run("last");
    const bool same_program = true;
    return text_of(differences(run.cases.at(0), full_case(0), same_program)) +
           text_of(differences(run.cases.at(1), stride_case(1, 2, 2), same_program));
  }
  TempFolder folder;
  std::string path = folder.file("x.db");
};

TEST_F(Verify, AnUntouchedDatabaseHasNothing) {
  EXPECT_EQ(problems(), "");
  EXPECT_EQ(after("SELECT 1"), "");
}

TEST_F(Verify, AnEditedKernelTextIsFound) {
  raw_sql(path, "UPDATE sources SET text = text || ' '");
  EXPECT_EQ(problems(), "the kernel text kept as " + raw_value(path, "SELECT sha256 FROM sources") +
                            " was edited\n");
}

// All that stores a row fails then, as it would by a fault of lab's.
TEST_F(Verify, WhatKeepsRowsOutIsFound) {
  raw_sql(path, "CREATE INDEX quick ON runs(student)");  // it only costs time
  EXPECT_EQ(problems(), "");
  raw_sql(path, "CREATE UNIQUE INDEX one_each ON runs(lab, backend)");
  EXPECT_EQ(problems(),
            "the index 'one_each' of the table runs is not lab's: it can keep rows out\n");
  raw_sql(path, "DROP INDEX one_each");
  raw_sql(path, "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'runs'");
  EXPECT_NE(problems().find("the numbers of runs are at their end: no row can be added"),
            std::string::npos);
}

TEST_F(Verify, ALostRowIsFound) {
  raw_sql(path, "PRAGMA foreign_keys = OFF; DELETE FROM cases WHERE position = 1");
  // Left behind: the case's verdict and reading, theory's and the model's value.
  EXPECT_EQ(problems(),
            "a row of observations refers to a row that is not there\n"
            "a row of observations refers to a row that is not there\n"
            "a row of readings refers to a row that is not there\n"
            "a row of verdicts refers to a row that is not there\n");
}

TEST_F(Verify, AnEditedValueIsFound) {
  EXPECT_EQ(after("UPDATE observations SET value = 1 WHERE source = 2 AND value = 2"),
            "1 model shared_load_wavefronts: 1 -> 2\n");
}

TEST_F(Verify, TheLastDigitCounts) {
  EXPECT_EQ(after("UPDATE observations SET value = 2.0000000000000004 WHERE value = 2"),
            "1 theory shared_load_wavefronts: 2.0000000000000004 -> 2\n"
            "1 model shared_load_wavefronts: 2.0000000000000004 -> 2\n");
}

TEST_F(Verify, AValueMadeMissingIsFound) {
  EXPECT_EQ(after("UPDATE observations SET value = NULL, missing = 'sampled' WHERE source = 2"
                  " AND value = 2"),
            "1 model shared_load_wavefronts: missing: sampled -> 2\n");
}

TEST_F(Verify, AnEditedOutcomeIsFound) {
  EXPECT_EQ(after("UPDATE cases SET status = 1, correct = 1 WHERE position = 0;"
                  "DELETE FROM findings WHERE kind = 4;"
                  "UPDATE cases SET correct = NULL, kernel = 'other' WHERE position = 1"),
            "0 status: ok -> finding\n"
            "0 output: correct -> incorrect\n"
            "0 findings: trap at line 0 -> shared_race at line 17, trap at line 0\n"
            "1 output: not checked -> correct\n"
            "1 kernel: other -> stride\n");
}

TEST_F(Verify, AnEditedVerdictIsFound) {
  EXPECT_EQ(after("UPDATE verdicts SET kind = 1, theory = 1056, theory_high = NULL, target = 1,"
                  " excess = 1 WHERE kind = 2"),
            "0 verdict of shared_load_wavefronts: agrees -> explained\n"
            "0 theory of shared_load_wavefronts: 1056 -> 1024\n"
            "0 upper end of theory of shared_load_wavefronts: none -> 2048.5\n"
            "0 target of shared_load_wavefronts: 1 -> 512\n"
            "0 excess of shared_load_wavefronts: 1 -> 2.0625\n");
}

// An earlier version counted no access of a spilled register: 0. This one says that it cannot.
TEST_F(Verify, AnotherVersionMayCountWhatThisOneCannot) {
  CaseRecord stored = full_case(0);
  stored.observations.push_back({"local_load_requests", SourceOf::kModel, 0.0});
  CaseRecord fresh = full_case(0);
  fresh.observations.push_back(
      {"local_load_requests", SourceOf::kModel, Missing{NoValue::kNotCounted, "spilled"}});
  EXPECT_EQ(text_of(differences(stored, fresh)), "");
  EXPECT_NE(text_of(differences(stored, fresh, true)), "");
  // A value that is there is held, and so is one that is missing for another reason.
  fresh.observations.back().value = 3.0;
  EXPECT_NE(text_of(differences(stored, fresh)), "");
  fresh.observations.back().value = Missing{NoValue::kSampled, ""};
  EXPECT_NE(text_of(differences(stored, fresh)), "");
}

TEST_F(Verify, AnotherVersionMayMakeMoreOrFewerFindingsOfOneMistake) {
  CaseRecord stored = full_case(0);
  stored.findings.resize(1);
  EXPECT_EQ(text_of(differences(stored, full_case(0))), "");
  EXPECT_NE(text_of(differences(stored, full_case(0), true)), "");
  stored.findings.clear();
  EXPECT_EQ(text_of(differences(stored, full_case(0))), "0 findings: none -> some\n");
}

TEST_F(Verify, MeasurementsAndNewMetricsAreNoDifference) {
  CaseRecord fresh = stride_case(1, 2, 2);
  fresh.observations.push_back({"local_load_requests", SourceOf::kModel, 5.0});
  CaseRecord stored = stride_case(1, 2, 2);
  stored.observations.push_back({"shared_load_wavefronts", SourceOf::kSass, 2.0});
  EXPECT_EQ(text_of(differences(stored, fresh)), "");
}

// A later version has a formula of a metric that had none, and judges it.
TEST_F(Verify, WhatNobodyJudgedThenIsNoDifferenceNow) {
  const CaseRecord fresh = stride_case(1, 2, 2);
  CaseRecord stored = fresh;
  stored.verdicts.front().kind = VerdictKind::kNone;
  stored.verdicts.front().theory.reset();
  EXPECT_EQ(text_of(differences(stored, fresh)), "");
  EXPECT_NE(text_of(differences(stored, fresh, true)), "");
}

// A stored `agrees` of which the program of today says that it explains no more than any value
// would, where the model's interval is LOW to HIGH and the theory has none.
CaseRecord agreed_with(double low, double high) {
  CaseRecord stored = stride_case(1, 2, 2);
  stored.verdicts.front().theory.reset();
  stored.observations = {{"shared_load_wavefronts", SourceOf::kModel, low, low, high}};
  return stored;
}
CaseRecord judged_today(CaseRecord stored) {
  stored.verdicts.front().kind = VerdictKind::kContext;
  return stored;
}

TEST_F(Verify, AnOldAgreementIsPassedOverWhereItsIntervalSaidNothing) {
  const CaseRecord wide = agreed_with(10, 20.5);  // over twice its lower end
  EXPECT_EQ(text_of(differences(wide, judged_today(wide))), "");
  const CaseRecord from_zero = agreed_with(0, 3);
  EXPECT_EQ(text_of(differences(from_zero, judged_today(from_zero))), "");
}

// One who writes `agrees` over another verdict has the wide interval to forge, too: it is run
// again.
TEST_F(Verify, AForgedAgreementIsFound) {
  const CaseRecord narrow = agreed_with(10, 20);  // twice its lower end: that does say something
  EXPECT_EQ(text_of(differences(narrow, judged_today(narrow))),
            "1 verdict of shared_load_wavefronts: agrees -> context\n");
  CaseRecord widened = agreed_with(10, 20.5);
  EXPECT_EQ(text_of(differences(widened, judged_today(narrow))),
            "1 model shared_load_wavefronts: 10 [10, 20.5] -> 10 [10, 20]\n");
  // By the program that wrote it nothing is passed over.
  const bool same_program = true;
  EXPECT_EQ(text_of(differences(widened, judged_today(widened), same_program)),
            "1 verdict of shared_load_wavefronts: agrees -> context\n");
  // A verdict that is not `agrees` was never too kind.
  CaseRecord disagreed = widened;
  disagreed.verdicts.front().kind = VerdictKind::kDisagrees;
  EXPECT_EQ(text_of(differences(disagreed, judged_today(widened))),
            "1 verdict of shared_load_wavefronts: disagrees -> context\n");
}

TEST_F(Verify, TheFreshCaseIsJudgedWithTheStoredMeasurements) {
  CaseRecord stored = stride_case(1, 2, 2);
  stored.observations.push_back({"shared_load_wavefronts", SourceOf::kSass, 7.0});
  stored.timing = Timing{1, 1, 1, {1}, "cuda events"};
  const CaseRecord both = with_measurements(stride_case(1, 2, 3), stored);
  ASSERT_EQ(both.observations.size(), 3u);
  EXPECT_EQ(both.observations[1].number(), 3);  // the model's own, not the stored one
  EXPECT_EQ(both.observations[2], stored.observations[2]);
  EXPECT_EQ(both.timing, stored.timing);
}

TEST_F(Verify, AReplayHasAllThatARunNeeds) {
  RunRecord run = Store::open(path, Mode::kReadOnly).load_run("last");
  run.seed = 18446744073709551615U;
  run.arch = "sm_80";
  const Replay replay = replay_of(run);
  EXPECT_EQ(replay.batch.lab, 4);
  EXPECT_EQ(replay.batch.source.name, "mine.cu");
  EXPECT_EQ(replay.batch.source.text, full_run().source_text);
  EXPECT_EQ(replay.batch.arch, "sm_80");
  EXPECT_EQ(replay.batch.seed, 18446744073709551615u);
  ASSERT_EQ(replay.batch.cases.size(), 2u);
  EXPECT_EQ(replay.batch.cases[1].index, 1);
  EXPECT_EQ(replay.batch.cases[1].variant, "stride");
  EXPECT_EQ(replay.batch.cases[1].params, (Params{{"stride", std::int64_t{2}}}));
  EXPECT_TRUE(replay.left_out.empty());
}

TEST_F(Verify, WhatCannotBeRunAgainIsLeftOutWithItsReason) {
  RunRecord run = full_run();
  CaseRecord measured = stride_case(5, 2, 2);
  measured.observations = {
      {"shared_load_wavefronts", SourceOf::kSass, 2.0},
      {"shared_load_wavefronts", SourceOf::kModel, Missing{NoValue::kNotModelled}}};
  run.cases = {measured};
  EXPECT_EQ(replay_of(run).left_out.at(0).index, 5);
  EXPECT_EQ(replay_of(run).left_out.at(0).reason, "it has no values of the model");
  run.cases = {stride_case(0, 1, 1)};
  run.cases[0].status = CaseStatus::kTimeout;
  EXPECT_EQ(replay_of(run).left_out.at(0).reason, "it was ended by the clock");
  EXPECT_TRUE(replay_of(run).batch.cases.empty());
  run.lab = 0;
  run.seed.reset();
  run.cases = {stride_case(0, 1, 1)};
  EXPECT_EQ(replay_of(run).left_out.at(0).reason,
            "a probe or a program: its arguments and files are not stored");
  EXPECT_TRUE(replay_of(run).batch.cases.empty());
  EXPECT_EQ(replay_of(run).batch.seed, 1u);  // the default of `lab run`
}

}  // namespace
}  // namespace lab::db
