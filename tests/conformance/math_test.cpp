// Numbers, from CUDA source: the library's functions within the errors that NVIDIA's programming
// guide states, and integers to the bit.
#include <bit>
#include <cmath>
#include <limits>

#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

class Numbers : public Suite {
 protected:
  Numbers() : Suite("math.cu", Needs::kToolkitHeaders) {}
};
INSTANTIATE_TEST_SUITE_P(Backends, Numbers, backends(), backend_name);

/// How far `got` is from the exact `want`, in units in the last place of a float near `want`.
double ulps(float got, double want) {
  const auto near = static_cast<float>(std::abs(want));
  const double unit =
      static_cast<double>(std::nextafter(near, std::numeric_limits<float>::infinity())) - near;
  return std::abs(static_cast<double>(got) - want) / unit;
}

TEST_P(Numbers, FunctionsOfFloatsStayWithinTheirStatedError) {
  std::vector<float> arguments;
  for (int t = 0; t < 32; ++t) arguments.push_back(0.37F + 0.61F * static_cast<float>(t));
  const auto got = run("functions", line(1, 32), {out(kF32, 32 * 24), given(kF32, arguments)});
  const auto values = buffer<float>(got, 0);
  for (std::size_t t = 0; t < 32; ++t) {
    const auto x = static_cast<double>(arguments[t]);
    // Arguments that are rounded before the function sees them are rounded here, too.
    const auto inverse = static_cast<double>(1 / (arguments[t] + 1));
    const auto in32 = static_cast<double>(arguments[t] / 32);
    const struct {
      const char* name;
      double want;
      double most;  // units in the last place, of the guide's table, and half for rounding `want`
    } rows[] = {{"sinf", std::sin(x), 2.5},
                {"cosf", std::cos(x), 2.5},
                {"tanf", std::tan(x), 4.5},
                {"expf", std::exp(x / 8), 2.5},
                {"exp2f", std::exp2(x / 8), 2.5},
                {"logf", std::log(x), 1.5},
                {"log2f", std::log2(x), 1.5},
                {"log10f", std::log10(x), 2.5},
                {"sqrtf", std::sqrt(x), 0.5},
                {"rsqrtf", 1 / std::sqrt(x), 2.5},
                {"cbrtf", std::cbrt(x), 1.5},
                {"powf", std::pow(x, static_cast<double>(1.7F)), 9.5},
                {"atanf", std::atan(x), 2.5},
                {"atan2f", std::atan2(x, 3), 3.5},
                {"asinf", std::asin(inverse), 4.5},
                {"sinhf", std::sinh(x / 16), 3.5},
                {"tanhf", std::tanh(x / 4), 2.5},
                {"erff", std::erf(x / 4), 2.5},
                {"hypotf", std::hypot(x, 2), 3.5},
                {"fmodf", std::fmod(x, 0.75), 0},
                {"log1pf", std::log1p(x), 1.5},
                {"expm1f", std::expm1(in32), 1.5},
                {"1/x", 1 / x, 0.5},
                {"x/3", x / 3, 0.5}};
    for (std::size_t k = 0; k < 24; ++k) {
      EXPECT_LE(ulps(values[t * 24 + k], rows[k].want), rows[k].most)
          << rows[k].name << '(' << x << ") is " << values[t * 24 + k];
    }
  }
}

TEST_P(Numbers, FarAnglesAreReducedByManyBits) {
  const std::vector<float> angles = {1e5F, 2e6F, 3.3e8F, 1e12F, 1e20F, -7e30F, 3e38F, 12345.678F};
  const auto values =
      buffer<float>(run("far_angles", line(1, 8), {out(kF32, 16), given(kF32, angles)}), 0);
  for (std::size_t t = 0; t < 8; ++t) {
    EXPECT_LE(ulps(values[2 * t], std::sin(static_cast<double>(angles[t]))), 2.5) << angles[t];
    EXPECT_LE(ulps(values[2 * t + 1], std::cos(static_cast<double>(angles[t]))), 2.5) << angles[t];
  }
}

TEST_P(Numbers, FastFunctionsAreNear) {
  std::vector<float> arguments;
  for (int t = 0; t < 32; ++t) arguments.push_back(0.09F * static_cast<float>(t) + 0.05F);
  const auto values =
      buffer<float>(run("fast", line(1, 32), {out(kF32, 192), given(kF32, arguments)}), 0);
  for (std::size_t t = 0; t < 32; ++t) {
    const auto x = static_cast<double>(arguments[t]);
    const auto next = static_cast<double>(arguments[t] + 1);
    const float* mine = &values[t * 6];
    EXPECT_NEAR(mine[0], std::sin(x), 4.77e-7);  // 2^-21.41 for x in [-pi, pi]
    EXPECT_LE(ulps(mine[1], std::exp(x)), 2.5 + 1.173 * x);
    EXPECT_NEAR(mine[2], std::log(next), 4e-7);  // 2^-21.41 within [0.5, 2], 3 ulp beyond
    EXPECT_LE(ulps(mine[3], x / 3), 2.5);
    EXPECT_NEAR(mine[4] / (next * next), 1, 4e-6);  // log2, times 2, exp2: each near 2^-22
    EXPECT_LE(ulps(mine[5], 1 / std::sqrt(next)), 0.5001);
  }
}

TEST_P(Numbers, DirectionsOfRounding) {
  // 1 + 2^-25: below half of a float's step of 2^-23 at 1.
  const float small = 0x1p-25F;
  const auto values = buffer<float>(
      run("rounded", line(1, 1), {out(kF32, 16), scalar_f32(1), scalar_f32(small)}), 0);
  const std::vector<float> expected = {
      1,
      1,
      1 + 0x1p-23F,
      1,
      0x1p-50F,
      1 - 0x1p-24F,  // 1 - 2^-25 lies between 1 - 2^-24 and 1
      -3,
      -2,
      -2,
      2,
      3,  // to even; away from zero
      1,
      1,  // 1.5 saturates; the number where the other is none
      -2,
      2147483520.0F,   // 2^31 - 128, the last float below
      4294967296.0F};  // 0xffffff01 lies above the last float below 2^32, 0xffffff00
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(values[i], expected[i]) << i;
}

TEST_P(Numbers, FunctionsOfDoubles) {
  std::vector<double> arguments;
  for (int t = 0; t < 32; ++t) arguments.push_back(0.37 + 0.61 * t);
  const auto values =
      buffer<double>(run("doubles", line(1, 32), {out(kF64, 256), given(kF64, arguments)}), 0);
  for (std::size_t t = 0; t < 32; ++t) {
    const double x = arguments[t];
    const double want[] = {std::sin(x), std::exp(x / 8), std::log(x),        std::pow(x, 1.7),
                           1 / x,       std::sqrt(x),    std::fmod(x, 0.75), 1 / std::sqrt(x)};
    // Division, root and remainder are exact or correctly rounded; the others within two units,
    // and the host's own half unit.
    const double most[] = {3, 3, 3, 3, 0, 0, 0, 3};
    for (std::size_t k = 0; k < 8; ++k) {
      const double unit = std::nextafter(std::abs(want[k]), 1e300) - std::abs(want[k]);
      EXPECT_LE(std::abs(values[t * 8 + k] - want[k]), most[k] * unit) << k << " of " << x;
    }
  }
}

TEST_P(Numbers, DivisionsByConstantsAndByVariables) {
  std::vector<std::int32_t> a;
  std::vector<std::int32_t> b;
  for (std::int32_t t = 0; t < 32; ++t) {
    a.push_back((t % 2 == 0 ? 1 : -1) * t * t * t * 70001);
    b.push_back((t % 3 == 0 ? -1 : 1) * (t * 977 + 1));
  }
  a[1] = std::numeric_limits<std::int32_t>::min();
  const auto values = buffer<std::int64_t>(
      run("divisions", line(1, 32),
          {out(ElementType::kI64, 384), given(kI32, a, "a"), given(kI32, b, "b")}),
      0);
  for (std::size_t t = 0; t < 32; ++t) {
    const std::int64_t x = a[t];
    const std::int64_t y = b[t];
    const auto u = static_cast<std::int64_t>(static_cast<std::uint32_t>(a[t]));
    const auto v = static_cast<std::int64_t>(static_cast<std::uint32_t>(b[t]));
    const std::int64_t wide = x * 1000003;
    const auto bits = static_cast<std::uint64_t>(wide);
    const std::uint64_t divisor = static_cast<std::uint64_t>(y) | (1U << 31U);
    const std::int64_t want[] = {x / 7,
                                 x % 10,
                                 u / 641,
                                 x / y,
                                 x % y,
                                 u / v,
                                 u % v,
                                 wide / y,
                                 wide % y,
                                 static_cast<std::int64_t>(bits / 1000000007U),
                                 static_cast<std::int64_t>(bits % divisor),
                                 x / 16 + x % 16 * 1000};
    for (std::size_t k = 0; k < 12; ++k) EXPECT_EQ(values[t * 12 + k], want[k]) << t << ' ' << k;
  }
}

TEST_P(Numbers, IntegerIntrinsicsToTheBit) {
  const std::int32_t a = 0x12f4c680;
  const auto b = static_cast<std::int32_t>(0xfedc2a91U);
  const auto values = buffer<std::uint64_t>(
      run("integers", line(1, 1), {out(kU64, 20), scalar_i32(a), scalar_i32(b)}), 0);
  // Bytes, the lowest first: a = 80 c6 f4 12, b = 91 2a dc fe.
  const std::int64_t product = std::int64_t{a} * b;
  const std::uint64_t uproduct = 0x12f4c680ULL * 0xfedc2a91ULL;
  const std::uint64_t expected[] = {
      static_cast<std::uint32_t>(product >> 32U), uproduct >> 32U,
      // (u 2^32 + v)^2 = u^2 2^64 + 2 u v 2^32 + v^2: what lies above 2^64.
      0x12f4c680ULL * 0x12f4c680ULL + ((uproduct + (0xfedc2a91ULL * 0xfedc2a91ULL >> 33U)) >> 31U),
      // The low 24 bits, with sign: 0xf4c680 - 2^24 and 0xdc2a91 - 2^24; the product's low half.
      static_cast<std::uint32_t>(std::int64_t{0xf4c680 - 0x1000000} * (0xdc2a91 - 0x1000000)),
      0x01632f48,  // 0001 0010 1111 0100 1100 0110 1000 0000 backwards
      // clz(a) = 3; ffs(b) = 1; popc(a) = 2 + 5 + 4 + 1; w >> 20 loses 20 bits: 20 + 3.
      3 + 100 + 12 * 10000 + 23 * 1000000,
      0xdcf49180,  // 0 of a, 4 = 0 of b, 2 of a, 6 = 2 of b, the lowest first
      // The high word (b) shifted left by 12, with a's upper 12 bits from below.
      0xc2a9112f,
      0xfedc2a91,  // clamped to 32: the high word
      // |a - b| = 0x12f4c680 + 0x0123d56f, and 5.
      0x14189bf4,
      // (a + b) / 2 downwards: 0x12f4c680 - 0x0123d56f = 0x11d0f111; half, and half rounded up.
      0x08e87888, 0x08e87889,
      // -128 * -111 + -58 * 42 + -12 * -36 + 18 * -2 = 14208 - 2436 + 432 - 36.
      12168 + 1000,
      // Halves 0xc680 = -14720 and 0x12f4 = 4852 times bytes 0 and 1 of b, -111 and 42.
      1633920 + 203784,
      0x10d0f011,   // 80 + 91, c6 + 2a, f4 + dc, 12 + fe without carries
      0x14189cef,   // bytes of a less those of b, without borrows
      0xebe76411,   // b - a, both without sign
      0x00ffff00,   // f4 > dc, c6 > 2a
      0x12dc2a80,   // the lesser of each pair
      0x88e87889};  // (12 + fe + 1) / 2, (f4 + dc + 1) / 2, (c6 + 2a + 1) / 2, (80 + 91 + 1) / 2
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(values[i], expected[i]) << std::hex << i << ": " << values[i] << ' ' << expected[i];
  }
}

TEST_P(Numbers, HalvesAndBrainFloats) {
  // in = 0, 1, ... 31: everything is exact in a half (11 bits) except what a comment says.
  const auto values = buffer<float>(run("halves", line(1, 32), {out(kF32, 320), in(kF32, 32)}), 0);
  for (std::int32_t t = 0; t < 32; ++t) {
    const auto x = static_cast<float>(t);
    const float* mine = &values[static_cast<std::size_t>(t) * 10];
    EXPECT_EQ(mine[0], x + 0.5F);
    EXPECT_EQ(mine[1], x - 0.5F);
    EXPECT_EQ(mine[2], x * x + 0.5F);  // at most 961.5: 10 bits and one
    EXPECT_EQ(mine[3], x / 4);
    EXPECT_EQ(mine[4], x);
    EXPECT_EQ(mine[5], t == 0 ? 1.0F : 2.0F);
    EXPECT_EQ(mine[6], -x + 1000 * x);
    EXPECT_EQ(mine[7], 2 * x + 0.5F + 1000 * 1.5F);
    // x^2 + 1 rounded once to 8 bits, halves to even: from 256 on to multiples of 2, from 512 of 4.
    const float exact = x * x + 1;
    const float step = exact < 256 ? 1.0F : exact < 512 ? 2.0F : 4.0F;
    EXPECT_EQ(mine[8], step * std::nearbyint(exact / step));
    EXPECT_EQ(mine[9], 6 * x);
  }
}

}  // namespace
}  // namespace lab::conformance
