// Functions of 16-bit floating point, from CUDA source, against the host's in double precision.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

constexpr auto kU16 = ElementType::kU16;

class HalfLibrary : public Suite {
 protected:
  HalfLibrary() : Suite("half_library.cu", Needs::kToolkitHeaders) {}
};
INSTANTIATE_TEST_SUITE_P(Backends, HalfLibrary, backends(), backend_name);

struct HalfRow {
  const char* name;
  double (*want)(double x, double y);
};
// The lines of all(), in its order: single ones, then the low and the high half of pairs.
constexpr HalfRow kSingle[] = {
    {"hsin(x)", [](double x, double) { return std::sin(x); }},
    {"hcos(x)", [](double x, double) { return std::cos(x); }},
    {"hexp(x)", [](double x, double) { return std::exp(x); }},
    {"hexp2(x)", [](double x, double) { return std::exp2(x); }},
    {"hexp10(x)", [](double x, double) { return std::pow(10.0, x); }},
    {"hlog(x)", [](double x, double) { return std::log(x); }},
    {"hlog2(x)", [](double x, double) { return std::log2(x); }},
    {"hlog10(x)", [](double x, double) { return std::log10(x); }},
    {"hsqrt(x)", [](double x, double) { return std::sqrt(x); }},
    {"hrsqrt(x)", [](double x, double) { return 1 / std::sqrt(x); }},
    {"hrcp(x)", [](double x, double) { return 1 / x; }},
    {"hfloor(x)", [](double x, double) { return std::floor(x); }},
    {"hceil(x)", [](double x, double) { return std::ceil(x); }},
    {"htrunc(x)", [](double x, double) { return std::trunc(x); }},
    {"hrint(x)", [](double x, double) { return std::rint(x); }},
    {"__hadd(x, x)", [](double x, double) { return x + x; }},
    {"__hsub(x, y)", [](double x, double y) { return x - y; }},
    {"__hmul(x, y)", [](double x, double y) { return x * y; }},
    {"__hdiv(x, y)", [](double x, double y) { return x / y; }},
    {"__hfma(x, y, x)", [](double x, double y) { return x * y + x; }},
    {"__hfma_relu(x, __hneg(y), x)", [](double x, double y) { return std::max(x - x * y, 0.0); }},
    {"__hadd_sat(x, y)", [](double x, double y) { return std::min(x + y, 1.0); }},
    {"__hmax(x, y)", [](double x, double y) { return std::max(x, y); }},
    {"__hmin_nan(x, y)", [](double x, double y) { return std::min(x, y); }},
    {"__habs(__hneg(x))", [](double x, double) { return x; }},
    {"x * y - x / y", [](double x, double y) { return x * y - x / y; }},
};
constexpr HalfRow kPairs[] = {
    {"h2exp2(p), low", [](double x, double) { return std::exp2(x); }},
    {"h2exp2(p), high", [](double, double y) { return std::exp2(y); }},
    {"h2log(p), low", [](double x, double) { return std::log(x); }},
    {"h2log(p), high", [](double, double y) { return std::log(y); }},
    {"h2sqrt(p), low", [](double x, double) { return std::sqrt(x); }},
    {"h2sqrt(p), high", [](double, double y) { return std::sqrt(y); }},
    {"__hmul2(p, p), low", [](double x, double) { return x * x; }},
    {"__hmul2(p, p), high", [](double, double y) { return y * y; }},
    {"__hfma2(p, p, q), low", [](double x, double y) { return x * x + y; }},
    {"__hfma2(p, p, q), high", [](double x, double y) { return y * y + x; }},
    {"__h2div(p, q), low", [](double x, double y) { return x / y; }},
    {"__h2div(p, q), high", [](double x, double y) { return y / x; }},
    {"__hmax2(p, q), low", [](double x, double y) { return std::max(x, y); }},
    {"__hmax2(p, q), high", [](double x, double y) { return std::max(x, y); }},
    {"__lowhigh2highlow(p), low", [](double, double y) { return y; }},
    {"__lowhigh2highlow(p), high", [](double x, double) { return x; }},
    {"__hsub2(p, q), low", [](double x, double y) { return x - y; }},
    {"__hsub2(p, q), high", [](double x, double y) { return y - x; }},
};

/// The number that f16 bits stand for: IEEE 754 binary16.
double from_f16(std::uint16_t bits) {
  const int exponent = bits >> 10U & 31U;
  const int fraction = bits & 1023U;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits >> 15U) != 0 ? -size : size;
}
double from_bf16(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
}

struct Format {
  const char* kernel;
  double (*number)(std::uint16_t);
  int digits;  ///< bits of precision
};

/// x from 1/4 to 4 in quarters, which both formats hold, y a permutation of the same.
std::vector<float> arguments() {
  std::vector<float> list;
  for (int t = 0; t < 16; ++t) {
    list.push_back(0.25F * static_cast<float>(t + 1));
    list.push_back(0.25F * static_cast<float>(t * 7 % 16 + 1));
  }
  return list;
}

TEST_P(HalfLibrary, FunctionsStayWithinTwoUnits) {
  const std::vector<float> in = arguments();
  for (const std::string& arch : runnable({"sm_75", "sm_80", "sm_90", "sm_120"})) {
    compile_for(arch);
    for (const Format& format : {Format{"halves", from_f16, 11}, Format{"bfloats", from_bf16, 8}}) {
      if (arch == "sm_75" && format.digits == 8) continue;  // has no arithmetic of bf16
      constexpr std::size_t kCount = std::size(kSingle);
      constexpr std::size_t kHalves = std::size(kPairs);
      const auto got = run(format.kernel, line(1, 16),
                           {out(kU16, 16 * kCount),
                            {BufferSpec{"pairs", kU16, 16 * kHalves, Direction::kOut}},
                            given(kF32, in)});
      const auto check = [&](const HalfRow& row, std::uint16_t bits, std::size_t t) {
        const double want =
            row.want(static_cast<double>(in[2 * t]), static_cast<double>(in[2 * t + 1]));
        // Of the result's size, or of the operands' where they cancel.
        const double unit = std::ldexp(std::max(std::fabs(want), 0.5), 1 - format.digits);
        EXPECT_NEAR(format.number(bits), want, 2 * unit)
            << arch << ' ' << format.kernel << ": " << row.name << " of " << in[2 * t] << ", "
            << in[2 * t + 1];
      };
      const auto single = buffer<std::uint16_t>(got, 0);
      const auto pairs = buffer<std::uint16_t>(got, 1);
      for (std::size_t t = 0; t < 16; ++t) {
        for (std::size_t k = 0; k < kCount; ++k) check(kSingle[k], single.at(t * kCount + k), t);
        for (std::size_t k = 0; k < kHalves; ++k) check(kPairs[k], pairs.at(t * kHalves + k), t);
      }
    }
  }
}

TEST_P(HalfLibrary, ConversionsRoundAsTheirNamesSay) {
  const std::vector<float> in = arguments();
  const auto values = buffer<std::int32_t>(
      run("conversions", line(1, 16), {out(kI32, 16 * 13), given(kF32, in)}), 0);
  for (std::size_t t = 0; t < 16; ++t) {
    const double x = static_cast<double>(in[2 * t]);
    const double y = static_cast<double>(in[2 * t + 1]);
    const auto as_int = [](double value) { return static_cast<std::int32_t>(value); };
    const std::int32_t want[] = {as_int(std::nearbyint(x)),
                                 as_int(std::trunc(-x)),
                                 as_int(std::ceil(x)),
                                 as_int(std::floor(x)),
                                 as_int(std::nearbyint(x)),
                                 as_int(std::trunc(x)),
                                 1,
                                 x < y ? 1 : 0,
                                 x > y ? 1 : 0,
                                 0};
    for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(values[t * 13 + k], want[k]) << t << ' ' << k;
    // From 2048 on every second integer is a half, a tie goes to the even one: 2049 to 2048, 2051
    // to 2052.
    const double whole = static_cast<double>(t) + 2047;
    const double kept = whole <= 2048
                            ? whole
                            : 4 * std::floor((whole + 1) / 4) + (std::fmod(whole, 4) == 2 ? 2 : 0);
    EXPECT_EQ(from_f16(static_cast<std::uint16_t>(values[t * 13 + 10])), kept) << whole;
    const double inverse = 1.0 / static_cast<double>(t + 1);
    const double nearest = from_f16(static_cast<std::uint16_t>(values[t * 13 + 11]));
    const double below = from_f16(static_cast<std::uint16_t>(values[t * 13 + 12]));
    const double unit = std::ldexp(1.0, std::ilogb(inverse) - 10);
    EXPECT_LE(std::fabs(nearest - inverse), unit / 2) << t;
    EXPECT_LE(below, inverse) << t;
    EXPECT_GT(below, inverse - unit) << t;
  }
}

}  // namespace
}  // namespace lab::conformance
