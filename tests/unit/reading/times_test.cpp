#include "harness/reading/times.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/sample_run.h"

namespace lab::reading {
namespace {

CaseRecord timed(const std::string& variant, double ns, double rate) {
  CaseRecord record;
  record.variant = variant;
  record.timing.emplace().median_ns = ns;
  record.observations.push_back(cli::observed("effective_bandwidth", SourceOf::kCupti, rate));
  return record;
}

TEST(Times, TheBoundIsTheoryOfTheRunAndStandsWhereItIsKnown) {
  CaseRecord record = timed("a", 999700, 1);
  ASSERT_EQ(times_of({&record}).lines.size(), 1U);
  EXPECT_EQ(times_of({&record}).lines[0].name, "measured");
  EXPECT_EQ(times_of({&record}).lines[0].values[0], 999.7);
  record.observations.push_back(cli::observed("duration_ns", SourceOf::kTheory, 30700));
  const Times times = times_of({&record});
  ASSERT_EQ(times.lines.size(), 2U);
  EXPECT_EQ(times.title, "time, us");
  EXPECT_EQ(times.lines[0].name, "bound");
  EXPECT_EQ(times.lines[0].values[0], 30.7);
  record.timing.reset();
  EXPECT_TRUE(times_of({&record}).lines.empty());
}

ExpectedTime expected(double ns) {
  ExpectedTime one;
  one.ns = ns;
  one.sets = TimeTerm::kL2Stores;
  one.reason = "a store touches 32 lines";
  one.gpu = "NVIDIA H200";
  one.origin = "data sheet";
  return one;
}

// A bound looks like a result where nothing is measured: it stays away.
TEST(Times, WithoutAMeasurementWhatIsExpectedStandsAlone) {
  CaseRecord record;
  record.observations.push_back(cli::observed("duration_ns", SourceOf::kTheory, 30700));
  record.expected = expected(264000);
  CaseRecord other;
  other.expected.emplace().reason = "the model did not run it";
  const Times times = times_of({&record, &other});
  EXPECT_EQ(times.title, "expected on an H200");
  EXPECT_FALSE(times.measured);
  ASSERT_EQ(times.lines.size(), 1U);
  EXPECT_EQ(times.lines[0].values[0], 264);
  EXPECT_EQ(times.lines[0].values[1], std::nullopt);
  EXPECT_TRUE(times_of({&other}).lines.empty());
}

TEST(Times, WhatIsExpectedStandsBesideTheMeasurement) {
  CaseRecord record = timed("a", 999700, 1);
  record.expected = expected(264000);
  const Times times = times_of({&record});
  EXPECT_EQ(times.title, "time, us");
  ASSERT_EQ(times.lines.size(), 2U);
  EXPECT_EQ(times.lines[0].name, "expected");
  EXPECT_EQ(times.lines[1].name, "measured");
}

TEST(Times, AreToldWithWhatSetsThem) {
  CaseRecord record;
  EXPECT_EQ(expected_text(record), "");
  record.expected = expected(264000);
  EXPECT_EQ(expected_text(record),
            "264 us on an H200 (data sheet: not calibrated): a store touches 32 lines");
  record.expected->calibrated = true;
  record.expected->within = 0.12;
  record.expected->off = TimeFlaw::kReload;
  EXPECT_EQ(expected_text(record),
            "264 us on an H200, within 12 %: a store touches 32 lines; not in the rules: a block "
            "loads what it has just stored, and waits for it; it may take twice as long");
  record.expected = ExpectedTime{};
  record.expected->reason = "its blocks wait for each other";
  EXPECT_EQ(expected_text(record), "no time is expected: its blocks wait for each other");
}

// One sentence for each part of the chip, and for each reason that there is none.
TEST(Times, AreToldOncePerCause) {
  std::vector<CaseRecord> cases(4);
  for (CaseRecord& record : cases) record.expected = expected(1000);
  cases[1].expected->ns = 2000;
  cases[2].expected->sets = TimeTerm::kDram;
  cases[3].expected = ExpectedTime{};
  const auto told = told_times({"a", {&cases[0], &cases[1], &cases[2], &cases[3]}, {}, {}});
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[1].first, &cases[2]);
}

TEST(Times, GpusAreCalledAsPeopleSay) {
  EXPECT_EQ(gpu_in_words("NVIDIA H200"), "an H200");
  EXPECT_EQ(gpu_in_words("GeForce RTX 3090"), "an RTX 3090");
  EXPECT_EQ(gpu_in_words("NVIDIA GeForce RTX 3090"), "an RTX 3090");
  EXPECT_EQ(gpu_in_words("Tesla T4"), "a T4");
}

// 1200 of 4800 GB/s.
TEST(Times, ARateIsHeldAgainstThePeakWhereThatIsKnown) {
  const CaseRecord record = timed("a", 1, 1200);
  Shown shown{{}, Detail::kBrief, "effective_bandwidth"};
  EXPECT_EQ(rate_lines({&record}, shown).size(), 1U);
  shown.peak = 4800;
  EXPECT_EQ(rate_lines({&record}, shown).at(1).values[0], 25);
  EXPECT_TRUE(rate_lines({}, shown).empty());
}

// 1.5 times as fast is far apart; a launch of 5 us and less says nothing of its kernel.
TEST(Times, TheSlowestIsFarBehindAndNoMereLaunch) {
  const auto slowest = [](double ns, double rate) {
    RunRecord run;
    run.cases = {timed("a", 10000, 1500), timed("b", ns, rate)};
    const auto sections = sections_of(run);
    const auto found = slowest_of(sections);
    return found ? found->section->variant : "";
  };
  EXPECT_EQ(slowest(10000, 1000), "b");
  EXPECT_EQ(slowest(10000, 1001), "");
  EXPECT_EQ(slowest(4999, 1000), "");
}

}  // namespace
}  // namespace lab::reading
