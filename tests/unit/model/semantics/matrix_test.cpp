// Sums of products as tensor cores round them, by cases that tell the rule from its neighbours; and
// the states of an mbarrier.
#include "harness/model/semantics/matrix.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "harness/model/semantics/mbarrier.h"

namespace lab::model::semantics {
namespace {

std::uint32_t half(double value) { return narrow<F16, ptx::Round::kRn>(value); }
std::uint32_t single(double value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// c + the sum of a[i] * b[i], the factors f16.
template <typename Acc>
typename Acc::Bits sum_of(std::uint32_t c, const std::vector<std::pair<double, double>>& products) {
  std::vector<Factor> a;
  std::vector<Factor> b;
  for (const auto& [x, y] : products) {
    a.push_back(factor<F16>(half(x)));
    b.push_back(factor<F16>(half(y)));
  }
  return round_sum<Acc>(aligned_sum<F16::kFractionBits, Acc::kFractionBits>(
      a.data(), b.data(), a.size(), factor<Acc>(c)));
}
using Products = std::vector<std::pair<double, double>>;

TEST(MatrixSum, IsExactWhereAllBitsFit) {
  EXPECT_EQ(sum_of<F32>(single(5), Products{{3, 4}, {-2, 8}, {0, 60000}}), single(1));
  EXPECT_EQ(sum_of<F32>(single(0), Products{{3, -3}, {3, 3}}), single(0));
  EXPECT_EQ(sum_of<F32>(single(0), Products{{65504, 65504}}), single(65504.0 * 65504.0));
  // The smallest halves: 2^-24 * 2^-24.
  EXPECT_EQ(sum_of<F32>(0, Products{{0x1p-24, 0x1p-24}}), single(0x1p-48));
}

TEST(MatrixSum, KeepsTwoBitsBelowThoseOfTheLargestTerm) {
  // Beside 1 the lowest bit kept is 2^-25: two of them are a bit of neither result, four are.
  EXPECT_EQ(sum_of<F32>(single(1), Products(4, {0x1p-12, 0x1p-13})), single(1 + 0x1p-23));
  EXPECT_EQ(sum_of<F32>(single(1), Products(2, {0x1p-12, 0x1p-13})), single(1));
  // Lower bits are cut off before they can add up to anything.
  EXPECT_EQ(sum_of<F32>(single(1), Products(8, {0x1p-13, 0x1p-13})), single(1));
  EXPECT_EQ(sum_of<F32>(single(1), Products(16, {0x1p-13, 0x1p-14})), single(1));
}

TEST(MatrixSum, IsCutOffTowardsZeroInF32) {
  // 1 + 3 * 2^-25 is nearer to 1 + 2^-23, and -1 - 3 * 2^-25 likewise.
  EXPECT_EQ(sum_of<F32>(single(1), Products(3, {0x1p-12, 0x1p-13})), single(1));
  EXPECT_EQ(sum_of<F32>(single(-1), Products(3, {0x1p-12, -0x1p-13})), single(-1));
  // Each term is cut off by itself: 1 - 2^-26 is 1.
  EXPECT_EQ(sum_of<F32>(single(1), Products{{-0x1p-13, 0x1p-13}}), single(1));
}

TEST(MatrixSum, IsRoundedToNearestEvenInF16) {
  // Half a unit of 1 is 2^-11.
  EXPECT_EQ(sum_of<F16>(half(1), Products{{0x1p-5, 0x1p-6}}), half(1));
  EXPECT_EQ(sum_of<F16>(half(1), Products{{0x1p-5, 0x1p-6}, {0x1p-12, 0x1p-12}}),
            half(1 + 0x1p-10));
  EXPECT_EQ(sum_of<F16>(half(1 + 0x1p-10), Products{{0x1p-5, 0x1p-6}}), half(1 + 0x1p-9));
}

TEST(MatrixSum, AddsInAnyOrderToTheSame) {
  EXPECT_EQ(sum_of<F32>(single(0x1p20), Products{{-1024, 1024}, {0x1p-2, 1}}), single(0.25));
  EXPECT_EQ(sum_of<F32>(single(0.25), Products{{1024, 1024}, {-1024, 1024}}), single(0.25));
}

TEST(MatrixSum, NanAndInfinityWin) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double one[] = {1, 1};
  const double up[] = {infinity, 1};
  const double both[] = {infinity, -infinity};
  const double zeros[] = {0, 0};
  EXPECT_EQ(special_sum<F32>(up, one, 2, 5), F32::kInfinity);
  EXPECT_EQ(special_sum<F32>(both, one, 2, 5), F32::kNan);
  EXPECT_EQ(special_sum<F32>(up, zeros, 2, 5), F32::kNan);
  EXPECT_EQ(special_sum<F16>(one, one, 2, -infinity), F16::kInfinity | F16::kSign);
}

TEST(MatrixFactor, ReadsTf32WithoutItsLowerBits) {
  const Factor all = factor<TF32>(single(1.5) | 0x1fffU);
  EXPECT_EQ(all.significand, 3 << 9);
  EXPECT_EQ(all.exponent, 0);
  EXPECT_TRUE(factor<TF32>(F32::kInfinity).special);
  EXPECT_EQ(factor<F16>(0x8001U).significand, -1);  // the smallest subnormal: 2^-14 / 1024
  EXPECT_EQ(factor<F16>(0x8001U).exponent, -14);
}

TEST(MbarrierState, GoesFromPhaseToPhase) {
  Mbarrier m{2, 2, 0, false};
  EXPECT_FALSE(is_past(m, false));
  EXPECT_TRUE(is_past(m, true));  // the phase before the first
  m = arrive(m, 1);
  EXPECT_EQ(pending_count(pack(m)), 1U);
  m = arrive(m, 1);
  EXPECT_TRUE(is_past(m, false));
  EXPECT_EQ(m.pending, 2U);
  // One leaves: later phases wait for one alone.
  m = drop(m, 1);
  m = arrive(m, 1);
  EXPECT_EQ(m, (Mbarrier{1, 1, 0, false}));
}

TEST(MbarrierState, WaitsForBytes) {
  Mbarrier m{1, 1, 0, false};
  m = arrive(expect_bytes(m, 4096), 1);
  EXPECT_FALSE(is_past(m, false));
  m = complete_bytes(m, 4000);
  EXPECT_FALSE(is_past(m, false));
  m = complete_bytes(m, 96);
  EXPECT_TRUE(is_past(m, false));
  // A copy may be complete before anyone has said how much is to come.
  Mbarrier early = complete_bytes({1, 1, 0, false}, 64);
  EXPECT_EQ(unpack(pack(early)).bytes, -64);
  early = arrive(expect_bytes(early, 64), 1);
  EXPECT_TRUE(is_past(early, false));
}

}  // namespace
}  // namespace lab::model::semantics
