// Floating-point instructions against the host's arithmetic in each rounding mode; approximations
// against their bounds in the PTX ISA.
#include <cmath>
#include <numbers>

#include "tests/unit/model/instructions/property.h"

namespace lab::model {
namespace {

using property::expect_always;
using ptx::Round;
using semantics::test::HostRounding;

constexpr std::uint32_t kNan = 0x7fffffff;  ///< f32 arithmetic makes this NaN alone

float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}
float canonical(float value) { return std::isnan(value) ? std::bit_cast<float>(kNan) : value; }
float saturate(float value) {
  if (!(value > 0)) return 0.0F;  // NaN and -0 too
  return value < 1 ? value : 1.0F;
}

/// .ftz and .sat around an operation.
struct Around {
  bool ftz;
  bool sat;
  [[nodiscard]] float in(float value) const { return ftz ? flush(value) : value; }
  [[nodiscard]] float out(float value) const {
    const float flushed = ftz ? flush(value) : value;
    return sat ? saturate(flushed) : canonical(flushed);
  }
  [[nodiscard]] std::string text() const {
    return std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "");
  }
};

struct Mode {
  const char* name;
  Round round;
};
constexpr Mode kModes[] = {
    {".rn", Round::kRn}, {".rz", Round::kRz}, {".rm", Round::kRm}, {".rp", Round::kRp}};

/// The host's result with `round` set; volatile keeps the operation where it is written.
template <typename T, typename F>
T rounded(Round round, F op, T x, T y = 0, T z = 0) {
  volatile T a = x;
  volatile T b = y;
  volatile T c = z;
  volatile T result = 0;
  const HostRounding scope(round);
  result = op(a, b, c);
  return result;
}

constexpr auto kAdd = [](auto a, auto b, auto) { return a + b; };
constexpr auto kSub = [](auto a, auto b, auto) { return a - b; };
constexpr auto kMul = [](auto a, auto b, auto) { return a * b; };
constexpr auto kDiv = [](auto a, auto b, auto) { return a / b; };
constexpr auto kFma = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
constexpr auto kRcp = [](auto a, auto, auto) { return decltype(a){1} / a; };
constexpr auto kSqrt = [](auto a, auto, auto) { return std::sqrt(a); };

template <typename F>
void check_two(const std::string& name, const Mode& mode, const Around& around, F op) {
  expect_always<float, float>(
      name + mode.name + around.text() + ".f32 %r0, %r1, %r2", [&](float a, float b) {
        return around.out(rounded<float>(mode.round, op, around.in(a), around.in(b)));
      });
}
template <typename F>
void check_one(const std::string& name, const Mode& mode, const Around& around, F op) {
  expect_always<float>(name + mode.name + around.text() + ".f32 %r0, %r1", [&](float a) {
    return around.out(rounded<float>(mode.round, op, around.in(a)));
  });
}

void check_single(const Mode& mode, bool ftz) {
  for (const bool sat : {false, true}) {
    const Around around{ftz, sat};
    check_two("add", mode, around, kAdd);
    check_two("sub", mode, around, kSub);
    check_two("mul", mode, around, kMul);
    expect_always<float, float, float>(
        "fma" + (mode.name + around.text()) + ".f32 %r0, %r1, %r2, %r3",
        [&](float a, float b, float c) {
          return around.out(
              rounded<float>(mode.round, kFma, around.in(a), around.in(b), around.in(c)));
        });
  }
  check_two("div", mode, {ftz, false}, kDiv);
  check_one("rcp", mode, {ftz, false}, kRcp);
  check_one("sqrt", mode, {ftz, false}, kSqrt);
}
TEST(FloatProperty, SinglesInEveryRoundingFlushedAndSaturated) {
  for (const Mode& mode : kModes) {
    check_single(mode, false);
    check_single(mode, true);
  }
}

/// Any NaN stands for any other: which one a double operation makes is left open.
double one_nan(double value) { return std::isnan(value) ? std::nan("") : value; }

template <typename... S, typename F>
void expect_double(const std::string& text, const F& want) {
  const property::Instruction instruction(text);
  const auto all = property::tuples<S...>();
  for (std::size_t at = 0; at < all.size(); at += kLanes) {
    const std::size_t count = std::min<std::size_t>(kLanes, all.size() - at);
    const auto got = instruction.run(best_table(), &all[at], count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto host =
          property::host_result<S...>(want, all[at + i], std::index_sequence_for<S...>());
      const double value = one_nan(std::bit_cast<double>(got[i]));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(value),
                std::bit_cast<std::uint64_t>(one_nan(std::bit_cast<double>(host))))
          << text << std::hex << ' ' << all[at + i][0] << ' ' << all[at + i][1];
    }
  }
}
TEST(FloatProperty, DoublesInEveryRounding) {
  for (const Mode& mode : kModes) {
    const auto two = [&](const std::string& name, auto op) {
      expect_double<double, double>(
          name + mode.name + ".f64 %d0, %d1, %d2",
          [&](double a, double b) { return rounded<double>(mode.round, op, a, b); });
    };
    two("add", kAdd);
    two("sub", kSub);
    two("mul", kMul);
    two("div", kDiv);
    expect_double<double, double, double>(
        "fma" + std::string(mode.name) + ".f64 %d0, %d1, %d2, %d3",
        [&](double a, double b, double c) { return rounded<double>(mode.round, kFma, a, b, c); });
    expect_double<double>("rcp" + std::string(mode.name) + ".f64 %d0, %d1",
                          [&](double a) { return rounded<double>(mode.round, kRcp, a); });
    expect_double<double>("sqrt" + std::string(mode.name) + ".f64 %d0, %d1",
                          [&](double a) { return rounded<double>(mode.round, kSqrt, a); });
  }
}

/// The smaller in the order -0 < +0; a NaN gives the other operand.
float smaller(float a, float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
TEST(FloatProperty, OrderAndSigns) {
  const auto larger = [](float a, float b) { return -smaller(-a, -b); };
  const auto nan_wins = [](float a, float b, float c) {
    return std::isnan(a) || std::isnan(b) ? std::bit_cast<float>(kNan) : c;
  };
  expect_always<float, float>("min.f32 %r0, %r1, %r2",
                              [&](float a, float b) { return canonical(smaller(a, b)); });
  expect_always<float, float>("max.f32 %r0, %r1, %r2",
                              [&](float a, float b) { return canonical(larger(a, b)); });
  expect_always<float, float>("min.NaN.f32 %r0, %r1, %r2",
                              [&](float a, float b) { return nan_wins(a, b, smaller(a, b)); });
  expect_always<float, float>("max.NaN.f32 %r0, %r1, %r2",
                              [&](float a, float b) { return nan_wins(a, b, larger(a, b)); });
  expect_always<float, float>("min.ftz.f32 %r0, %r1, %r2", [&](float a, float b) {
    return canonical(smaller(flush(a), flush(b)));
  });
  expect_always<std::uint32_t, std::uint32_t>(
      "copysign.f32 %r0, %r1, %r2",
      [](std::uint32_t a, std::uint32_t b) { return (a & 0x80000000U) | (b & 0x7fffffffU); });
  expect_always<std::uint64_t, std::uint64_t>(
      "copysign.f64 %d0, %d1, %d2",
      [](std::uint64_t a, std::uint64_t b) { return (a >> 63U << 63U) | (b << 1U >> 1U); });
}

TEST(FloatProperty, ClassesOfNumbers) {
  const auto check = [](const std::string& name, auto test) {
    expect_always<float>("testp." + name + ".f32 %p0, %r1",
                         [&](float a) { return test(std::fpclassify(a)); });
    expect_always<double>("testp." + name + ".f64 %p0, %d1",
                          [&](double a) { return test(std::fpclassify(a)); });
  };
  check("finite", [](int c) { return c != FP_NAN && c != FP_INFINITE; });
  check("infinite", [](int c) { return c == FP_INFINITE; });
  check("number", [](int c) { return c != FP_NAN; });
  check("notanumber", [](int c) { return c == FP_NAN; });
  check("normal", [](int c) { return c == FP_NORMAL || c == FP_ZERO; });
  check("subnormal", [](int c) { return c == FP_SUBNORMAL; });
}

/// `text` of each value is within max(relative * |exact|, absolute) of what `exact` says.
template <typename F>
void expect_near(const std::string& text, const std::vector<float>& values, F exact,
                 double relative, double absolute = 0) {
  const property::Instruction instruction(text);
  for (const HandlerTable* table : all_tables()) {
    for (const float value : values) {
      const property::Operands in{std::bit_cast<std::uint32_t>(value)};
      const auto bits = static_cast<std::uint32_t>(instruction.run(*table, &in, 1).front());
      const double want = exact(static_cast<double>(value));
      const double bound = std::max(relative * std::fabs(want), absolute);
      EXPECT_NEAR(std::bit_cast<float>(bits), want, bound) << text << ' ' << value;
    }
  }
}

/// 400 numbers from `low` to `high`, evenly apart.
std::vector<float> range(double low, double high) {
  std::vector<float> values;
  for (int i = 0; i <= 400; ++i) {
    values.push_back(static_cast<float>(low + (high - low) * i / 400));
  }
  return values;
}

TEST(FloatProperty, ApproximationsStayWithinTheirBounds) {
  constexpr double kPi = std::numbers::pi;
  const auto sine = [](double x) { return std::sin(x); };
  const auto cosine = [](double x) { return std::cos(x); };
  // PTX ISA: sin and cos, 2^-20.9 absolute in [-pi, pi].
  expect_near("sin.approx.f32 %r0, %r1", range(-kPi, kPi), sine, 0, 0x1p-20);
  expect_near("cos.approx.f32 %r0, %r1", range(-kPi, kPi), cosine, 0, 0x1p-20);
  // lg2: 2^-22 absolute near 1, else relative. ex2: 2 ulp, 2^-22.
  const auto log2 = [](double x) { return std::log2(x); };
  const auto exp2 = [](double x) { return std::exp2(x); };
  expect_near("lg2.approx.f32 %r0, %r1", range(0.5, 2), log2, 0, 0x1p-22);
  expect_near("lg2.approx.f32 %r0, %r1", range(3, 1e6), log2, 0x1p-22);
  expect_near("ex2.approx.f32 %r0, %r1", range(-100, 100), exp2, 0x1p-22);
  // rcp: 1 ulp; rsqrt: 2^-22.9; sqrt: 2^-23 relative (1 ulp); tanh: 2^-11 relative.
  expect_near(
      "rcp.approx.f32 %r0, %r1", range(0.1, 900), [](double x) { return 1 / x; }, 0x1p-23);
  expect_near(
      "rsqrt.approx.f32 %r0, %r1", range(0.1, 900), [](double x) { return 1 / std::sqrt(x); },
      0x1p-22);
  expect_near(
      "sqrt.approx.f32 %r0, %r1", range(0, 900), [](double x) { return std::sqrt(x); }, 0x1p-22);
  expect_near(
      "tanh.approx.f32 %r0, %r1", range(-4, 4), [](double x) { return std::tanh(x); }, 0x1p-10);
}

TEST(FloatProperty, ApproximateQuotientsAreWithinTwoUlp) {
  for (const char* how : {"approx", "full", "approx.ftz", "full.ftz"}) {
    const property::Instruction instruction("div." + std::string(how) + ".f32 %r0, %r1, %r2");
    for (const float a : range(-50, 50)) {
      for (const float b : {0.1F, 1.0F, 3.0F, 7.5F, 1e6F}) {
        const property::Operands in{std::bit_cast<std::uint32_t>(a),
                                    std::bit_cast<std::uint32_t>(b)};
        const auto bits = static_cast<std::uint32_t>(instruction.run(best_table(), &in, 1).front());
        const double want = static_cast<double>(a) / static_cast<double>(b);
        EXPECT_NEAR(std::bit_cast<float>(bits), want, std::fabs(want) * 0x1p-22) << how;
      }
    }
  }
}

}  // namespace
}  // namespace lab::model
