#include "harness/reading/case_reading.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace lab::reading {
namespace {

Verdict judged(const std::string& metric, VerdictKind kind) {
  Verdict verdict;
  verdict.metric = metric;
  verdict.kind = kind;
  return verdict;
}

Verdict targeted(const std::string& metric, double target, double excess) {
  Verdict verdict = judged(metric, VerdictKind::kContext);
  verdict.target = target;
  verdict.excess = excess;
  return verdict;
}

CaseRecord case_of(const std::vector<Verdict>& verdicts) {
  CaseRecord record;
  record.verdicts = verdicts;
  return record;
}

Outcome outcome_of(const std::vector<Verdict>& verdicts) { return read(case_of(verdicts)).outcome; }

TEST(CaseReading, TheWorstVerdictOfTheLabsOwnKernelSaysWhatCameOfIt) {
  const Verdict agrees = judged("global_load_sectors", VerdictKind::kAgrees);
  const Verdict explained = judged("l2_read_sectors", VerdictKind::kExplained);
  const Verdict disagrees = judged("dram_read_bytes", VerdictKind::kDisagrees);
  const Verdict context = judged("duration_ns", VerdictKind::kContext);
  EXPECT_EQ(outcome_of({}), Outcome::kNotCompared);
  EXPECT_EQ(outcome_of({context}), Outcome::kNotCompared);
  EXPECT_EQ(outcome_of({agrees, context}), Outcome::kAgrees);
  EXPECT_EQ(outcome_of({agrees, explained}), Outcome::kExplained);
  EXPECT_EQ(outcome_of({explained, disagrees, agrees}), Outcome::kDisagrees);
  EXPECT_EQ(read(case_of({agrees})).standing, Standing::kNone);
}

TEST(CaseReading, AStudentsKernelStandsToItsTarget) {
  // 64 is 2 x its target of 32 and 3 is the target: the further one counts.
  const CaseReading above =
      read(case_of({targeted("global_load_sectors", 32, 2), targeted("instructions", 3, 1)}));
  EXPECT_EQ(above.outcome, Outcome::kAboveTarget);
  EXPECT_EQ(above.standing, Standing::kAboveTarget);
  EXPECT_EQ(above.furthest->metric, "global_load_sectors");
  EXPECT_EQ(above.furthest->value, 64);
  EXPECT_EQ(outcome_text(above), "2 x target");
  EXPECT_EQ(outcome_of({targeted("instructions", 3, 1)}), Outcome::kOnTarget);
  EXPECT_EQ(outcome_of({targeted("instructions", 3, 0.5)}), Outcome::kOnTarget);
  Verdict unknown = targeted("instructions", 3, 1);
  unknown.excess.reset();
  EXPECT_EQ(outcome_of({unknown}), Outcome::kNoTarget);
}

// Lab 6 never reads its input: each of 8 sectors has to come from L2 once, and 4 were asked for.
// Nothing is above its target, and it is not on target.
TEST(CaseReading, FewerSectorsThanTheTaskNeedsAreTooLittle) {
  std::vector<Verdict> verdicts = {targeted("global_load_sectors", 16, 0.25),
                                   targeted("l2_read_sectors", 8, 0.5)};
  CaseReading reading = read(case_of(verdicts));
  EXPECT_EQ(reading.shortfall, Shortfall::kReads);
  EXPECT_EQ(reading.standing, Standing::kTooLittle);
  EXPECT_EQ(reading.outcome, Outcome::kTooLittle);
  // Half of the target is a better kernel, as long as each sector is read once: 8 of 16.
  verdicts[0].excess = 0.5;
  EXPECT_EQ(outcome_of(verdicts), Outcome::kOnTarget);
  // Much of another metric does not make up for it.
  verdicts[0].excess = 0.25;
  verdicts.push_back(targeted("instructions", 3, 5));
  EXPECT_EQ(outcome_of(verdicts), Outcome::kTooLittle);
}

// Our prediction may be wrong of a kernel that is as good as can be.
TEST(CaseReading, AWrongPredictionLeavesTheStandingAsItIs) {
  const CaseReading reading = read(case_of(
      {targeted("instructions", 3, 1), judged("global_load_sectors", VerdictKind::kDisagrees)}));
  EXPECT_EQ(reading.outcome, Outcome::kDisagrees);
  EXPECT_EQ(reading.standing, Standing::kOnTarget);
}

TEST(CaseReading, AFailedCaseHasItsStatusAndNoOtherStanding) {
  struct Row {
    CaseStatus status;
    Outcome outcome;
    Standing standing;
  };
  const Row rows[] = {{CaseStatus::kWrong, Outcome::kWrong, Standing::kFailed},
                      {CaseStatus::kFinding, Outcome::kFinding, Standing::kFailed},
                      {CaseStatus::kRefused, Outcome::kRefused, Standing::kFailed},
                      {CaseStatus::kError, Outcome::kError, Standing::kFailed},
                      {CaseStatus::kTimeout, Outcome::kTimeout, Standing::kFailed},
                      {CaseStatus::kNotCompiled, Outcome::kNotCompiled, Standing::kFailed},
                      {CaseStatus::kSkipped, Outcome::kSkipped, Standing::kNone}};
  for (const Row& row : rows) {
    CaseRecord record = case_of({targeted("instructions", 3, 1)});
    record.status = row.status;
    EXPECT_EQ(read(record).outcome, row.outcome) << name_of(row.status);
    EXPECT_EQ(read(record).standing, row.standing) << name_of(row.status);
    EXPECT_EQ(name_of(row.outcome), name_of(row.status));
  }
}

TEST(CaseReading, TroubleIsTheStatusWithTheFirstLineOfItsReason) {
  CaseRecord record;
  EXPECT_EQ(trouble_of(record), "");
  record.status = CaseStatus::kTimeout;
  EXPECT_EQ(trouble_of(record), "timeout");
  record.reason = "after 10 s\nin kernel k";
  EXPECT_EQ(trouble_of(record), "timeout: after 10 s");
  record = case_of({targeted("global_load_sectors", 16, 0.25), targeted("l2_read_sectors", 8, 1)});
  EXPECT_EQ(trouble_of(record), "fewer sectors read than the task needs");
}

TEST(CaseReading, AnExpectedFindingIsTheLesson) {
  CaseRecord record = case_of({judged("global_load_sectors", VerdictKind::kAgrees)});
  record.findings.emplace_back();
  EXPECT_EQ(read(record).outcome, Outcome::kExpectedFinding);
}

// Of metrics as far above, a count says more than a ratio made of it.
TEST(CaseReading, ACountComesBeforeARatio) {
  const CaseRecord record = case_of(
      {targeted("global_load_sectors_per_request", 4, 8), targeted("global_load_sectors", 32, 8)});
  EXPECT_EQ(read(record).furthest->metric, "global_load_sectors");
  const CaseRecord turned = case_of({record.verdicts[1], record.verdicts[0]});
  EXPECT_EQ(read(turned).furthest->metric, "global_load_sectors");
}

// A kernel on target is as far in all: its wavefronts are what it is about.
TEST(CaseReading, WhatIsPaidComesBeforeRequests) {
  const CaseRecord record = case_of(
      {targeted("shared_load_requests", 512, 1), targeted("shared_load_wavefronts", 512, 1)});
  EXPECT_EQ(read(record).furthest->metric, "shared_load_wavefronts");
}

// The measured number is what people are shown, else the model's.
TEST(CaseReading, TheValueIsTheMeasuredOne) {
  CaseRecord record = case_of({targeted("global_load_sectors", 32, 2)});
  Observation model;
  model.metric = "global_load_sectors";
  model.value = 60.0;
  record.observations = {model};
  EXPECT_EQ(read(record).furthest->value, 60);
  record.verdicts[0].measured = 64;
  EXPECT_EQ(read(record).furthest->value, 64);
}

// The names stand in SQL and JSON: each is another.
TEST(CaseReading, EveryOutcomeHasANameAndItsNumber) {
  std::set<std::string_view> names;
  int number = 0;
  for (const Outcome outcome : all_outcomes()) {
    EXPECT_EQ(static_cast<int>(outcome), ++number);
    EXPECT_TRUE(names.insert(name_of(outcome)).second) << name_of(outcome);
  }
  EXPECT_EQ(number, static_cast<int>(Outcome::kNotCompiled));
}

}  // namespace
}  // namespace lab::reading
