// Half precision: f16 has 11 significant bits and its smallest number is 2^-24 (bits 0001), bf16
// has 8 and the exponents of f32. One is 3c00 and 3f80; the unit in its last place 2^-10 and 2^-7.
#include "tests/conformance/rows.h"

namespace lab::conformance {
namespace {

class HalfRows : public Rows {};
INSTANTIATE_TEST_SUITE_P(Backends, HalfRows, backends(), backend_name);

TEST_P(HalfRows, HalvesRoundToNearestEven) {
  expect({
      {"add.f16 %h0, %h1, %h2", {0x3c00, 0x1000}, 0x3c00},     // 1 + 2^-11: a tie
      {"add.f16 %h0, %h1, %h2", {0x3c01, 0x1000}, 0x3c02},     // the other tie
      {"add.f16 %h0, %h1, %h2", {0x3c00, 0x1001}, 0x3c01},     // past it
      {"add.rn.f16 %h0, %h1, %h2", {0x7bff, 0x4c00}, 0x7c00},  // 65504 + 16 reaches 65520
      {"add.f16 %h0, %h1, %h2", {0x7bff, 0x4b00}, 0x7bff},     // + 14 does not
      {"sub.f16 %h0, %h1, %h2", {0x3c00, 0x4200}, 0xc000},     // 1 - 3
      {"mul.f16 %h0, %h1, %h2", {0x4200, 0xc500}, 0xcb80},     // 3 * -5 = -15
      {"mul.f16 %h0, %h1, %h2", {0x0400, 0x3800}, 0x0200},     // half of 2^-14 is subnormal
      {"mul.ftz.f16 %h0, %h1, %h2", {0x0400, 0x3800}, 0},
      {"add.ftz.f16 %h0, %h1, %h2", {0x0001, 0x0001}, 0},
      {"mul.ftz.f16 %h0, %h1, %h2", {0x8001, 0x3c00}, 0x8000},  // -0 * 1
      {"add.f16 %h0, %h1, %h2", {0x0001, 0x0001}, 0x0002},
      {"add.sat.f16 %h0, %h1, %h2", {0x3c00, 0x3c00}, 0x3c00},
      {"sub.sat.f16 %h0, %h1, %h2", {0x3c00, 0x4000}, 0},
      // (1 + u)^2 less 1 + 2u is u^2 = 2^-20 = 16 * 2^-24.
      {"fma.rn.f16 %h0, %h1, %h1, %h2", {0x3c01, 0xbc02}, 0x0010},
      {"fma.rn.ftz.f16 %h0, %h1, %h1, %h2", {0x3c01, 0xbc02}, 0},
      {"fma.rn.relu.f16 %h0, %h1, %h2, %h3", {0x3c00, 0xc000, 0x3c00}, 0},  // -2 + 1
      {"fma.rn.relu.f16 %h0, %h1, %h2, %h3", {0xfe00, 0x3c00, 0x3c00}, 0x7fff},
      {"fma.rn.sat.f16 %h0, %h1, %h2, %h3", {0x4000, 0x4000, 0}, 0x3c00},
      {"neg.f16 %h0, %h1", {0x3c00}, 0xbc00},
      {"abs.f16 %h0, %h1", {0xfc00}, 0x7c00},
      {"min.f16 %h0, %h1, %h2", {0x7e00, 0x3c00}, 0x3c00},
      {"max.NaN.f16 %h0, %h1, %h2", {0x7e00, 0x3c00}, 0x7fff},
      {"max.f16 %h0, %h1, %h2", {0x8000, 0x0000}, 0x0000},
      // |-3| = 4200 and |2| = 4000; the signs differ.
      {"min.xorsign.abs.f16 %h0, %h1, %h2", {0xc200, 0x4000}, 0xc000},
      {"max.NaN.xorsign.abs.f16 %h0, %h1, %h2", {0xc200, 0x4000}, 0xc200},
      {"sub.f16 %h0, %h1, %h1", {0x7c00}, 0x7fff},  // inf - inf
  });
}

TEST_P(HalfRows, PairsAreTwoHalves) {
  // Upper and lower half of a word: (1, 2) and (3, 5), then sums, products, ...
  expect({
      {"add.f16x2 %r0, %r1, %r2", {0x3c004000, 0x42004500}, 0x44004700},          // (4, 7)
      {"sub.f16x2 %r0, %r1, %r2", {0x3c004000, 0x42004500}, 0xc000c200},          // (-2, -3)
      {"mul.f16x2 %r0, %r1, %r2", {0x3c004000, 0x42004500}, 0x42004900},          // (3, 10)
      {"fma.rn.f16x2 %r0, %r1, %r2, %r1", {0x3c004000, 0x42004500}, 0x44004a00},  // (4, 12)
      {"neg.f16x2 %r0, %r1", {0x3c004000}, 0xbc00c000},
      {"abs.f16x2 %r0, %r1", {0xbc00c000}, 0x3c004000},
      {"min.f16x2 %r0, %r1, %r2", {0x3c004500, 0x42004000}, 0x3c004000},
      {"max.f16x2 %r0, %r1, %r2", {0x3c004500, 0x42004000}, 0x42004500},
      {"max.xorsign.abs.f16x2 %r0, %r1, %r2", {0xbc00c500, 0xc2004000}, 0x4200c500},
      {"min.xorsign.abs.bf16x2 %r0, %r1, %r2", {0xbf80c040, 0x40004000}, 0xbf80c000},
      // Rounding and overflow are each half's own: 65504 + 65504, 1 + 2^-11.
      {"add.f16x2 %r0, %r1, %r2", {0x7bff3c00, 0x7bff1000}, 0x7c003c00},
  });
}

TEST_P(HalfRows, Bfloat16HasTheRangeOfF32) {
  expect({
      {"add.rn.bf16 %h0, %h1, %h2", {0x3f80, 0x3b80}, 0x3f80},  // 1 + 2^-8: a tie
      {"add.rn.bf16 %h0, %h1, %h2", {0x3f81, 0x3b80}, 0x3f82},
      {"sub.rn.bf16 %h0, %h1, %h2", {0x4000, 0x4040}, 0xbf80},       // 2 - 3
      {"mul.rn.bf16 %h0, %h1, %h2", {0x4040, 0x40a0}, 0x4170},       // 3 * 5 = 15
      {"mul.rn.bf16 %h0, %h1, %h2", {0x7f00, 0x4000}, 0x7f80},       // 2^127 * 2
      {"fma.rn.bf16 %h0, %h1, %h1, %h2", {0x3f81, 0xbf82}, 0x3880},  // 2^-14
      // (17/16)^2 = 289/256 is a tie of 144/128 and 145/128; 2^-133 above it decides.
      {"fma.rn.bf16 %h0, %h1, %h1, %h2", {0x3f88, 0}, 0x3f90},
      {"fma.rn.bf16 %h0, %h1, %h1, %h2", {0x3f88, 0x0001}, 0x3f91},
      {"fma.rn.bf16 %h0, %h1, %h1, %h2", {0x3f88, 0x8001}, 0x3f90},
      {"fma.rn.relu.bf16 %h0, %h1, %h2, %h3", {0x3f80, 0xc000, 0x3f80}, 0},
      {"neg.bf16 %h0, %h1", {0x3f80}, 0xbf80},
      {"abs.bf16 %h0, %h1", {0xbf80}, 0x3f80},
      {"min.bf16 %h0, %h1, %h2", {0x7fc0, 0x3f80}, 0x3f80},
      {"max.NaN.bf16 %h0, %h1, %h2", {0x7fc0, 0x3f80}, 0x7fff},
      {"fma.rn.bf16x2 %r0, %r1, %r2, %r1", {0x3f804000, 0x404040a0}, 0x40804140},  // (4, 12)
      {"max.bf16x2 %r0, %r1, %r2", {0x3f8040a0, 0x40404000}, 0x404040a0},
      {"add.rn.bf16x2 %r0, %r1, %r2", {0x3f804000, 0x404040a0}, 0x408040e0},  // (4, 7)
  });
}

TEST_P(HalfRows, ComparisonsAndConversionsOfPairs) {
  expect({
      {"setp.lt.f16 %p0, %h1, %h2", {0x3c00, 0x4000}, 1},
      {"setp.eq.f16 %p0, %h1, %h2", {0x0000, 0x8000}, 1},
      {"setp.ne.f16 %p0, %h1, %h2", {0x7e00, 0x7e00}, 0},
      {"setp.neu.f16 %p0, %h1, %h2", {0x7e00, 0x7e00}, 1},
      {"{setp.lt.f16x2 %p5|%p6, %r1, %r2; selp.u32 %r0, 1, 0, %p5; @%p6 add.u32 %r0, %r0, 2;}",
       {0x40003c00, 0x3c004000},
       1},  // the lower 1 < 2, not the upper 2 < 1
      {"set.gt.f16x2.f16x2 %r0, %r1, %r2", {0x40003c00, 0x3c004000}, 0x3c000000},
      {"cvt.rn.f16x2.f32 %r0, %r1, %r2", {f(2), f(1)}, 0x40003c00},
      {"cvt.rn.bf16x2.f32 %r0, %r1, %r2", {f(2), f(1)}, 0x40003f80},
      {"cvt.rn.relu.f16x2.f32 %r0, %r1, %r2", {f(-2), f(1)}, 0x00003c00},
      {"cvt.rz.bf16x2.f32 %r0, %r1, %r2", {0x3f80ffff, f(1)}, 0x3f803f80},
      {"cvt.rn.satfinite.f16x2.f32 %r0, %r1, %r2", {f(1e30F), f(-1e30F)}, 0x7bfffbff},
  });
}

// e4m3 has its 1 at 0x38 and ends at 448, 0x7e; e5m2 has it at 0x3c and ends at 57344, 0x7b.
TEST_P(HalfRows, PairsOfEightBits) {
  expect({
      {"cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2", {f(1.5F), f(-1000)}, 0x3cfe},
      {"cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2", {kNan32, kInf32}, 0x7f7e},
      {"cvt.rn.satfinite.e5m2x2.f32 %h0, %r1, %r2", {f(1.5F), f(1e9F)}, 0x3e7b},
      {"cvt.rn.satfinite.e5m2x2.f32 %h0, %r1, %r2", {kNan32, kInf32 | kMin32}, 0x7ffb},
      {"cvt.rn.satfinite.relu.e5m2x2.f32 %h0, %r1, %r2", {kNan32, f(-0.0F)}, 0x7f00},
      {"cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2", {f(0x1p-10F), f(0x1.8p-10F)}, 0x0001},
      {"cvt.rn.satfinite.relu.e4m3x2.f16x2 %h0, %r1", {0xc0003c00}, 0x0038},
      {"cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r1", {0x7c00fbff}, 0x7bfb},
      {"cvt.rn.f16x2.e4m3x2 %r0, %h1", {0x7f01}, 0x7fff1800},  // 2^-9
      {"cvt.rn.relu.f16x2.e4m3x2 %r0, %h1", {0xb838}, 0x00003c00},
      {"cvt.rn.f16x2.e5m2x2 %r0, %h1", {0xfc3c}, 0xfc003c00},
      {"cvt.rn.f16x2.e5m2x2 %r0, %h1", {0xff81}, 0x7fff8100},
  });
}

TEST_P(HalfRows, ApproximationsOfHalvesAtSpecialOperands) {
  expect({
      {"tanh.approx.f16 %h0, %h1", {0x7c00}, 0x3c00},
      {"tanh.approx.f16 %h0, %h1", {0xfc00}, 0xbc00},
      {"ex2.approx.f16 %h0, %h1", {0x4200}, 0x4800},  // 2^3
      {"ex2.approx.f16 %h0, %h1", {0xfc00}, 0},
      {"ex2.approx.f16x2 %r0, %r1", {0x40003c00}, 0x44004000},
      {"ex2.approx.ftz.bf16 %h0, %h1", {0x4040}, 0x4100},
      {"tanh.approx.bf16 %h0, %h1", {0xff80}, 0xbf80},
  });
}

}  // namespace
}  // namespace lab::conformance
