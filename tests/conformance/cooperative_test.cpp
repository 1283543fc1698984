// Groups of several warps and of a whole grid: skipped where the toolkit's headers are not.
#include <algorithm>

#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

class Cooperative : public Suite {
 protected:
  Cooperative() : Suite("cooperative.cu", Needs::kToolkitHeaders) {}
};
INSTANTIATE_TEST_SUITE_P(Backends, Cooperative, backends(), backend_name);

TEST_P(Cooperative, TilesOfTwoWarpsAreSynchronised) {
  const auto got = run("wide_tiles", line(1, 256), {out(kI32, 256), in(kI32, 256)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  const auto values = buffer<std::int32_t>(got, 0);
  // Turned around three times, once for each round, which adds 0, 1 and 2.
  for (std::int32_t t = 0; t < 256; ++t) {
    EXPECT_EQ(values[static_cast<std::size_t>(t)], t / 64 * 64 + 63 - t % 64 + 3) << t;
  }
}

TEST_P(Cooperative, TilesOfFourWarpsAgree) {
  const auto got = run("wide_votes", line(1, 256), {out(kI32, 256)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  const auto values = buffer<std::int32_t>(got, 0);
  // Thread 200 is in the second tile; all threads below 128 are the first.
  for (std::size_t t = 0; t < 256; ++t) EXPECT_EQ(values[t], t < 128 ? 6 : 5) << t;
}

TEST_P(Cooperative, AGridWaitsForAllItsBlocks) {
  constexpr std::int32_t kBlocks = 40;
  constexpr std::int32_t kRounds = 3;
  const auto got =
      run("whole_grid", line(kBlocks, 64),
          {out(kI32, kBlocks * 64), zeros(kI32, kBlocks, "partial"), scalar_i32(kRounds)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  // 1 + ... + 40 is 820, then 40 * 820 is 32,800: 800, and 40 * 800 is 32,000: 0.
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t i = 0; i < kBlocks * 64; ++i) {
    EXPECT_EQ(values[static_cast<std::size_t>(i)], i % 64) << i;
  }
}

TEST_P(Cooperative, WarpsAreWholeBehindTheGridsBarrier) {
  constexpr std::int32_t kBlocks = 4;
  const auto got = run("whole_warps_again", line(kBlocks, 64), {out(kI32, kBlocks * 2)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  // Lanes 0 to 31 add up to 496, and the block's number 32 times.
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t warp = 0; warp < kBlocks * 2; ++warp) {
    EXPECT_EQ(values[static_cast<std::size_t>(warp)], 496 + 32 * (warp / 2)) << warp;
  }
}

// Compilers of these toolkits unroll the loop, and lanes leave it in different rounds: a lane's
// last rounds may be another copy's.
TEST_P(Cooperative, UnrolledLoopsThatLanesLeaveApartHaveRoom) {
  if (on_gpu()) GTEST_SKIP() << "the model says how much it may be";
  const auto got = run("every_fifth", line(1, 64), {out(kF32, 64), in(kF32, 64)});
  const auto& all = got.record.observations;
  const auto loads = std::find_if(all.begin(), all.end(), [](const Observation& o) {
    return o.metric == "shared_load_requests";
  });
  ASSERT_NE(loads, all.end());
  ASSERT_TRUE(loads->min && loads->max);
  // Lanes 0 to 3 take 13 rounds, and five each 12, 11, ..., 1: 52 + 5 * 78 loads of one lane. Of
  // the warps, one takes 13 rounds and one 7, at least.
  EXPECT_GE(loads->number(), 13 + 7);
  EXPECT_EQ(*loads->min, loads->number());
  EXPECT_GT(*loads->max, loads->number());
  EXPECT_LE(*loads->max, 52 + 5 * 78);
  ASSERT_FALSE(got.record.notes.machine_code.empty());
  EXPECT_EQ(got.record.notes.machine_code.front().access, "shared_load");
  EXPECT_EQ(got.record.notes.machine_code.front().says.rfind("cooperative.cu:", 0), 0U);
}

}  // namespace
}  // namespace lab::conformance
