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
  ASSERT_EQ(time_lines({&record}).size(), 1U);
  EXPECT_EQ(time_lines({&record})[0].name, "measured");
  EXPECT_EQ(time_lines({&record})[0].values[0], 999.7);
  record.observations.push_back(cli::observed("duration_ns", SourceOf::kTheory, 30700));
  const auto lines = time_lines({&record});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].name, "bound");
  EXPECT_EQ(lines[0].values[0], 30.7);
  record.timing.reset();
  EXPECT_TRUE(time_lines({&record}).empty());
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
