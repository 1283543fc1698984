// Floating-point instructions on known operands; PTX ISA, "Floating Point Instructions". One unit
// in the last place of 1.0F is 2^-23, of 1.0 is 2^-52.
#include "tests/conformance/rows.h"

namespace lab::conformance {
namespace {

class FloatRows : public Rows {};
INSTANTIATE_TEST_SUITE_P(Backends, FloatRows, backends(), backend_name);

constexpr float kUp = 1.0F + 0x1p-23F;  ///< the neighbour of 1

TEST_P(FloatRows, SumsRoundInFourDirections) {
  const std::vector<std::uint64_t> tie = {f(1), f(0x1p-24F)};
  const std::vector<std::uint64_t> odd_tie = {f(kUp), f(0x1p-24F)};
  const std::vector<std::uint64_t> below = {f(-1), f(-0x1p-30F)};
  expect({
      {"add.rn.f32 %r0, %r1, %r2", tie, f(1)},  // to even
      {"add.rn.f32 %r0, %r1, %r2", odd_tie, f(1.0F + 0x1p-22F)},
      {"add.rz.f32 %r0, %r1, %r2", odd_tie, f(kUp)},
      {"add.rm.f32 %r0, %r1, %r2", tie, f(1)},
      {"add.rp.f32 %r0, %r1, %r2", tie, f(kUp)},
      {"add.f32 %r0, %r1, %r2", below, f(-1)},
      {"add.rz.f32 %r0, %r1, %r2", below, f(-1)},
      {"add.rm.f32 %r0, %r1, %r2", below, f(-kUp)},
      {"add.rp.f32 %r0, %r1, %r2", below, f(-1)},
      {"sub.rm.f32 %r0, %r1, %r2", {f(1), f(0x1p-30F)}, f(1.0F - 0x1p-24F)},
      {"sub.rz.f32 %r0, %r1, %r2", {f(1), f(0x1p-30F)}, f(1.0F - 0x1p-24F)},
      {"sub.rp.f32 %r0, %r1, %r2", {f(1), f(0x1p-30F)}, f(1)},
      // x - x is +0, but -0 where rounding goes down.
      {"sub.rn.f32 %r0, %r1, %r2", {f(3), f(3)}, 0},
      {"sub.rm.f32 %r0, %r1, %r2", {f(3), f(3)}, kMin32},
      {"add.rn.f64 %d0, %d1, %d2", {d(1), d(0x1p-53)}, d(1)},
      {"add.rp.f64 %d0, %d1, %d2", {d(1), d(0x1p-53)}, d(1 + 0x1p-52)},
      {"add.rm.f64 %d0, %d1, %d2", {d(-1), d(-0x1p-90)}, d(-1 - 0x1p-52)},
      {"add.rz.f64 %d0, %d1, %d2", {d(-1), d(-0x1p-90)}, d(-1)},
      {"sub.rn.f64 %d0, %d1, %d2", {d(0.5), d(2)}, d(-1.5)},
  });
}

TEST_P(FloatRows, OverflowGoesToInfinityOrStopsAtTheLargest) {
  const auto largest = f(0x1.fffffep127F);
  expect({
      {"add.rn.f32 %r0, %r1, %r1", {largest}, kInf32},
      {"add.rz.f32 %r0, %r1, %r1", {largest}, largest},
      {"add.rm.f32 %r0, %r1, %r1", {largest}, largest},
      {"add.rp.f32 %r0, %r1, %r1", {largest}, kInf32},
      {"mul.rp.f32 %r0, %r1, %r2", {largest, f(-2)}, f(-0x1.fffffep127F)},
      {"mul.rm.f32 %r0, %r1, %r2", {largest, f(-2)}, kInf32 | kMin32},
      {"mul.rn.f64 %d0, %d1, %d2", {d(0x1p1023), d(2)}, kInf64},
      {"mul.rz.f64 %d0, %d1, %d2", {d(0x1p1023), d(2)}, d(0x1.fffffffffffffp1023)},
  });
}

TEST_P(FloatRows, SubnormalsAreKeptOrFlushed) {
  expect({
      {"mul.f32 %r0, %r1, %r2", {f(0x1p-100F), f(0x1p-49F)}, 1},  // 2^-149, the smallest
      {"mul.ftz.f32 %r0, %r1, %r2", {f(0x1p-100F), f(0x1p-49F)}, 0},
      {"mul.ftz.f32 %r0, %r1, %r2", {f(-0x1p-100F), f(0x1p-49F)}, kMin32},  // keeps its sign
      {"mul.rp.f32 %r0, %r1, %r2", {f(0x1p-100F), f(0x1p-100F)}, 1},
      {"mul.rn.f32 %r0, %r1, %r2", {f(0x1p-100F), f(0x1p-100F)}, 0},
      {"add.f32 %r0, %r1, %r2", {1, 1}, 2},
      {"add.ftz.f32 %r0, %r1, %r2", {1, 1}, 0},
      {"add.ftz.f32 %r0, %r1, %r2", {1, f(1)}, f(1)},
      {"sub.ftz.f32 %r0, %r1, %r2", {0x00800001, 0x00800000}, 0},  // a subnormal difference
      {"sub.f32 %r0, %r1, %r2", {0x00800001, 0x00800000}, 1},
      {"fma.rn.ftz.f32 %r0, %r1, %r2, %r3", {1, f(0x1p127F), f(2)}, f(2)},
      {"fma.rn.f32 %r0, %r1, %r2, %r3", {1, f(0x1p127F), f(2)}, f(2 + 0x1p-22F)},
      {"abs.ftz.f32 %r0, %r1", {0x80000001}, 0},
      {"neg.ftz.f32 %r0, %r1", {1}, kMin32},
      {"abs.f32 %r0, %r1", {0x80000001}, 1},
      {"max.ftz.f32 %r0, %r1, %r2", {1, 0x80000001}, 0},
      {"add.f64 %d0, %d1, %d2", {1, 1}, 2},  // f64 has no .ftz
      {"mul.f64 %d0, %d1, %d2", {d(0x1p-1000), d(0x1p-74)}, 1},
  });
}

TEST_P(FloatRows, SaturationEndsAtZeroAndOne) {
  expect({
      {"add.sat.f32 %r0, %r1, %r2", {f(0.25F), f(0.5F)}, f(0.75F)},
      {"add.sat.f32 %r0, %r1, %r2", {f(1), f(0.5F)}, f(1)},
      {"sub.sat.f32 %r0, %r1, %r2", {f(1), f(3)}, 0},
      {"mul.sat.f32 %r0, %r1, %r2", {kInf32, f(2)}, f(1)},
      {"mul.sat.f32 %r0, %r1, %r2", {kInf32, f(0)}, 0},  // NaN saturates to 0
      {"fma.rn.sat.f32 %r0, %r1, %r2, %r3", {f(2), f(2), f(-3.5F)}, f(0.5F)},
      {"fma.rn.sat.f32 %r0, %r1, %r2, %r3", {f(2), f(2), f(-5)}, 0},
      {"fma.rn.ftz.sat.f32 %r0, %r1, %r2, %r3", {f(2), f(2), f(5)}, f(1)},
  });
}

TEST_P(FloatRows, FusedProductsRoundOnce) {
  // (1 + u)^2 = 1 + 2u + u^2 with u = 2^-23: less 1 + 2u it is u^2 = 2^-46.
  expect({
      {"fma.rn.f32 %r0, %r1, %r1, %r2", {f(kUp), f(-1.0F - 0x1p-22F)}, f(0x1p-46F)},
      {"{mul.rn.f32 %r0, %r1, %r1; add.rn.f32 %r0, %r0, %r2;}",
       {f(kUp), f(-1.0F - 0x1p-22F)},
       f(0)},
      {"fma.rz.f32 %r0, %r1, %r1, %r2", {f(1), f(-0x1p-40F)}, f(1.0F - 0x1p-24F)},
      {"fma.rp.f32 %r0, %r1, %r1, %r2", {f(1), f(0x1p-40F)}, f(kUp)},
      {"fma.rm.f32 %r0, %r1, %r1, %r2", {f(1), f(0x1p-40F)}, f(1)},
      {"mad.rn.f32 %r0, %r1, %r1, %r2", {f(kUp), f(-1.0F - 0x1p-22F)}, f(0x1p-46F)},
      {"fma.rn.f64 %d0, %d1, %d1, %d2", {d(1 + 0x1p-52), d(-1 - 0x1p-51)}, d(0x1p-104)},
      {"fma.rp.f64 %d0, %d1, %d1, %d2", {d(1), d(0x1p-200)}, d(1 + 0x1p-52)},
      {"fma.rm.f64 %d0, %d1, %d1, %d2", {d(1), d(-0x1p-200)}, d(1 - 0x1p-53)},
      {"fma.rz.f64 %d0, %d1, %d1, %d2", {d(1), d(-0x1p-200)}, d(1 - 0x1p-53)},
      {"fma.rn.f32 %r0, %r1, %r2, %r3", {kInf32, 0, f(1)}, kNan32},
      {"fma.rn.f32 %r0, %r1, %r2, %r3", {kInf32, f(1), kInf32 | kMin32}, kNan32},
  });
}

TEST_P(FloatRows, QuotientsAndRootsRoundCorrectly) {
  // 1/3 = 0x3eaaaaaa.aaaaaa: up from half. sqrt 2 = 0x3fb504f3.33f9de: down.
  expect({
      {"div.rn.f32 %r0, %r1, %r2", {f(1), f(3)}, 0x3eaaaaab},
      {"div.rz.f32 %r0, %r1, %r2", {f(1), f(3)}, 0x3eaaaaaa},
      {"div.rm.f32 %r0, %r1, %r2", {f(-1), f(3)}, 0xbeaaaaab},
      {"div.rp.f32 %r0, %r1, %r2", {f(-1), f(3)}, 0xbeaaaaaa},
      {"div.rn.ftz.f32 %r0, %r1, %r2", {1, f(0.5F)}, 0},
      {"div.rn.f32 %r0, %r1, %r2", {1, f(0.5F)}, 2},
      {"div.rn.f32 %r0, %r1, %r2", {f(1), f(0)}, kInf32},
      {"div.rn.f32 %r0, %r1, %r2", {f(1), f(-0.0F)}, kInf32 | kMin32},
      {"div.rn.f32 %r0, %r1, %r2", {f(0), f(0)}, kNan32},
      {"div.rn.f32 %r0, %r1, %r2", {f(-3), kInf32}, kMin32},
      {"rcp.rn.f32 %r0, %r1", {f(3)}, 0x3eaaaaab},
      {"rcp.rz.f32 %r0, %r1", {f(3)}, 0x3eaaaaaa},
      {"rcp.rp.f32 %r0, %r1", {f(-3)}, 0xbeaaaaaa},
      {"rcp.rm.f32 %r0, %r1", {f(-3)}, 0xbeaaaaab},
      {"rcp.rn.f32 %r0, %r1", {kInf32 | kMin32}, kMin32},
      {"sqrt.rn.f32 %r0, %r1", {f(2)}, 0x3fb504f3},
      {"sqrt.rz.f32 %r0, %r1", {f(2)}, 0x3fb504f3},
      {"sqrt.rp.f32 %r0, %r1", {f(2)}, 0x3fb504f4},
      {"sqrt.rm.f32 %r0, %r1", {f(2)}, 0x3fb504f3},
      {"sqrt.rn.f32 %r0, %r1", {f(-0.0F)}, kMin32},
      {"sqrt.rn.f32 %r0, %r1", {f(-1)}, kNan32},
      {"sqrt.rn.ftz.f32 %r0, %r1", {0x80000001}, kMin32},
      // 1/3 = 0x3fd55555 55555555.55: down. sqrt 2 = 0x3ff6a09e 667f3bcc.908: up from half.
      {"div.rn.f64 %d0, %d1, %d2", {d(1), d(3)}, 0x3fd5555555555555},
      {"div.rp.f64 %d0, %d1, %d2", {d(1), d(3)}, 0x3fd5555555555556},
      {"div.rz.f64 %d0, %d1, %d2", {d(-1), d(3)}, 0xbfd5555555555555},
      {"div.rm.f64 %d0, %d1, %d2", {d(-1), d(3)}, 0xbfd5555555555556},
      {"rcp.rn.f64 %d0, %d1", {d(3)}, 0x3fd5555555555555},
      {"rcp.rp.f64 %d0, %d1", {d(3)}, 0x3fd5555555555556},
      {"sqrt.rn.f64 %d0, %d1", {d(2)}, 0x3ff6a09e667f3bcd},
      {"sqrt.rz.f64 %d0, %d1", {d(2)}, 0x3ff6a09e667f3bcc},
      {"sqrt.rm.f64 %d0, %d1", {d(2)}, 0x3ff6a09e667f3bcc},
      {"sqrt.rp.f64 %d0, %d1", {d(2)}, 0x3ff6a09e667f3bcd},
  });
}

TEST_P(FloatRows, TheSmallerOfANumberAndNanIsTheNumber) {
  constexpr std::uint64_t nan = 0x7fc00001;
  expect({
      {"min.f32 %r0, %r1, %r2", {f(1), f(-2)}, f(-2)},
      {"max.f32 %r0, %r1, %r2", {f(1), f(-2)}, f(1)},
      {"min.f32 %r0, %r1, %r2", {nan, f(5)}, f(5)},
      {"max.f32 %r0, %r1, %r2", {f(5), nan}, f(5)},
      {"max.f32 %r0, %r1, %r2", {nan, nan}, kNan32},
      {"min.NaN.f32 %r0, %r1, %r2", {nan, f(5)}, kNan32},
      {"max.NaN.f32 %r0, %r1, %r2", {f(5), nan}, kNan32},
      {"max.NaN.f32 %r0, %r1, %r2", {f(5), f(6)}, f(6)},
      {"min.f32 %r0, %r1, %r2", {f(0), f(-0.0F)}, kMin32},  // +0 is above -0
      {"max.f32 %r0, %r1, %r2", {f(-0.0F), f(0)}, 0},
      {"min.f32 %r0, %r1, %r2", {kInf32, f(1)}, f(1)},
      // Of the magnitudes, with the sign of the product; a NaN keeps its own.
      {"min.xorsign.abs.f32 %r0, %r1, %r2", {f(-3), f(2)}, f(-2)},
      {"max.xorsign.abs.f32 %r0, %r1, %r2", {f(-3), f(-2)}, f(3)},
      {"max.ftz.xorsign.abs.f32 %r0, %r1, %r2", {0x80000001, 0}, kMin32},
      {"min.NaN.xorsign.abs.f32 %r0, %r1, %r2", {nan, f(-5)}, kNan32},
      {"max.xorsign.abs.f32 %r0, %r1, %r2", {nan, f(-5)}, f(-5)},
      {"min.f64 %d0, %d1, %d2", {d(1), d(-2)}, d(-2)},
      {"max.f64 %d0, %d1, %d2", {0x7ff8000000000001, d(5)}, d(5)},
      {"max.f64 %d0, %d1, %d2", {d(-0.0), d(0)}, 0},
  });
}

TEST_P(FloatRows, SignsAreTakenAndGiven) {
  expect({
      {"abs.f32 %r0, %r1", {f(-3)}, f(3)},
      {"neg.f32 %r0, %r1", {f(0)}, kMin32},
      {"abs.f64 %d0, %d1", {d(-3)}, d(3)},
      {"neg.f64 %d0, %d1", {kInf64}, kInf64 | kMin64},
      // The sign of a on the magnitude of b.
      {"copysign.f32 %r0, %r1, %r2", {f(-1), f(7)}, f(-7)},
      {"copysign.f32 %r0, %r1, %r2", {f(1), f(-7)}, f(7)},
      {"copysign.f64 %d0, %d1, %d2", {d(-0.0), d(7)}, d(-7)},
  });
}

TEST_P(FloatRows, ClassesOfNumbers) {
  struct Class {
    std::uint64_t bits;
    const char* is;  ///< letters of the tests that are true
  };
  // finite, infinite, number, not a number, normal, subnormal; zero counts as normal.
  const Class classes[] = {{f(1), "finu"},          {f(-0.0F), "finu"},      {1, "fi1u"},
                           {kInf32, "inf"},         {0x7fc00000, "nan"},     {0x80000001, "fi1u"},
                           {f(-0x1p-126F), "finu"}, {kInf32 | kMin32, "inf"}};
  std::vector<Row> rows;
  for (const Class& each : classes) {
    const std::string is = each.is;
    const bool finite = is[0] == 'f';
    const bool infinite = is == "inf";
    const bool nan = is == "nan";
    const std::pair<const char*, bool> tests[] = {
        {"finite", finite},  {"infinite", infinite},   {"number", !nan},
        {"notanumber", nan}, {"normal", is == "finu"}, {"subnormal", is == "fi1u"}};
    for (const auto& [test, want] : tests) {
      rows.push_back({"testp." + std::string(test) + ".f32 %p0, %r1", {each.bits}, want ? 1U : 0U});
    }
  }
  rows.push_back({"testp.subnormal.f64 %p0, %d1", {1}, 1});
  rows.push_back({"testp.normal.f64 %p0, %d1", {d(0x1p-1022)}, 1});
  rows.push_back({"testp.infinite.f64 %p0, %d1", {kInf64 | kMin64}, 1});
  rows.push_back({"testp.notanumber.f64 %p0, %d1", {0x7ff0000000000001}, 1});
  rows.push_back({"testp.finite.f64 %p0, %d1", {kInf64}, 0});
  expect(rows);
}

TEST_P(FloatRows, InvalidOperationsOfDoublesGiveNan) {
  // Which NaN is left open: only that it is one.
  std::vector<Row> rows;
  for (const char* text : {"sub.f64 %d5, %d1, %d1", "mul.f64 %d5, %d1, 0d0000000000000000",
                           "div.rn.f64 %d5, %d1, %d1", "sqrt.rn.f64 %d5, 0dBFF0000000000000",
                           "fma.rn.f64 %d5, %d1, 0d0000000000000000, 0d3FF0000000000000"}) {
    rows.push_back({"{" + std::string(text) + "; testp.notanumber.f64 %p0, %d5;}", {kInf64}, 1});
  }
  expect(rows);
}

TEST_P(FloatRows, ApproximationsMeetTheirSpecialOperands) {
  // PTX ISA's tables of each instruction.
  expect({
      {"rcp.approx.f32 %r0, %r1", {f(0)}, kInf32},
      {"rcp.approx.f32 %r0, %r1", {f(-0.0F)}, kInf32 | kMin32},
      {"rcp.approx.f32 %r0, %r1", {kInf32}, 0},
      {"rcp.approx.ftz.f32 %r0, %r1", {1}, kInf32},
      {"sqrt.approx.f32 %r0, %r1", {f(-0.0F)}, kMin32},
      {"sqrt.approx.f32 %r0, %r1", {kInf32}, kInf32},
      {"sqrt.approx.f32 %r0, %r1", {f(-1)}, kNan32},
      {"rsqrt.approx.f32 %r0, %r1", {f(0)}, kInf32},
      {"rsqrt.approx.f32 %r0, %r1", {kInf32}, 0},
      {"rsqrt.approx.f32 %r0, %r1", {f(-4)}, kNan32},
      {"sin.approx.f32 %r0, %r1", {f(-0.0F)}, kMin32},
      {"sin.approx.f32 %r0, %r1", {kInf32}, kNan32},
      {"cos.approx.f32 %r0, %r1", {f(0)}, f(1)},
      {"cos.approx.f32 %r0, %r1", {kInf32 | kMin32}, kNan32},
      {"lg2.approx.f32 %r0, %r1", {f(0)}, kInf32 | kMin32},
      {"lg2.approx.f32 %r0, %r1", {kInf32}, kInf32},
      {"lg2.approx.f32 %r0, %r1", {f(-1)}, kNan32},
      {"lg2.approx.f32 %r0, %r1", {f(1)}, 0},
      {"ex2.approx.f32 %r0, %r1", {kInf32 | kMin32}, 0},
      {"ex2.approx.f32 %r0, %r1", {kInf32}, kInf32},
      {"ex2.approx.f32 %r0, %r1", {f(0)}, f(1)},
      {"ex2.approx.ftz.f32 %r0, %r1", {f(-140)}, 0},
      {"tanh.approx.f32 %r0, %r1", {kInf32}, f(1)},
      {"tanh.approx.f32 %r0, %r1", {kInf32 | kMin32}, f(-1)},
      {"tanh.approx.f32 %r0, %r1", {0x7fc00000}, kNan32},
      {"rsqrt.approx.f32 %r0, %r1", {f(-0.0F)}, kInf32 | kMin32},
      {"lg2.approx.f32 %r0, %r1", {f(-0.0F)}, kInf32 | kMin32},
      {"rcp.approx.f32 %r0, %r1", {0x7fc00000}, kNan32},
      {"ex2.approx.f32 %r0, %r1", {0x7fc00000}, kNan32},
      {"lg2.approx.f32 %r0, %r1", {0x7fc00000}, kNan32},
      {"sin.approx.f32 %r0, %r1", {0x7fc00000}, kNan32},
      {"div.approx.f32 %r0, %r1, %r2", {f(1), kInf32}, 0},
      // Past 2^126 the reciprocal underflows, but for div.full.
      {"div.approx.f32 %r0, %r1, %r2", {f(-0x1p100F), f(0x1p127F)}, kMin32},
      {"div.approx.f32 %r0, %r1, %r2", {kInf32, f(0x1p127F)}, kNan32},
      {"div.full.f32 %r0, %r1, %r2", {f(0x1p127F), f(0x1p127F)}, f(1)},
      {"div.full.f32 %r0, %r1, %r2", {f(1), f(0)}, kInf32},
      {"rcp.approx.ftz.f64 %d0, %d1", {d(0)}, kInf64},
      {"rcp.approx.ftz.f64 %d0, %d1", {d(4)}, d(0.25)},
      {"rcp.approx.ftz.f64 %d0, %d1", {d(0x1p-1060)}, kInf64},
      {"rcp.approx.ftz.f64 %d0, %d1", {d(-0x1p1023)}, kMin64},  // 2^-1023 is subnormal
      // Its result has an upper half only.
      {"{rcp.approx.ftz.f64 %d0, %d1; and.b64 %d0, %d0, 0xffffffff;}", {d(3)}, 0},
      {"rsqrt.approx.f64 %d0, %d1", {kInf64}, 0},
  });
}

}  // namespace
}  // namespace lab::conformance
