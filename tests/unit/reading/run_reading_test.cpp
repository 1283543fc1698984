#include "harness/reading/run_reading.h"

#include <gtest/gtest.h>

namespace lab::reading {
namespace {

CaseRecord case_with(double excess) {
  CaseRecord record;
  Verdict verdict;
  verdict.metric = "instructions";
  verdict.kind = VerdictKind::kAgrees;
  verdict.target = 10;
  verdict.excess = excess;
  record.verdicts = {verdict};
  return record;
}

RunRecord students_run(std::vector<CaseRecord> cases) {
  RunRecord run;
  run.lab = 3;
  run.source_is_labs_own = false;
  run.cases = std::move(cases);
  return run;
}

TEST(RunReading, CasesOfAStudentAreCountedAndTheFurthestIsNamed) {
  CaseRecord failed;  // has no verdicts, and is the student's all the same
  failed.status = CaseStatus::kTimeout;
  CaseRecord skipped;
  skipped.status = CaseStatus::kSkipped;
  const RunReading reading =
      read(students_run({case_with(1), case_with(2), case_with(4), failed, skipped}));
  EXPECT_EQ(reading.standing.cases, 4u);
  EXPECT_EQ(reading.standing.on_target, 1u);
  EXPECT_FALSE(reading.standing.all_on_target());
  EXPECT_EQ(reading.furthest, 2u);
  EXPECT_EQ(reading.failed, 1u);
  EXPECT_EQ(reading.outcomes.at(Outcome::kAboveTarget), 2u);
  EXPECT_EQ(reading.verdicts.agrees, 3u);
}

TEST(RunReading, AllOnTarget) {
  const RunReading reading = read(students_run({case_with(1), case_with(0.5)}));
  EXPECT_TRUE(reading.standing.all_on_target());
  EXPECT_FALSE(reading.furthest);
}

// Of two metrics the one that disagrees comes first, with that case and not the explained one.
TEST(RunReading, AMetricIsSummedUpWithItsWorstCase) {
  const auto judged = [](const std::string& metric, VerdictKind kind) {
    Verdict verdict;
    verdict.metric = metric;
    verdict.kind = kind;
    return verdict;
  };
  RunRecord run;
  run.cases.resize(3);
  run.cases[0].verdicts = {judged("instructions", VerdictKind::kAgrees),
                           judged("l2_read_sectors", VerdictKind::kExplained),
                           judged("duration_ns", VerdictKind::kContext)};
  run.cases[1].verdicts = {judged("l2_read_sectors", VerdictKind::kDisagrees)};
  run.cases[2].verdicts = {judged("l2_read_sectors", VerdictKind::kDisagrees)};
  const auto all = summaries_of(run);
  ASSERT_EQ(all.size(), 2U);  // a context is no comparison
  EXPECT_EQ(all[0].key, "l2_read_sectors");
  EXPECT_EQ(all[0].first, &run.cases[1]);
  EXPECT_EQ(all[0].counts.disagrees, 2U);
  EXPECT_EQ(all[0].counts.explained, 1U);
  EXPECT_EQ(all[1].verdict, nullptr);
}

// Of each variant, 4 x the target before 2 x; a case without a target has none to miss.
TEST(RunReading, AdviceIsOfTheCasesThatMissTheirTargetMost) {
  RunRecord run = students_run({case_with(2), CaseRecord{}, case_with(4), case_with(3)});
  run.cases[3].variant = "other";
  const auto variants = to_advise(run);
  ASSERT_EQ(variants.size(), 2U);
  EXPECT_EQ(variants[0], (std::vector<const CaseRecord*>{&run.cases[2], &run.cases[0]}));
  EXPECT_EQ(variants[1].size(), 1U);
}

// The lab's own kernels have no target, be they as wrong as they may.
TEST(RunReading, TheLabsOwnKernelsHaveNoStanding) {
  RunRecord run = students_run({CaseRecord{}, CaseRecord{}});
  run.source_is_labs_own = true;
  run.cases[1].status = CaseStatus::kWrong;
  EXPECT_EQ(read(run).standing.cases, 0u);
  EXPECT_FALSE(read(run).standing.all_on_target());
}

}  // namespace
}  // namespace lab::reading
