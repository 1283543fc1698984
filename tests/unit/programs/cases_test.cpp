#include "harness/programs/serve/cases.h"

#include <gtest/gtest.h>

#include <vector>

namespace lab::program {
namespace {

constexpr auto kLooked = Looked::kFull;

CaseOutcome launch(double sectors, double instructions = 100, std::uint32_t blocks = 4) {
  CaseOutcome outcome;
  outcome.record.kernel = "copy";
  outcome.record.launch = {{blocks, 1, 1}, {256, 1, 1}, 0};
  outcome.record.observations = {
      {std::string(metric::kGlobalLoadSectors), SourceOf::kModel, sectors},
      {std::string(metric::kInstructions), SourceOf::kModel, instructions}};
  return outcome;
}

std::vector<CaseRecord> all_of(Cases& cases) {
  std::vector<CaseRecord> all;
  cases.hand_over([&](CaseOutcome outcome) { all.push_back(std::move(outcome.record)); });
  return all;
}

TEST(Cases, LaunchesThatCostTheSameAreOne) {
  Cases cases(false);
  cases.add(launch(1000), kLooked, "a");
  cases.add(launch(1010), kLooked, "b");        // 1 %
  cases.add(launch(1000, 1, 8), kLooked, "c");  // another shape
  EXPECT_EQ(cases.launches(), (std::vector<std::uint64_t>{2, 1}));
}

TEST(Cases, ALaunchThatCostsSomethingElseIsOneOfItsOwn) {
  Cases cases(false);
  cases.add(launch(1000), kLooked, "a");
  cases.add(launch(1011), kLooked, "b");
  cases.add(launch(989), kLooked, "c");
  cases.add(launch(1012), kLooked, "d");  // as b, within 1 %
  EXPECT_EQ(cases.launches(), (std::vector<std::uint64_t>{1, 2, 1}));
  for (const CaseRecord& record : all_of(cases)) {
    EXPECT_EQ(record.notes.launches_count, "");
  }
}

TEST(Cases, ARepeatedLaunchIsCountedWhereItWasBefore) {
  Cases cases(false);
  cases.add(launch(1000), kLooked, "a");
  cases.add(launch(2000), kLooked, "b");
  cases.add_again("b");
  EXPECT_EQ(cases.launches(), (std::vector<std::uint64_t>{1, 2}));
}

TEST(Cases, TheLastOfManyTakesTheOthersAndSaysSo) {
  Cases cases(false);
  for (int i = 1; i <= 10; ++i) cases.add(launch(1000.0 * i), kLooked, std::to_string(i));
  EXPECT_EQ(cases.launches(), (std::vector<std::uint64_t>{1, 1, 1, 1, 1, 1, 1, 3}));
  EXPECT_EQ(all_of(cases).back().notes.launches_count,
            "8000 to 10000 global_load_sectors, where the first has 8000");
}

TEST(Cases, InstructionsAloneMakeNoRow) {
  Cases cases(false);
  cases.add(launch(1000, 100), kLooked, "a");
  cases.add(launch(1000, 300), kLooked, "b");
  EXPECT_EQ(cases.launches(), (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(all_of(cases).front().notes.launches_differ, "1 to 3");
}

// Of launches that share a case, and of one that repeats another: 1000 + 1010 + 2000 + 2000.
TEST(Cases, TotalsAreOfAllLaunches) {
  Cases cases(false, true);
  cases.add(launch(1000), kLooked, "a");
  cases.add(launch(1010), kLooked, "b");
  cases.add(launch(2000), kLooked, "c");
  cases.add_again("c");
  const auto of = [&](std::string_view metric) -> const Observation* {
    static std::vector<Observation> all;
    all = cases.totals();
    for (const Observation& one : all) {
      if (one.metric == metric) return &one;
    }
    return nullptr;
  };
  EXPECT_EQ(of(metric::kGlobalLoadSectors)->number(), 6010);
  CaseOutcome uncounted = launch(0);
  uncounted.record.observations[0].value = Missing{NoValue::kNotCounted};
  cases.add(std::move(uncounted), kLooked, "d");
  EXPECT_FALSE(of(metric::kGlobalLoadSectors)->has_value());
  EXPECT_EQ(Cases(false).totals().size(), 0U);
}

// What follows from the compiled kernel is the same in each launch, and no sum.
TEST(Cases, WhatIsNotCountedIsInNoTotal) {
  Cases cases(false, true);
  CaseOutcome outcome = launch(1000);
  outcome.record.observations.push_back(
      {std::string(metric::kRegistersPerThread), SourceOf::kModel, 32.0});
  cases.add(std::move(outcome), kLooked, "a");
  for (const Observation& one : cases.totals()) EXPECT_NE(one.metric, metric::kRegistersPerThread);
}

TEST(Cases, CasesOfWhichAGpuSaysNothingAreSkippedThere) {
  Cases cases(false);
  cases.add(launch(1000), kLooked, "a");
  cases.add_measured(launch(1000).record);
  cases.add(launch(2000), kLooked, "b");
  const std::vector<CaseRecord> measured = cases.measured();
  ASSERT_EQ(measured.size(), 2U);
  EXPECT_EQ(measured[0].status, CaseStatus::kOk);
  EXPECT_EQ(measured[1].status, CaseStatus::kSkipped);
  EXPECT_EQ(measured[1].index, 1);
}

}  // namespace
}  // namespace lab::program
