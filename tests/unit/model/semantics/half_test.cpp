// f16 and bf16: all 65536 bit patterns where one operand suffices, else exact sums in a wider
// format.
#include "harness/model/semantics/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/unit/model/semantics/samples.h"

namespace lab::model::semantics {
namespace {

using ptx::Round;

/// The value of a pattern from the definition: (-1)^s * (h + f / 2^F) * 2^(max(e, 1) - bias).
template <typename Format>
double value_of(std::uint32_t bits) {
  const int field = static_cast<int>((bits & 0x7fffU) >> Format::kFractionBits);
  const auto fraction = static_cast<double>(bits & ((1U << Format::kFractionBits) - 1U));
  const double significand = fraction + (field > 0 ? std::ldexp(1.0, Format::kFractionBits) : 0.0);
  const int exponent = (field > 0 ? field : 1) - Format::kBias - Format::kFractionBits;
  return ((bits & 0x8000U) != 0 ? -1 : 1) * std::ldexp(significand, exponent);
}
template <typename Format>
bool is_nan(std::uint32_t bits) {
  return (bits & 0x7fffU) > Format::kInfinity;
}

template <typename Format>
class Half : public testing::Test {};
using Formats = testing::Types<F16, BF16>;
TYPED_TEST_SUITE(Half, Formats);

TYPED_TEST(Half, EveryPatternWidensToItsValueAndBack) {
  using F = TypeParam;
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<HalfBits>(bits);
    const float wide = widen<F>(half);
    if (is_nan<F>(bits)) {
      EXPECT_TRUE(std::isnan(wide));
      EXPECT_EQ(from_double<F>(wide), 0x7fff);
      continue;
    }
    if ((bits & 0x7fffU) != F::kInfinity) {
      EXPECT_EQ(static_cast<double>(wide), value_of<F>(bits));
    } else {
      EXPECT_TRUE(std::isinf(wide));
    }
    EXPECT_EQ(from_double<F>(wide), half);
    EXPECT_EQ((narrow<F, Round::kRz>(wide)), half);  // exact in every direction
    EXPECT_EQ((narrow<F, Round::kRp>(wide)), half);
  }
}

/// Between neighbours x < y of a format: a quarter, the half, and three quarters of the way.
template <typename F>
void check_between(std::uint32_t bits) {
  const double x = value_of<F>(bits);
  const double y = value_of<F>(bits + 1);  // for the largest number: the next power of two
  const auto lower = static_cast<HalfBits>(bits);
  const auto upper = static_cast<HalfBits>(bits + 1);
  const HalfBits even = (bits & 1U) == 0 ? lower : upper;
  const double mid = (x + y) / 2;
  for (const int sign : {1, -1}) {
    const auto s = static_cast<HalfBits>(sign < 0 ? 0x8000 : 0);
    const auto with = [&](HalfBits h) { return static_cast<HalfBits>(h | s); };
    const auto rn = [&](double v) { return narrow<F, Round::kRn>(sign * v); };
    EXPECT_EQ(rn((x + mid) / 2), with(lower)) << bits;
    EXPECT_EQ(rn(mid), with(even)) << bits;
    EXPECT_EQ(rn((mid + y) / 2), with(upper)) << bits;
    EXPECT_EQ(rn(std::nextafter(mid, y)), with(upper)) << bits;
    EXPECT_EQ((narrow<F, Round::kRz>(sign * mid)), with(lower)) << bits;
    EXPECT_EQ((narrow<F, Round::kRm>(sign * mid)), with(sign < 0 ? upper : lower)) << bits;
    EXPECT_EQ((narrow<F, Round::kRp>(sign * mid)), with(sign < 0 ? lower : upper)) << bits;
    EXPECT_EQ((narrow<F, Round::kRna>(sign * mid)), with(upper)) << bits;
  }
}
TYPED_TEST(Half, RoundingBetweenAllNeighbours) {
  using F = TypeParam;
  // Up to the step from the largest finite number to infinity, whose value as a number would be
  // 2^(bias + 1); overflow rounds as if that number existed.
  for (std::uint32_t bits = 0; bits + 1 <= F::kInfinity; bits += 1) check_between<F>(bits);
}

TYPED_TEST(Half, OverflowFollowsTheRounding) {
  using F = TypeParam;
  const auto largest = static_cast<HalfBits>(F::kInfinity - 1);
  EXPECT_EQ((narrow<F, Round::kRn>(1e300)), F::kInfinity);
  EXPECT_EQ((narrow<F, Round::kRz>(1e300)), largest);
  EXPECT_EQ((narrow<F, Round::kRm>(1e300)), largest);
  EXPECT_EQ((narrow<F, Round::kRp>(-1e300)), largest | 0x8000);
  EXPECT_EQ((narrow<F, Round::kRm>(-1e300)), F::kInfinity | 0x8000);
  EXPECT_EQ((narrow<F, Round::kRn>(HUGE_VAL)), F::kInfinity);
  EXPECT_EQ((narrow<F, Round::kRz>(HUGE_VAL)), F::kInfinity);  // an infinity stays one
  EXPECT_EQ((narrow<F, Round::kRn>(0x1p-1074)), 0);
  EXPECT_EQ((narrow<F, Round::kRp>(0x1p-1074)), 1);
  EXPECT_EQ((narrow<F, Round::kRm>(-0x1p-1074)), 0x8001);
}

template <typename F>
std::vector<HalfBits> patterns(int count, std::uint64_t seed) {
  std::vector<HalfBits> out = {0,
                               0x8000,
                               1,
                               0x8001,
                               F::kInfinity,
                               F::kNan,
                               static_cast<HalfBits>(F::kInfinity | 0x8000),
                               static_cast<HalfBits>(F::kInfinity - 1),
                               static_cast<HalfBits>(1 << F::kFractionBits),
                               static_cast<HalfBits>(F::kBias << F::kFractionBits)};
  test::Random random(seed);
  for (int i = 0; i < count; ++i) out.push_back(static_cast<HalfBits>(random.next()));
  return out;
}

/// An x87 long double has 64 bits of significand and 15 of exponent: rounding its sum to odd by
/// hand is not needed where the sum is exact, and where it is not, `inexact` operands lie so far
/// apart that the smaller only breaks ties; fmal gives that sum correctly rounded to 64 bits, and
/// the test skips the few cases that land exactly on a tie of the format after an inexact sum.
template <typename F>
void check_arithmetic(HalfBits a, HalfBits b, HalfBits c) {
  const auto va = static_cast<long double>(widen<F>(a));
  const auto vb = static_cast<long double>(widen<F>(b));
  const auto vc = static_cast<long double>(widen<F>(c));
  const long double product = va * vb;  // 22 bits: exact
  const long double total = product + vc;
  if (std::isnan(total)) {
    EXPECT_EQ(fma_half<F>(a, b, c), F::kNan);
    return;
  }
  const HalfBits got = fma_half<F>(a, b, c);
  const double as_double = widen<F>(got);
  if (std::isinf(as_double) || std::isinf(total)) {
    const long double limit = std::ldexp(2.0L - std::ldexp(1.0L, -F::kFractionBits - 1), F::kBias);
    EXPECT_EQ(std::isinf(as_double), std::fabs(total) >= limit);
    return;
  }
  // Nearest: no neighbour is closer to the sum, taken as product - got + c, exact term by term.
  const auto distance = [&](double to) {
    return std::fabs((product - static_cast<long double>(to)) + vc);
  };
  const auto magnitude = static_cast<std::uint32_t>(got & 0x7fffU);
  const double up = value_of<F>((got & 0x8000U) | (magnitude + 1));
  EXPECT_LE(distance(as_double), distance(up)) << a << ' ' << b << ' ' << c;
  if (magnitude > 0) {
    const double down = value_of<F>((got & 0x8000U) | (magnitude - 1));
    EXPECT_LE(distance(as_double), distance(down)) << a << ' ' << b << ' ' << c;
  }
}
TYPED_TEST(Half, FusedMultiplyAddIsNearest) {
  using F = TypeParam;
  const auto xs = patterns<F>(60, 1);
  const auto ys = patterns<F>(30, 2);
  for (const HalfBits a : xs) {
    for (const HalfBits b : ys) {
      for (const HalfBits c : ys) check_arithmetic<F>(a, b, c);
    }
  }
}

TEST(HalfArithmetic, FusedSumBreaksTiesByBitsFarBelow) {
  // 1 + 2^-11 is half way between 1 and 1 + 2^-10; a product of 2^-24 * 2^-24 = 2^-48 decides.
  const HalfBits tie = 0x1000;  // 2^-11
  EXPECT_EQ(add_half<F16>(0x3c00, tie), 0x3c00);
  EXPECT_EQ(fma_half<F16>(0x0001, 0x0001, 0x3c00), 0x3c00);
  // 2^-24 * (1 + 2^-10) + ... : (2^0 + 2^-10) * 2^-11 = 2^-11 + 2^-21, above the tie.
  EXPECT_EQ(fma_half<F16>(0x3c01, tie, 0x3c00), 0x3c01);
  // bf16: 2^-133 is its smallest number; times 2^-8 and added to 1 + tie is beyond double's 53
  // bits. 1.0078125 * 2^-8 + 1: 2^-8 is the tie of 1 + 2^-7; the excess 2^-15 decides.
  EXPECT_EQ(fma_half<BF16>(0x3f81, 0x3b80, 0x3f80), 0x3f81);
  EXPECT_EQ(fma_half<BF16>(0x3f80, 0x3b80, 0x3f80), 0x3f80);
}

TYPED_TEST(Half, AddSubtractMultiplyAreFusedWithOneOrZero) {
  using F = TypeParam;
  const auto one = static_cast<HalfBits>(F::kBias << F::kFractionBits);
  for (const HalfBits a : patterns<F>(200, 3)) {
    for (const HalfBits b : patterns<F>(50, 4)) {
      EXPECT_EQ(add_half<F>(a, b), fma_half<F>(a, one, b));
      EXPECT_EQ(sub_half<F>(a, b), fma_half<F>(neg_half<F>(b), one, a));
      // The sign of a zero product is the signs' product; added to -0 it stays.
      EXPECT_EQ(mul_half<F>(a, b), fma_half<F>(a, b, 0x8000));
    }
  }
}

}  // namespace
}  // namespace lab::model::semantics
