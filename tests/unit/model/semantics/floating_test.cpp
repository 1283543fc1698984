// Floating-point arithmetic against the host's, in each rounding mode.
#include "harness/model/semantics/floating.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "harness/model/semantics/approximate.h"
#include "tests/unit/model/semantics/samples.h"

namespace lab::model::semantics {
namespace {

using ptx::Round;
using test::HostRounding;
using test::numbers;
using test::same;

template <typename T>
class Arithmetic : public testing::Test {};
using Hosts = testing::Types<float, double>;
TYPED_TEST_SUITE(Arithmetic, Hosts);

/// The host's result with `round` set; volatile keeps the operation where it is written.
template <typename T, typename Op>
T on_host(Round round, Op op, T x, T y = 0, T z = 0) {
  volatile T a = x;
  volatile T b = y;
  volatile T c = z;
  volatile T result = 0;
  const HostRounding scope(round);
  result = op(a, b, c);
  return result;
}

template <Round kRound, typename T>
void check_rounding() {
  const auto xs = numbers<T>(60, 1);
  const auto ys = numbers<T>(25, 2);
  for (const T a : xs) {
    const T root = on_host<T>(
        kRound, [](T x, T, T) { return std::sqrt(x); }, a);
    EXPECT_TRUE(same(sqrt<kRound>(a), root)) << a;
    const T inverse = on_host<T>(
        kRound, [](T x, T, T) { return T{1} / x; }, a);
    EXPECT_TRUE(same(rcp<kRound>(a), inverse)) << a;
    for (const T b : ys) {
      const auto host = [&](auto op) { return on_host<T>(kRound, op, a, b); };
      EXPECT_TRUE(same(add<kRound>(a, b), host([](T x, T y, T) { return x + y; })))
          << a << ' ' << b;
      EXPECT_TRUE(same(sub<kRound>(a, b), host([](T x, T y, T) { return x - y; })))
          << a << ' ' << b;
      EXPECT_TRUE(same(mul<kRound>(a, b), host([](T x, T y, T) { return x * y; })))
          << a << ' ' << b;
      EXPECT_TRUE(same(div<kRound>(a, b), host([](T x, T y, T) { return x / y; })))
          << a << ' ' << b;
    }
  }
}
TYPED_TEST(Arithmetic, RoundsToNearest) { check_rounding<Round::kRn, TypeParam>(); }
TYPED_TEST(Arithmetic, RoundsTowardsZero) { check_rounding<Round::kRz, TypeParam>(); }
TYPED_TEST(Arithmetic, RoundsDown) { check_rounding<Round::kRm, TypeParam>(); }
TYPED_TEST(Arithmetic, RoundsUp) { check_rounding<Round::kRp, TypeParam>(); }

template <Round kRound, typename T>
void check_fma() {
  const auto xs = numbers<T>(12, 3);
  for (const T a : xs) {
    for (const T b : xs) {
      for (const T c : xs) {
        const T host = on_host<T>(
            kRound, [](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c);
        EXPECT_TRUE(same(fma<kRound>(a, b, c), host)) << a << ' ' << b << ' ' << c;
      }
      // Cancellation: the addend is the rounded product, so that only the rounding error is left.
      const T product = -(a * b);
      const T host = on_host<T>(
          kRound, [](T x, T y, T z) { return std::fma(x, y, z); }, a, b, product);
      EXPECT_TRUE(same(fma<kRound>(a, b, product), host)) << a << ' ' << b;
    }
  }
}
TYPED_TEST(Arithmetic, FusedMultiplyAddRoundsOnce) {
  check_fma<Round::kRn, TypeParam>();
  check_fma<Round::kRz, TypeParam>();
  check_fma<Round::kRm, TypeParam>();
  check_fma<Round::kRp, TypeParam>();
}

TEST(Floating, FusedDiffersFromRoundedTwice) {
  // (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46; the product alone rounds to 1 + 2^-22.
  const float a = 1.0F + 0x1p-23F;
  EXPECT_EQ(fma(a, a, -1.0F - 0x1p-22F), 0x1p-46F);
  EXPECT_EQ(add(mul(a, a), -1.0F - 0x1p-22F), 0.0F);
}

TEST(Floating, NanResultsAreTheHardwares) {
  const float inf = std::numeric_limits<float>::infinity();
  const float payload = std::bit_cast<float>(0xffc12345U);
  for (const float nan : {add(inf, -inf), mul(0.0F, inf), fma(inf, 0.0F, 1.0F), div(0.0F, 0.0F),
                          sqrt(-1.0F), add(payload, 1.0F), min(payload, payload),
                          add<Round::kRz>(payload, 1.0F), fma<Round::kRp>(inf, 1.0F, -inf)}) {
    EXPECT_EQ(bits_of(nan), 0x7fffffffU);
  }
}

TEST(Floating, FlushKeepsTheSignAndSparesNormals) {
  const float smallest = std::numeric_limits<float>::min();
  EXPECT_EQ(bits_of(flush<true>(std::nextafter(smallest, 0.0F))), 0U);
  EXPECT_EQ(bits_of(flush<true>(-0x1p-149F)), 0x80000000U);
  EXPECT_EQ(flush<true>(smallest), smallest);
  EXPECT_EQ(flush<true>(-smallest), -smallest);
  EXPECT_EQ(flush<false>(0x1p-149F), 0x1p-149F);
  EXPECT_TRUE(std::isnan(flush<true>(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::isinf(flush<true>(std::numeric_limits<float>::infinity())));
  EXPECT_EQ(flush<true>(0x1p-1074), 0x1p-1074);  // f64 has no .ftz
}

TEST(Floating, SaturationClampsToZeroAndOne) {
  EXPECT_EQ(saturate(0.25F), 0.25F);
  EXPECT_EQ(saturate(7.0), 1.0);
  EXPECT_EQ(bits_of(saturate(-3.0F)), 0U);
  EXPECT_EQ(bits_of(saturate(-0.0F)), 0U);
  EXPECT_EQ(bits_of(saturate(std::numeric_limits<float>::quiet_NaN())), 0U);
  EXPECT_EQ(saturate(std::numeric_limits<float>::infinity()), 1.0F);
}

TEST(Floating, FinishAppliesCanonicalNanFlushAndSaturation) {
  EXPECT_EQ(bits_of(finish<true, false>(-0x1p-140F)), 0x80000000U);
  EXPECT_EQ(bits_of(finish<true, true>(-0x1p-140F)), 0U);
  EXPECT_EQ(bits_of(finish<false, false>(std::bit_cast<float>(0xffc00000U))), 0x7fffffffU);
  EXPECT_EQ((finish<false, true>(2.0F)), 1.0F);
}

TYPED_TEST(Arithmetic, MinimumAndMaximumPreferNumbersAndOrderZeros) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(min(T{1}, T{2}), T{1});
  EXPECT_EQ(max(T{1}, T{2}), T{2});
  EXPECT_EQ(min(nan, T{2}), T{2});
  EXPECT_EQ(max(T{2}, nan), T{2});
  EXPECT_TRUE(std::isnan(min(nan, nan)));
  EXPECT_TRUE(std::isnan(min<true>(nan, T{2})));
  EXPECT_TRUE(std::isnan(max<true>(T{2}, nan)));
  EXPECT_EQ(max<true>(T{2}, T{3}), T{3});
  EXPECT_TRUE(std::signbit(min(T{0}, -T{0})));
  EXPECT_TRUE(std::signbit(min(-T{0}, T{0})));
  EXPECT_FALSE(std::signbit(max(T{0}, -T{0})));
  EXPECT_FALSE(std::signbit(max(-T{0}, T{0})));
  // -3 and 2: magnitudes 2 and 3, signs differ.
  EXPECT_EQ(min_xorsign_abs(T{-3}, T{2}), T{-2});
  EXPECT_EQ(max_xorsign_abs(T{-3}, T{-2}), T{3});
}

TYPED_TEST(Arithmetic, SignInstructionsTouchTheSignAlone) {
  using T = TypeParam;
  EXPECT_EQ(neg(T{2}), T{-2});
  EXPECT_TRUE(std::signbit(neg(T{0})));
  EXPECT_FALSE(std::signbit(abs(-T{0})));
  EXPECT_EQ(copysign(T{-1}, T{5}), T{-5});  // sign of the first, magnitude of the second
  const T nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(bits_of(neg(neg(nan))), bits_of(nan));
}

TYPED_TEST(Arithmetic, Classes) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  const auto classes = [](T v) {
    using ptx::Sub;
    unsigned bits = 0;
    bits |= unsigned{testp<Sub::kFinite>(v)} << 0U;
    bits |= unsigned{testp<Sub::kInfinite>(v)} << 1U;
    bits |= unsigned{testp<Sub::kNumber>(v)} << 2U;
    bits |= unsigned{testp<Sub::kNotanumber>(v)} << 3U;
    bits |= unsigned{testp<Sub::kNormal>(v)} << 4U;
    bits |= unsigned{testp<Sub::kSubnormal>(v)} << 5U;
    return bits;  // finite 1, infinite 2, number 4, notanumber 8, normal 16, subnormal 32
  };
  EXPECT_EQ(classes(T{0}), 1U + 4U + 16U);
  EXPECT_EQ(classes(T{1}), 1U + 4U + 16U);
  EXPECT_EQ(classes(-L::denorm_min()), 1U + 4U + 32U);
  EXPECT_EQ(classes(L::min()), 1U + 4U + 16U);
  EXPECT_EQ(classes(-L::infinity()), 2U + 4U);
  EXPECT_EQ(classes(L::quiet_NaN()), 8U);
}

// approximate.h: special operands as in the tables of the ISA; others near the true value.
TEST(Approximate, SpecialOperands) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(rcp_approx(0.0F), inf);
  EXPECT_EQ(rcp_approx(-0.0F), -inf);
  EXPECT_EQ(rcp_approx(inf), 0.0F);
  EXPECT_EQ(rsqrt_approx(0.0F), inf);
  EXPECT_EQ(rsqrt_approx(-0.0F), -inf);
  EXPECT_EQ(rsqrt_approx(inf), 0.0F);
  EXPECT_TRUE(std::isnan(rsqrt_approx(-1.0F)));
  EXPECT_TRUE(std::signbit(sqrt_approx(-0.0F)));
  EXPECT_EQ(ex2_approx(-inf), 0.0F);
  EXPECT_EQ(ex2_approx(inf), inf);
  EXPECT_EQ(ex2_approx(0.0F), 1.0F);
  EXPECT_EQ(lg2_approx(0.0F), -inf);
  EXPECT_EQ(lg2_approx(-0.0F), -inf);
  EXPECT_TRUE(std::isnan(lg2_approx(-1.0F)));
  EXPECT_TRUE(std::isnan(sin_approx(inf)));
  EXPECT_TRUE(std::isnan(cos_approx(-inf)));
  EXPECT_TRUE(std::signbit(sin_approx(-0.0F)));
  EXPECT_EQ(cos_approx(0.0F), 1.0F);
  EXPECT_EQ(tanh_approx(inf), 1.0F);
  for (const float v : {rcp_approx(nan), ex2_approx(nan), lg2_approx(nan), sin_approx(nan),
                        tanh_approx(nan), sqrt_approx(-2.0F), cos_approx(inf)}) {
    EXPECT_EQ(bits_of(v), 0x7fffffffU);
  }
}

TEST(Approximate, DivisionByHugeNumbersUnderflows) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(div_approx(1.0F, 0x1p126F), 0x1p-126F);
  EXPECT_EQ(bits_of(div_approx(-0x1p100F, 0x1p127F)), 0x80000000U);
  EXPECT_TRUE(std::isnan(div_approx(inf, 0x1p127F)));
  EXPECT_EQ(div_approx(1.0F, inf), 0.0F);
  EXPECT_EQ(div_full(0x1p127F, 0x1p127F), 1.0F);
}

TEST(Approximate, DoubleReciprocalHasAnUpperHalfOnly) {
  EXPECT_EQ(rcp_approx_ftz(4.0), 0.25);
  // 1/3 = 0x3fd5555555555555
  EXPECT_EQ(bits_of(rcp_approx_ftz(3.0)), 0x3fd5555500000000U);
  EXPECT_EQ(rcp_approx_ftz(0x1p-1060), std::numeric_limits<double>::infinity());
  EXPECT_EQ(bits_of(rcp_approx_ftz(-0x1p1023)), 0x8000000000000000U);  // 2^-1023 is subnormal
  EXPECT_EQ(rsqrt_approx_ftz(4.0), 0.5);
}

}  // namespace
}  // namespace lab::model::semantics
