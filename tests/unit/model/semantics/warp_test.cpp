// Warp operations on lanes that hold their own number, so that a result names its source.
#include "harness/model/semantics/warp.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace lab::model::semantics {
namespace {

using ptx::Sub;

Lanes<std::uint32_t> all(std::uint32_t value) {
  Lanes<std::uint32_t> out{};
  out.fill(value);
  return out;
}
Lanes<std::uint32_t> lane_numbers() {
  Lanes<std::uint32_t> out{};
  for (std::uint32_t i = 0; i < kLanes; ++i) out[i] = i;
  return out;
}
template <Sub kMode>
Shuffled shuffle_all(std::uint32_t b, std::uint32_t c, LaneMask active = ~0U) {
  return shuffle<kMode>(lane_numbers().data(), all(b).data(), all(c).data(), active);
}

// CUDA's __shfl_*_sync(mask, v, n, width) passes c = (32 - width) << 8 | 31, for `up` with 0
// for 31.
constexpr std::uint32_t kWhole = 31;
constexpr std::uint32_t kSegmentsOf8 = (24U << 8U) | 31U;

TEST(Shuffle, Down) {
  const auto got = shuffle_all<Sub::kDown>(3, kWhole);
  for (std::uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(got.values[i], i + 3 < 32 ? i + 3 : i);
  EXPECT_EQ(got.in_range, 0x1fffffffU);  // the last three lanes keep their own
  const auto parts = shuffle_all<Sub::kDown>(3, kSegmentsOf8);
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    EXPECT_EQ(parts.values[i], i % 8 + 3 < 8 ? i + 3 : i);
  }
  EXPECT_EQ(parts.in_range, 0x1f1f1f1fU);
}

TEST(Shuffle, Up) {
  const auto got = shuffle_all<Sub::kUp>(5, 0);
  for (std::uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(got.values[i], i >= 5 ? i - 5 : i);
  EXPECT_EQ(got.in_range, 0xffffffe0U);
  const auto parts = shuffle_all<Sub::kUp>(1, 24U << 8U);
  for (std::uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(parts.values[i], i % 8 >= 1 ? i - 1 : i);
  EXPECT_EQ(parts.in_range, 0xfefefefeU);
}

TEST(Shuffle, ButterflyAndIndex) {
  const auto bfly = shuffle_all<Sub::kBfly>(16, kWhole);
  for (std::uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(bfly.values[i], i ^ 16U);
  EXPECT_EQ(bfly.in_range, ~0U);
  const auto index = shuffle_all<Sub::kIdx>(2, kSegmentsOf8);
  for (std::uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(index.values[i], i / 8 * 8 + 2);
  // An index beyond the segment wraps into it: 10 & 7 = 2.
  EXPECT_EQ(shuffle_all<Sub::kIdx>(10, kSegmentsOf8).values[9], 10U);
  // A clamp of 3 with no segments: sources up to lane 3 are in range.
  const auto clamped = shuffle_all<Sub::kIdx>(5, 3);
  EXPECT_EQ(clamped.in_range, 0U);
  EXPECT_EQ(clamped.values[7], 7U);
  // Only five bits of b count: 35 is 3.
  EXPECT_EQ(shuffle_all<Sub::kIdx>(35, kWhole).values[0], 3U);
  // A butterfly over 8 in segments of 8 leaves them: out of range for the lower half of each pair
  // only, since the clamp bounds from above: lane 0 ^ 8 = 8 > 7, lane 8 ^ 8 = 0 <= 15.
  EXPECT_EQ(shuffle_all<Sub::kBfly>(8, kSegmentsOf8).in_range, 0xff00ff00U);
}

TEST(Shuffle, ReportsLanesThatReadInactiveOnes) {
  // Lanes 0..15 are active; those from 12 on read 16..19.
  const auto got = shuffle_all<Sub::kDown>(4, kWhole, 0xffffU);
  EXPECT_EQ(bad_shuffle_sources<Sub::kDown>(all(4).data(), all(kWhole).data(), 0xffffU), 0xf000U);
  EXPECT_EQ(bad_shuffle_sources<Sub::kDown>(all(4).data(), all(kWhole).data(), ~0U), 0U);
  EXPECT_EQ(got.in_range, 0xffffU);
}

TEST(Vote, OverMembersAlone) {
  EXPECT_EQ(vote<Sub::kBallot>(0xf0f0U, 0x0ff0U), 0x00f0U);
  EXPECT_EQ(vote<Sub::kAll>(0xfff0U, 0x0ff0U), 1U);
  EXPECT_EQ(vote<Sub::kAll>(0xf0f0U, 0x0ff0U), 0U);
  EXPECT_EQ(vote<Sub::kAny>(0x8000U, 0x0ff0U), 0U);
  EXPECT_EQ(vote<Sub::kAny>(0x0010U, 0x0ff0U), 1U);
  EXPECT_EQ(vote<Sub::kUniVote>(0xf000U, 0x0ff0U), 1U);  // none
  EXPECT_EQ(vote<Sub::kUniVote>(0x0ff0U, 0x0ff0U), 1U);
  EXPECT_EQ(vote<Sub::kUniVote>(0x0010U, 0x0ff0U), 0U);
}

TEST(Match, GroupsLanesByValue) {
  Lanes<std::uint32_t> values{};
  for (std::uint32_t i = 0; i < kLanes; ++i) values[i] = i % 3;
  const auto groups = match_any(values.data(), 0x1ffU);  // lanes 0..8
  EXPECT_EQ(groups[0], 0b001001001U);
  EXPECT_EQ(groups[4], 0b010010010U);
  EXPECT_EQ(groups[8], 0b100100100U);
  EXPECT_EQ(groups[9], 0U);
  EXPECT_EQ(match_all(values.data(), 0b001001001U), 0b001001001U);
  EXPECT_EQ(match_all(values.data(), 0b011U), 0U);
  Lanes<std::uint64_t> wide{};
  wide[5] = std::uint64_t{1} << 40U;  // differs in the upper half alone
  EXPECT_EQ(match_any(wide.data(), ~0U)[0], ~(1U << 5U));
  EXPECT_EQ(match_all(wide.data(), ~0U), 0U);
}

TEST(Redux, EveryOperation) {
  Lanes<std::uint32_t> values{};
  for (std::uint32_t i = 0; i < kLanes; ++i) values[i] = i + 1;
  EXPECT_EQ((redux<Sub::kAdd>(values.data(), ~0U)), 528U);  // 32 * 33 / 2
  EXPECT_EQ((redux<Sub::kAdd>(values.data(), 0x9U)), 5U);   // 1 + 4
  EXPECT_EQ((redux<Sub::kMax>(values.data(), 0xffU)), 8U);
  EXPECT_EQ((redux<Sub::kMin>(values.data(), 0xf0U)), 5U);
  EXPECT_EQ((redux<Sub::kAnd>(values.data(), 0x6U)), 2U);  // 2 & 3
  EXPECT_EQ((redux<Sub::kOr>(values.data(), 0x9U)), 5U);   // 1 | 4
  EXPECT_EQ((redux<Sub::kXor>(values.data(), 0x7U)), 0U);  // 1 ^ 2 ^ 3
  Lanes<std::int32_t> negative{};
  negative[3] = -7;
  negative[4] = 7;
  EXPECT_EQ((redux<Sub::kMin>(negative.data(), ~0U)), -7);
  EXPECT_EQ((redux<Sub::kMax>(negative.data(), 0x8U)), -7);
  const auto large = all(0x80000000U);
  EXPECT_EQ((redux<Sub::kAdd>(large.data(), 0x3U)), 0U);  // wraps
}

TEST(Elect, TheLowestLane) {
  EXPECT_EQ(elect(0x30U), 4U);
  EXPECT_EQ(elect(0x80000000U), 31U);
}

}  // namespace
}  // namespace lab::model::semantics
