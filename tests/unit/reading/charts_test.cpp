#include "harness/reading/charts.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/sample_run.h"

namespace lab::reading {
namespace {

// 1, 2, 4, ..., 32: powers of two up to 32 times the least. Ways of 1 and 65 are more than 64 times
// apart.
TEST(Charts, AxesAreLogarithmicWhereTheLeastWouldLieAtTheirBeginning) {
  RunRecord run = cli::sample_run();
  run.cases.clear();
  for (const int stride : {1, 2, 4, 8, 16, 32}) run.cases.push_back(cli::sample_case(stride, 1, 1));
  const auto curve = [&] {
    const auto sections = sections_of(run);
    return curve_chart(sections.front(), sweep_of(sections.front()).value(), "shared_load_ways");
  };
  EXPECT_TRUE(curve().x.log);
  EXPECT_FALSE(curve().y.log);
  EXPECT_EQ(curve().series.size(), 2U);  // theory and model, though they are equal
  run.cases[5] = cli::sample_case(33, 65, 65);
  EXPECT_FALSE(curve().x.log);
  EXPECT_TRUE(curve().y.log);
}

TEST(Charts, BarsCompareTheSameWorkByTimeElseByAMetric) {
  RunRecord run = cli::sample_run();
  run.cases = {cli::sample_case(2, 2, 2), cli::sample_case(2, 1, 1)};
  run.cases[1].variant = "padded";
  const std::vector<std::string> metrics = {"instructions", "shared_load_ways"};
  auto bars = bars_chart(sections_of(run), metrics);
  ASSERT_TRUE(bars);
  EXPECT_EQ(bars->title, "n-way bank conflict, load, one case of each variant");
  ASSERT_EQ(bars->series[0].points.size(), 2U);
  EXPECT_EQ(bars->series[0].points[0].y, 1);  // the least first
  EXPECT_EQ(bars->series[0].points[1].y, 2);
  EXPECT_EQ(bars->series[0].points[0].name, "padded");
  for (CaseRecord& record : run.cases) record.timing.emplace().median_ns = 3000;
  bars = bars_chart(sections_of(run), metrics);
  EXPECT_EQ(bars->title, "time, one case of each variant");
  EXPECT_EQ(bars->series[0].points[0].y, 3);  // us
  run.cases[1].params.set("stride", std::int64_t{4});
  EXPECT_FALSE(bars_chart(sections_of(run), metrics));
}

// Nine values that are not equal; intervals and zeros have no place on the line.
TEST(Charts, AgreementIsOfExactNumbers) {
  RunRecord run = cli::sample_run();
  run.cases.clear();
  for (int i = 1; i <= 9; ++i) run.cases.push_back(cli::sample_case(i, i, i));
  const auto dots = agreement_chart(run);
  ASSERT_TRUE(dots);
  EXPECT_EQ(dots->series[0].points.size(), 9U);
  EXPECT_EQ(dots->against[0].points[1].x, 9);
  EXPECT_EQ(dots->y.title, "model");
  run.cases[0] = cli::sample_case(1, 0, 0);
  run.cases.pop_back();
  EXPECT_FALSE(agreement_chart(run));  // 7 are left
}

// 8e11 instructions a second over 4e12 bytes a second: the ridge is at 0.2.
TEST(Charts, TheRooflineNeedsAMachineAndTwoCases) {
  RunRecord run = cli::sample_run();
  for (CaseRecord& record : run.cases) {
    record.timing.emplace().median_ns = 1000;
    for (const char* key : {"instructions", "dram_read_bytes", "dram_write_bytes"}) {
      record.observations.push_back(cli::observed(key, SourceOf::kCupti, 500));
    }
    metrics::note_measured(record);
  }
  EXPECT_FALSE(roofline_chart(sections_of(run), {}));
  metrics::Machine machine;
  machine.size.sms = 100;
  machine.ceilings = {{"dram_read", 4e12, "byte/s", ""},
                      {"dram_write", 4e12, "byte/s", ""},
                      {"dram_copy", 4e12, "byte/s", ""},
                      {"instructions", 4, "1/clock", ""},
                      {"sm_clock", 2000, "MHz", ""}};
  const auto dots = roofline_chart(sections_of(run), machine);
  ASSERT_TRUE(dots);
  EXPECT_EQ(dots->series[0].points[0].x, 0.5);           // 500 instructions of 1000 bytes
  EXPECT_EQ(dots->series[0].points[0].y, 0.5);           // 500 in 1000 ns
  EXPECT_EQ(dots->against[0].points[1].x, 8e11 / 4e12);  // 4 * 100 * 2e9 a second
  run.cases.pop_back();
  EXPECT_FALSE(roofline_chart(sections_of(run), machine));
}

}  // namespace
}  // namespace lab::reading
