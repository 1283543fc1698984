// Mathematical functions, from CUDA source, against the host's in double precision.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

constexpr double kPi = std::numbers::pi;

class Library : public Suite {
 protected:
  Library() : Suite("library.cu") {}
};
INSTANTIATE_TEST_SUITE_P(Backends, Library, backends(), backend_name);

double rounded(double value) { return static_cast<double>(static_cast<float>(value)); }
double frexp_of(double value) {
  int exponent = 0;
  return std::frexp(value, &exponent);
}

struct Row {
  const char* name;
  double (*want)(double x);
  /// Units in the last place of a float: what the CUDA C++ Programming Guide states, and half for
  /// rounding `want`; -1: it states an absolute error, here 1e-6.
  double most;
};
// The lines of kernel `floats`, in its order. Arguments rounded before the function sees them are
// rounded here, too.
constexpr Row kFloats[] = {
    {"asinhf(x)", [](double x) { return static_cast<double>(std::asinh(x)); }, 4},
    {"acoshf(x + 1)", [](double x) { return static_cast<double>(std::acosh(rounded(x + 1))); }, 5},
    {"atanhf(x / 32)", [](double x) { return static_cast<double>(std::atanh(rounded(x / 32))); },
     4},
    {"coshf(x / 4)", [](double x) { return static_cast<double>(std::cosh(x / 4)); }, 3},
    {"acosf(x / 32)", [](double x) { return static_cast<double>(std::acos(rounded(x / 32))); }, 3},
    {"exp10f(x / 8)", [](double x) { return static_cast<double>(std::pow(10.0, x / 8)); }, 3},
    {"rcbrtf(x)", [](double x) { return static_cast<double>(1 / std::cbrt(x)); }, 3},
    {"rhypotf(x, 3)", [](double x) { return static_cast<double>(1 / std::hypot(x, 3)); }, 3},
    {"erfcf(x / 4)", [](double x) { return static_cast<double>(std::erfc(x / 4)); }, 5},
    {"erfcxf(x / 4)",
     [](double x) { return static_cast<double>(std::exp(x * x / 16) * std::erfc(x / 4)); }, 5},
    {"normcdff(x / 8)",
     [](double x) { return static_cast<double>(0.5 * std::erfc(-x / 8 / std::sqrt(2.0))); }, 6},
    {"tgammaf(x / 4 + 1)",
     [](double x) { return static_cast<double>(std::tgamma(rounded(x / 4 + 1))); }, 6},
    {"lgammaf(x + 3)", [](double x) { return static_cast<double>(std::lgamma(rounded(x + 3))); },
     6},
    {"j0f(x)", [](double x) { return static_cast<double>(::j0(x)); }, -1},
    {"j1f(x)", [](double x) { return static_cast<double>(::j1(x)); }, -1},
    {"y0f(x)", [](double x) { return static_cast<double>(::y0(x)); }, -1},
    {"y1f(x)", [](double x) { return static_cast<double>(::y1(x)); }, -1},
    {"jnf(2, x)", [](double x) { return static_cast<double>(::jn(2, x)); }, -1},
    {"remainderf(x, 2.5f)", [](double x) { return static_cast<double>(std::remainder(x, 2.5)); },
     0},
    {"fdimf(x, 3)", [](double x) { return static_cast<double>(std::fdim(x, 3)); }, 0.5},
    {"fmaf(x, x, 1)", [](double x) { return static_cast<double>(x * x + 1); }, 0.5},
    {"ceilf(x / 4)", [](double x) { return static_cast<double>(std::ceil(x / 4)); }, 0},
    {"floorf(x / 4)", [](double x) { return static_cast<double>(std::floor(x / 4)); }, 0},
    {"truncf(-x / 4)", [](double x) { return static_cast<double>(std::trunc(-x / 4)); }, 0},
    {"roundf(x / 4)", [](double x) { return static_cast<double>(std::round(x / 4)); }, 0},
    {"rintf(x / 4)", [](double x) { return static_cast<double>(std::rint(x / 4)); }, 0},
    {"nearbyintf(x / 4)", [](double x) { return static_cast<double>(std::nearbyint(x / 4)); }, 0},
    {"lroundf(x / 4)", [](double x) { return static_cast<double>(std::round(x / 4)); }, 0},
    {"llrintf(x / 4)", [](double x) { return static_cast<double>(std::rint(x / 4)); }, 0},
    {"ldexpf(x, 3)", [](double x) { return static_cast<double>(8 * x); }, 0},
    {"scalbnf(x, -2)", [](double x) { return static_cast<double>(x / 4); }, 0},
    {"logbf(x)", [](double x) { return static_cast<double>(std::logb(x)); }, 0},
    {"ilogbf(x)", [](double x) { return static_cast<double>(std::logb(x)); }, 0},
    {"copysignf(x, -1)", [](double x) { return static_cast<double>(-x); }, 0},
    {"nextafterf(x, 99) - x",
     [](double x) {
       return static_cast<double>(
           static_cast<double>(std::nextafter(static_cast<float>(x), 99.0F)) - x);
     },
     0},
    {"isnan(x - x) + 2 * isinf(x / 0.0f) + 4 * isfinite(x) + 8 * (signbit(-x) ? 1 : 0)",
     [](double x) { return 14 + 0 * x; }, 0},
    {"fmaxf(x, 3)", [](double x) { return static_cast<double>(std::fmax(x, 3)); }, 0},
    {"fminf(x, 3)", [](double x) { return static_cast<double>(std::fmin(x, 3)); }, 0},
    {"sinpif(x)",
     [](double x) { return static_cast<double>(std::sin(std::remainder(x, 2) * kPi)); }, 3},
    {"cospif(x)",
     [](double x) {
       return static_cast<double>(std::sin((0.5 - std::fabs(std::remainder(x, 2))) * kPi));
     },
     3},
    {"norm3df(x, 1, 2)", [](double x) { return static_cast<double>(std::sqrt(x * x + 5)); }, 3},
    {"norm4df(x, 1, 2, 3)", [](double x) { return static_cast<double>(std::sqrt(x * x + 14)); }, 3},
    {"rnorm3df(x, 1, 2)", [](double x) { return static_cast<double>(1 / std::sqrt(x * x + 5)); },
     3},
    {"__fdividef(x, 3)", [](double x) { return static_cast<double>(x / 3); }, 2.5},
    {"__frcp_rn(x)", [](double x) { return static_cast<double>(1 / x); }, 0.5},
    {"__frsqrt_rn(x)", [](double x) { return static_cast<double>(1 / std::sqrt(x)); }, 0.5},
    {"__saturatef(x - 1)",
     [](double x) { return static_cast<double>(std::clamp(x - 1, 0.0, 1.0)); }, 0.5},
    {"powf(x, -3)", [](double x) { return static_cast<double>(std::pow(x, -3)); }, 9},
    {"powf(-x, 3)", [](double x) { return static_cast<double>(-x * x * x); }, 9},
    {"fabsf(-x)", [](double x) { return static_cast<double>(x); }, 0},
    {"frexpf(x, &e)", [](double x) { return static_cast<double>(frexp_of(x)); }, 0},
    {"e", [](double x) { return static_cast<double>(std::logb(x) + 1); }, 0},
    {"modff(x, &whole)", [](double x) { return static_cast<double>(x - std::trunc(x)); }, 0},
    {"whole", [](double x) { return static_cast<double>(std::trunc(x)); }, 0},
    {"remquof(x, 3, &e)", [](double x) { return static_cast<double>(std::remainder(x, 3)); }, 0},
    {"e % 8",
     [](double x) {
       return static_cast<double>(static_cast<double>(
           static_cast<int>(std::nearbyint((x - std::remainder(x, 3)) / 3)) % 8));
     },
     0},
};

struct DoubleRow {
  const char* name;
  double (*want)(double x);
};
// Likewise of `doubles`.
constexpr DoubleRow kDoubles[] = {
    {"sin(x)", [](double x) { return std::sin(x); }},
    {"cos(x)", [](double x) { return std::cos(x); }},
    {"tan(x)", [](double x) { return std::tan(x); }},
    {"asin(x / 32)", [](double x) { return std::asin(x / 32); }},
    {"acos(x / 32)", [](double x) { return std::acos(x / 32); }},
    {"atan(x)", [](double x) { return std::atan(x); }},
    {"atan2(x, -2.0)", [](double x) { return std::atan2(x, -2.0); }},
    {"sinh(x)", [](double x) { return std::sinh(x); }},
    {"cosh(x)", [](double x) { return std::cosh(x); }},
    {"tanh(x / 4)", [](double x) { return std::tanh(x / 4); }},
    {"asinh(x)", [](double x) { return std::asinh(x); }},
    {"acosh(x + 1)", [](double x) { return std::acosh(x + 1); }},
    {"atanh(x / 32)", [](double x) { return std::atanh(x / 32); }},
    {"exp(x)", [](double x) { return std::exp(x); }},
    {"exp2(x)", [](double x) { return std::exp2(x); }},
    {"exp10(x / 4)", [](double x) { return std::pow(10.0, x / 4); }},
    {"expm1(x / 32)", [](double x) { return std::expm1(x / 32); }},
    {"log(x)", [](double x) { return std::log(x); }},
    {"log2(x)", [](double x) { return std::log2(x); }},
    {"log10(x)", [](double x) { return std::log10(x); }},
    {"log1p(x)", [](double x) { return std::log1p(x); }},
    {"pow(x, 1.7)", [](double x) { return std::pow(x, 1.7); }},
    {"sqrt(x)", [](double x) { return std::sqrt(x); }},
    {"cbrt(x)", [](double x) { return std::cbrt(x); }},
    {"rcbrt(x)", [](double x) { return 1 / std::cbrt(x); }},
    {"rsqrt(x)", [](double x) { return 1 / std::sqrt(x); }},
    {"hypot(x, 3.0)", [](double x) { return std::hypot(x, 3.0); }},
    {"erf(x / 8)", [](double x) { return std::erf(x / 8); }},
    {"erfc(x / 8)", [](double x) { return std::erfc(x / 8); }},
    {"erf(erfinv(x / 32))", [](double x) { return x / 32; }},
    {"erfc(erfcinv(x / 16))", [](double x) { return x / 16; }},
    {"normcdf(normcdfinv(x / 32))", [](double x) { return x / 32; }},
    {"tgamma(x / 4)", [](double x) { return std::tgamma(x / 4); }},
    {"lgamma(x + 3)", [](double x) { return std::lgamma(x + 3); }},
    {"fmod(x, 2.5)", [](double x) { return std::fmod(x, 2.5); }},
    {"remainder(x, 2.5)", [](double x) { return std::remainder(x, 2.5); }},
    {"fma(x, x, 1.0)", [](double x) { return std::fma(x, x, 1.0); }},
    {"ceil(x / 4)", [](double x) { return std::ceil(x / 4); }},
    {"floor(-x / 4)", [](double x) { return std::floor(-x / 4); }},
    {"trunc(x / 4)", [](double x) { return std::trunc(x / 4); }},
    {"round(x / 4)", [](double x) { return std::round(x / 4); }},
    {"rint(x / 4)", [](double x) { return std::rint(x / 4); }},
    {"ldexp(x, -3)", [](double x) { return x / 8; }},
    {"logb(x)", [](double x) { return std::logb(x); }},
    {"nextafter(x, 99.0) - x", [](double x) { return std::nextafter(x, 99.0) - x; }},
    {"sinpi(x)", [](double x) { return std::sin(std::remainder(x, 2) * kPi); }},
    {"norm3d(x, 1, 2)", [](double x) { return std::sqrt(x * x + 5); }},
    {"__drcp_rn(x)", [](double x) { return 1 / x; }},
    {"__ddiv_rn(x, 3)", [](double x) { return x / 3; }},
    {"fmax(x, 3.0)", [](double x) { return std::fmax(x, 3.0); }},
    {"fdim(x, 3.0)", [](double x) { return std::fdim(x, 3.0); }},
    {"copysign(x, -1.0)", [](double x) { return -x; }},
    {"x / 3", [](double x) { return x / 3; }},
    {"j0(x)", [](double x) { return ::j0(x); }},
    {"y1(x)", [](double x) { return ::y1(x); }},
};

TEST_P(Library, FunctionsOfFloats) {
  constexpr std::size_t kCount = std::size(kFloats);
  std::vector<float> in;
  for (int t = 0; t < 32; ++t) in.push_back(0.37F + 0.46F * static_cast<float>(t));
  for (const std::string& arch : runnable({"sm_75", "sm_90", "sm_120"})) {
    compile_for(arch);
    const auto got = run("floats", line(1, 32), {out(kF32, 32 * kCount), given(kF32, in)});
    const auto values = buffer<float>(got, 0);
    for (std::size_t t = 0; t < 32; ++t) {
      for (std::size_t k = 0; k < kCount; ++k) {
        const double want = kFloats[k].want(static_cast<double>(in[t]));
        const auto near = static_cast<float>(std::fabs(want));
        const double unit = static_cast<double>(
            std::nextafter(near, std::numeric_limits<float>::infinity()) - near);
        const double most = kFloats[k].most < 0 ? 1e-6 : kFloats[k].most * unit;
        EXPECT_NEAR(static_cast<double>(values.at(t * kCount + k)), want, most)
            << arch << ": " << kFloats[k].name << " of " << in[t];
      }
    }
  }
}

TEST_P(Library, FunctionsOfDoubles) {
  constexpr std::size_t kCount = std::size(kDoubles);
  std::vector<double> in;
  for (int t = 0; t < 32; ++t) in.push_back(0.37 + 0.46 * t);
  const auto got = run("doubles", line(1, 32), {out(kF64, 32 * kCount), given(kF64, in)});
  const auto values = buffer<double>(got, 0);
  for (std::size_t t = 0; t < 32; ++t) {
    for (std::size_t k = 0; k < kCount; ++k) {
      const double want = kDoubles[k].want(in[t]);
      // 16 units each; near a zero of the function, of the argument.
      const double most = 16 * 0x1p-52 * std::max(std::fabs(want), 0.25);
      EXPECT_NEAR(values.at(t * kCount + k), want, most) << kDoubles[k].name << " of " << in[t];
    }
  }
}

}  // namespace
}  // namespace lab::conformance
