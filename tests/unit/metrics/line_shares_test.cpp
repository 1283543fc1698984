#include "metrics/line_shares.h"

#include <gtest/gtest.h>

#include <numeric>

#include "metrics/machine.h"

namespace lab::metrics {
namespace {

LineObservation of_model(int line, const char* metric, double value) {
  return {"k.cu", line, metric, SourceOf::kModel, value};
}

// 2^20 warps of 256 threads' blocks, each with 30 instructions; 256 MiB are read.
Launched streaming() {
  Launched one;
  one.rates = rates_of(data_sheet("sm_90")).value();
  one.shape = {131072, 8, 8};
  one.counts.dram_read_bytes = 268435456;
  one.counts.l2_read_sectors = 8388608;
  one.counts.load_sectors = 8388608;
  one.counts.load_lines = 2097152;
  one.counts.load_requests = 2097152;
  one.facts.warp.instructions = 30;
  one.facts.warp.issue_cycles = 60;
  one.facts.warp.global_rounds = 2;
  return one;
}

double sum_of(const TimeShares& shares) {
  return std::accumulate(shares.lines.begin(), shares.lines.end(), shares.rest,
                         [](double sum, const auto& line) { return sum + line.second; });
}

// Line 3 loads three times as much as line 4; line 5 has most instructions, which hide behind DRAM.
TEST(LineShares, AreOfWhatTheTimeWouldBeLessBy) {
  const LinesCounts lines = {
      {3,
       {of_model(3, "global_load_sectors", 6291456), of_model(3, "global_load_requests", 1572864),
        of_model(3, "global_load_lines", 1572864)}},
      {4,
       {of_model(4, "global_load_sectors", 2097152), of_model(4, "global_load_requests", 524288),
        of_model(4, "global_load_lines", 524288)}},
      {5, {of_model(5, "instructions", 31457280)}}};
  const auto shares = time_shares(streaming(), lines);
  ASSERT_TRUE(shares.has_value());
  EXPECT_NEAR(sum_of(*shares), 1, 1e-9);
  EXPECT_GT(shares->lines.at(3), 2 * shares->lines.at(4));
  EXPECT_GT(shares->lines.at(4), shares->lines.at(5));
  EXPECT_LT(shares->lines.at(5), 0.1);
}

// What is left without any line: the launch, and the starts and ends of its blocks.
TEST(LineShares, TheRestIsAnEmptyKernels) {
  const LinesCounts all = {
      {3,
       {of_model(3, "global_load_sectors", 1), of_model(3, "global_load_requests", 1),
        of_model(3, "global_load_lines", 1), of_model(3, "instructions", 1)}}};
  const Launched launched = streaming();
  const auto shares = time_shares(launched, all);
  Launched empty = launched;
  empty.counts = {};
  empty.facts = {};
  EXPECT_NEAR(shares.value().rest, empty.time().ns / launched.time().ns, 1e-9);
  EXPECT_NEAR(shares->lines.at(3), 1 - shares->rest, 1e-9);
}

// Another source's counts are of the same warps.
TEST(LineShares, AreOfTheModelsCounts) {
  EXPECT_FALSE(time_shares(streaming(), {{3, {{"k.cu", 3, "instructions", SourceOf::kSass, 9}}}})
                   .has_value());
}

}  // namespace
}  // namespace lab::metrics
