// A kernel for each family of instructions, from PTX text to memory, on every instruction set that
// this processor has. Lane t reads word t of `in` and writes word t of `out`.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx_run::entry;
using ptx_run::run_ptx;
using ptx_run::Scene;
using Words = std::vector<std::uint32_t>;

/// 32 words that exercise signs, carries and every bit: an odd multiplier's powers.
Words varied() {
  Words words;
  std::uint32_t x = 0x9e3779b9U;
  for (int i = 0; i < 32; ++i) words.push_back(x = x * 1664525U + 1013904223U);
  return words;
}

/// `body` leaves its result in %r0, given in[t] in %r1; want(t, in[t]) is what it should be.
void expect_lanes(const std::string& body, const Words& in,
                  const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& want) {
  const std::string text =
      entry("ld.global.u32 %r1, [%from];\n" + body + "\nst.global.u32 [%mine], %r0;\nret;");
  for (const HandlerTable* table : all_tables()) {
    Scene scene;
    scene.in = in;
    scene.table = table;
    const auto ran = run_ptx(text, scene);
    ASSERT_TRUE(ran.result.faults.empty());
    for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], want(t, in[t])) << body << t;
  }
}

TEST(Kernels, IntegerArithmetic) {
  // ((x * 7) >> 64-bit high word) + min(x, t) - x % 10, signed.
  expect_lanes(
      "mul.hi.s32 %r2, %r1, 7;\nmin.s32 %r3, %r1, %t;\nrem.s32 %r4, %r1, 10;\n"
      "add.s32 %r0, %r2, %r3;\nsub.s32 %r0, %r0, %r4;",
      varied(), [](std::uint32_t t, std::uint32_t x) {
        const std::int64_t s = static_cast<std::int32_t>(x);
        const std::int64_t high = (s * 7) >> 32;
        return static_cast<std::uint32_t>(high + std::min<std::int64_t>(s, t) - s % 10);
      });
}

TEST(Kernels, DivisionByZeroAndOverflow) {
  Words in(32, 5);
  in[1] = 0;
  in[2] = 0xffffffffU;  // -1
  // -2^31 / 5 = -429496729; by 0 all ones; by -1 itself.
  expect_lanes("mov.b32 %r2, 0x80000000;\ndiv.s32 %r0, %r2, %r1;", in,
               [](std::uint32_t t, std::uint32_t) {
                 return t == 1 ? 0xffffffffU
                               : (t == 2 ? 0x80000000U : static_cast<std::uint32_t>(-429496729));
               });
  // The same where all operands are constants, which are computed ahead of time.
  expect_lanes("mov.b32 %r2, 0x80000000;\nmov.b32 %r3, 0;\ndiv.s32 %r0, %r2, %r3;", in,
               [](std::uint32_t, std::uint32_t) { return 0xffffffffU; });
}

TEST(Kernels, CarryChainsAddNinetySixBits) {
  // {x, ffffffff, ffffffff} + {0, 0, t}: the carry runs through both words where t > 0.
  expect_lanes(
      "mov.b32 %r2, -1;\nadd.cc.u32 %r3, %r2, %t;\naddc.cc.u32 %r4, %r2, 0;\naddc.u32 %r0, %r1, 0;",
      varied(), [](std::uint32_t t, std::uint32_t x) { return x + (t > 0 ? 1U : 0U); });
  // 64-bit product of x and x from 32-bit halves, its upper word.
  expect_lanes(
      "mul.lo.u32 %r2, %r1, %r1;\nmad.lo.cc.u32 %r3, %r1, 0, %r2;\nmadc.hi.u32 %r0, %r1, %r1, 0;",
      varied(), [](std::uint32_t, std::uint32_t x) {
        return static_cast<std::uint32_t>((std::uint64_t{x} * x) >> 32U);
      });
}

TEST(Kernels, SixtyFourBitArithmetic) {
  // x * x as 64 bits, shifted by t + 20 and folded.
  expect_lanes(
      "mul.wide.u32 %rd1, %r1, %r1;\nadd.s32 %r2, %t, 20;\nshr.u64 %rd2, %rd1, %r2;\n"
      "xor.b64 %rd3, %rd1, %rd2;\ncvt.u32.u64 %r0, %rd3;",
      varied(), [](std::uint32_t t, std::uint32_t x) {
        const std::uint64_t square = std::uint64_t{x} * x;
        return static_cast<std::uint32_t>(square ^ (square >> (t + 20)));
      });
}

TEST(Kernels, BitFieldsAndCounts) {
  // popc + clz + position of the highest bit: 31 = clz + position for x > 0.
  expect_lanes(
      "popc.b32 %r2, %r1;\nclz.b32 %r3, %r1;\nbfind.u32 %r4, %r1;\nadd.s32 %r0, %r2, %r3;\n"
      "add.s32 %r0, %r0, %r4;",
      varied(), [](std::uint32_t, std::uint32_t x) {
        return static_cast<std::uint32_t>(std::popcount(x)) + 31U;
      });
  // Eight bits from bit t, signed, put back at bit 3 of zero.
  expect_lanes("bfe.s32 %r2, %r1, %t, 8;\nbfi.b32 %r0, %r2, 0, 3, 8;", varied(),
               [](std::uint32_t t, std::uint32_t x) {
                 const auto field = static_cast<std::uint32_t>(static_cast<std::int32_t>(x) >>
                                                               static_cast<int>(t));
                 return (field & 0xffU) << 3U;
               });
  // brev of brev is the number; a byte swap by prmt twice too.
  expect_lanes(
      "brev.b32 %r2, %r1;\nbrev.b32 %r2, %r2;\nprmt.b32 %r2, %r2, 0, 0x0123;\n"
      "prmt.b32 %r0, %r2, 0, 0x0123;",
      varied(), [](std::uint32_t, std::uint32_t x) { return x; });
}

TEST(Kernels, ShiftsPastTheWidth) {
  // By 2t: zero (or the sign) from lane 16 on.
  expect_lanes(
      "add.s32 %r2, %t, %t;\nshl.b32 %r3, %r1, %r2;\nshr.s32 %r4, %r1, %r2;\n"
      "xor.b32 %r0, %r3, %r4;",
      varied(), [](std::uint32_t t, std::uint32_t x) {
        const std::uint32_t sign = (x >> 31U) != 0 ? ~0U : 0U;
        if (t >= 16) return sign;
        const auto right = static_cast<std::int32_t>(x) >> static_cast<int>(2 * t);
        return (x << (2 * t)) ^ static_cast<std::uint32_t>(right);
      });
  // A funnel of x above x rotates.
  expect_lanes("shf.l.wrap.b32 %r0, %r1, %r1, %t;", varied(),
               [](std::uint32_t t, std::uint32_t x) { return std::rotl(x, static_cast<int>(t)); });
}

TEST(Kernels, LogicTables) {
  // 0x96 is the exclusive or of three, 0xca is a ? b : c.
  expect_lanes(
      "mov.b32 %r2, 0x0f0f00ff;\nlop3.b32 %r3, %r1, %r2, %t, 0x96;\n"
      "lop3.b32 %r0, %r2, %r3, %r1, 0xca;",
      varied(), [](std::uint32_t t, std::uint32_t x) {
        const std::uint32_t b = 0x0f0f00ffU;
        const std::uint32_t three = x ^ b ^ t;
        return (b & three) | (~b & x);
      });
}

TEST(Kernels, DotProductsAndPacking) {
  // 0x01010101 . bytes of x, unsigned: their sum, plus t.
  expect_lanes("mov.b32 %r2, 0x01010101;\ndp4a.u32.u32 %r0, %r1, %r2, %t;", varied(),
               [](std::uint32_t t, std::uint32_t x) {
                 return (x & 255U) + ((x >> 8U) & 255U) + ((x >> 16U) & 255U) + (x >> 24U) + t;
               });
  // t - 16 and 300, saturated to bytes, below the half word 0xbeef.
  expect_lanes(
      "sub.s32 %r2, %t, 16;\nmov.b32 %r3, 300;\nmov.b32 %r4, 0xbeef;\n"
      "cvt.pack.sat.u8.s32.b32 %r0, %r2, %r3, %r4;",
      varied(), [](std::uint32_t t, std::uint32_t) {
        return 0xbeef0000U | ((t < 16 ? 0U : t - 16) << 8U) | 255U;
      });
}

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(Kernels, FloatsRoundOnceWhereFused) {
  // x = 1 + t 2^-23: x * x - (1 + t 2^-22) is t^2 2^-46 when fused; lost when rounded twice.
  Words in;
  for (std::uint32_t t = 0; t < 32; ++t) in.push_back(0x3f800000U + t);
  const std::string square =
      "mov.b32 %f1, %r1;\nsub.f32 %f2, %f1, 0f3F800000;\nfma.rn.f32 %f3, %f2, 0f40000000, "
      "0f3F800000;\nneg.f32 %f3, %f3;\n";
  expect_lanes(
      square + "fma.rn.f32 %f4, %f1, %f1, %f3;\nmov.b32 %r0, %f4;", in,
      [](std::uint32_t t, std::uint32_t) { return bits(static_cast<float>(t * t) * 0x1p-46F); });
  expect_lanes(square + "mul.rn.f32 %f4, %f1, %f1;\nadd.rn.f32 %f4, %f4, %f3;\nmov.b32 %r0, %f4;",
               in, [](std::uint32_t, std::uint32_t) { return bits(0.0F); });
}

TEST(Kernels, DirectedRoundingBracketsTheQuotient) {
  // t / 3 down and up: equal where exact, else neighbours.
  expect_lanes(
      "cvt.rn.f32.u32 %f1, %t;\ndiv.rm.f32 %f2, %f1, 0f40400000;\ndiv.rp.f32 %f3, %f1, "
      "0f40400000;\nmov.b32 %r2, %f2;\nmov.b32 %r3, %f3;\nsub.s32 %r0, %r3, %r2;",
      varied(), [](std::uint32_t t, std::uint32_t) { return t % 3 == 0 ? 0U : 1U; });
}

TEST(Kernels, FlushSaturateAndNan) {
  const float inf = std::numeric_limits<float>::infinity();
  Words in(32, bits(0.25F));
  in[1] = bits(0x1p-140F);
  in[2] = bits(-0x1p-140F);
  in[3] = bits(inf);
  in[4] = 0x7fc12345U;
  in[5] = bits(-3.0F);
  // x + 0 with .ftz: subnormals become zeros; 0 - of either sign - plus +0 is +0.
  expect_lanes("mov.b32 %f1, %r1;\nadd.ftz.f32 %f2, %f1, 0f00000000;\nmov.b32 %r0, %f2;", in,
               [](std::uint32_t t, std::uint32_t x) {
                 return t == 1 || t == 2 ? 0U : (t == 4 ? 0x7fffffffU : x);
               });
  expect_lanes("mov.b32 %f1, %r1;\nadd.sat.f32 %f2, %f1, %f1;\nmov.b32 %r0, %f2;", in,
               [](std::uint32_t t, std::uint32_t) {
                 if (t == 1) return bits(0x1p-139F);
                 return t == 2 || t == 4 || t == 5 ? 0U : bits(t == 3 ? 1.0F : 0.5F);
               });
  // inf - inf and the operand's own NaN are both the hardware's NaN.
  expect_lanes("mov.b32 %f1, %r1;\nsub.f32 %f2, %f1, %f1;\nmov.b32 %r0, %f2;", in,
               [](std::uint32_t t, std::uint32_t) { return t == 3 || t == 4 ? 0x7fffffffU : 0U; });
  // max of a NaN and a number is the number.
  expect_lanes("mov.b32 %f1, %r1;\nmax.f32 %f2, %f1, 0fBF800000;\nmov.b32 %r0, %f2;", in,
               [](std::uint32_t t, std::uint32_t x) { return t == 4 || t == 5 ? bits(-1.0F) : x; });
}

TEST(Kernels, Doubles) {
  // sqrt(t^2 + 2t + 1) = t + 1 exactly; 1 / (t + 1) times (t + 1), rounded down, is at most 1.
  expect_lanes(
      "cvt.rn.f64.u32 %fd0, %t;\nadd.f64 %fd1, %fd0, 0d3FF0000000000000;\n"
      "mul.f64 %fd2, %fd1, %fd1;\nsqrt.rn.f64 %fd2, %fd2;\ncvt.rzi.u32.f64 %r0, %fd2;",
      varied(), [](std::uint32_t t, std::uint32_t) { return t + 1; });
  // The upper half of t + 0.5 as its bits: no f32 on the way.
  expect_lanes(
      "cvt.rn.f64.u32 %fd0, %t;\nadd.f64 %fd0, %fd0, 0d3FE0000000000000;\n"
      "mov.b64 {%r2, %r0}, %fd0;",
      varied(), [](std::uint32_t t, std::uint32_t) {
        return static_cast<std::uint32_t>(
            std::bit_cast<std::uint64_t>(static_cast<double>(t) + 0.5) >> 32U);
      });
}

TEST(Kernels, ApproximationsAreNear) {
  // 2^lg2(x) / x - 1 in units of 2^-20, for x = t + 1: both are within a few ulp.
  const std::string text = entry(
      "add.s32 %r1, %t, 1;\ncvt.rn.f32.u32 %f1, %r1;\nlg2.approx.f32 %f2, %f1;\n"
      "ex2.approx.f32 %f3, %f2;\ndiv.approx.f32 %f4, %f3, %f1;\nst.global.f32 [%mine], %f4;\nret;");
  const auto ran = run_ptx(text, Scene{});
  for (const std::uint32_t word : ran.out) {
    EXPECT_NEAR(std::bit_cast<float>(word), 1.0F, 0x1p-20F);
  }
}

TEST(Kernels, ConversionsClampAndRound) {
  Words in(32, bits(-2.5F));
  in[1] = bits(2.5F);
  in[2] = bits(3e9F);
  in[3] = bits(-3e9F);
  in[4] = 0x7fc00000U;  // NaN
  const auto table = [](Words first, std::uint32_t rest) {
    return [first, rest](std::uint32_t t, std::uint32_t) {
      return t > 0 && t <= first.size() ? first[t - 1] : rest;
    };
  };
  const std::string head = "mov.b32 %f1, %r1;\n";
  expect_lanes(head + "cvt.rzi.s32.f32 %r0, %f1;", in,
               table({2, 0x7fffffffU, 0x80000000U, 0}, static_cast<std::uint32_t>(-2)));
  expect_lanes(head + "cvt.rmi.s32.f32 %r0, %f1;", in,
               table({2, 0x7fffffffU, 0x80000000U, 0}, static_cast<std::uint32_t>(-3)));
  expect_lanes(head + "cvt.rni.u32.f32 %r0, %f1;", in, table({2, 3000000000U, 0, 0}, 0));
  // A byte in a 32-bit register: clamped to -128 .. 127, its sign extended.
  expect_lanes(
      head + "cvt.rpi.s8.f32 %r0, %f1;", in,
      table({3, 127, static_cast<std::uint32_t>(-128), 0}, static_cast<std::uint32_t>(-2)));
  // 64-bit destinations of NaN: the top bit alone, seen in the upper half.
  expect_lanes(head + "cvt.rzi.s64.f32 %rd1, %f1;\nshr.u64 %rd1, %rd1, 32;\ncvt.u32.u64 %r0, %rd1;",
               in, table({0, 0, 0xffffffffU, 0x80000000U}, 0xffffffffU));
  // Low byte, sign extended; then zero extended from 16 bits.
  expect_lanes("cvt.s32.s8 %r2, %r1;\ncvt.u16.u32 %h1, %r2;\ncvt.u32.u16 %r0, %h1;", varied(),
               [](std::uint32_t, std::uint32_t x) {
                 const std::uint32_t low = x & 255U;
                 return low < 128 ? low : 0xff00U | low;
               });
}

TEST(Kernels, ComparisonsCombineAndSelect) {
  // p = x < 0 and t odd, q = x >= 0 and t odd.
  expect_lanes(
      "and.b32 %r2, %t, 1;\nsetp.ne.s32 %p1, %r2, 0;\nsetp.lt.and.s32 %p2|%p3, %r1, 0, %p1;\n"
      "selp.b32 %r3, 1, 0, %p2;\nselp.b32 %r4, 2, 0, %p3;\nor.b32 %r0, %r3, %r4;",
      varied(), [](std::uint32_t t, std::uint32_t x) {
        if (t % 2 == 0) return 0U;
        return static_cast<std::int32_t>(x) < 0 ? 1U : 2U;
      });
  // set gives all ones; slct looks at the sign.
  expect_lanes(
      "set.hi.u32.u32 %r2, %r1, 0x7fffffff;\nslct.b32.s32 %r3, 8, 4, %r1;\n"
      "xor.b32 %r0, %r2, %r3;",
      varied(), [](std::uint32_t, std::uint32_t x) {
        const bool high = x > 0x7fffffffU;
        return (high ? ~0U : 0U) ^ (high ? 4U : 8U);
      });
  // An unordered comparison is true for NaN, an ordered one false.
  Words in(32, bits(1.0F));
  in[7] = 0x7fc00000U;
  expect_lanes(
      "mov.b32 %f1, %r1;\nsetp.geu.f32 %p1, %f1, 0f41200000;\n"
      "setp.ne.f32 %p2, %f1, 0f3F800000;\nselp.b32 %r2, 1, 0, %p1;\nselp.b32 %r3, 2, 0, "
      "%p2;\nor.b32 %r0, %r2, %r3;",
      in, [](std::uint32_t t, std::uint32_t) { return t == 7 ? 1U : 0U; });
}

TEST(Kernels, GuardedInstructionsTouchTheirLanesAlone) {
  expect_lanes(
      "mov.b32 %r0, 100;\nsetp.lt.u32 %p1, %t, 10;\n@%p1 add.s32 %r0, %r0, %t;\n"
      "@!%p1 mul.lo.s32 %r0, %r0, 2;",
      varied(), [](std::uint32_t t, std::uint32_t) { return t < 10 ? 100 + t : 200; });
  // In a divergent branch too: lanes elsewhere keep predicate and carry.
  expect_lanes(
      "mov.b32 %r0, 0;\nmov.b32 %r2, -1;\nadd.cc.u32 %r3, %r2, %t;\n"
      "setp.ge.u32 %p1, %t, 16;\n@%p1 bra DONE;\n"
      "setp.lt.u32 %p2, %t, 40;\nadd.cc.u32 %r3, %r2, 0;\nDONE:\naddc.u32 %r0, %r0, 0;",
      varied(), [](std::uint32_t t, std::uint32_t) { return t >= 16 ? 1U : 0U; });
}

TEST(Kernels, HalfPairs) {
  // Halves t and 2: (t, 2) * (2, 2) + (1, 1) = (2t + 1, 5), exact for t < 32.
  expect_lanes(
      "cvt.rn.f32.u32 %f1, %t;\ncvt.rn.f16x2.f32 %r2, %f1, 0f40000000;\n"
      "mov.b32 %r3, 0x40004000;\nmov.b32 %r4, 0x3c003c00;\n"
      "fma.rn.f16x2 %r5, %r2, %r3, %r4;\nmov.b32 {%h1, %h2}, %r5;\ncvt.f32.f16 %f2, %h1;\n"
      "cvt.f32.f16 %f3, %h2;\ncvt.rzi.u32.f32 %r6, %f2;\ncvt.rzi.u32.f32 %r7, %f3;\n"
      "mad.lo.u32 %r0, %r7, 1000, %r6;",
      varied(), [](std::uint32_t t, std::uint32_t) { return (2 * t + 1) * 1000 + 5; });
  // bf16 has 8 bits: 256 + t rounds to a multiple of 2, ties to even.
  expect_lanes(
      "add.s32 %r2, %t, 256;\ncvt.rn.f32.u32 %f1, %r2;\ncvt.rn.bf16.f32 %h1, %f1;\n"
      "cvt.f32.bf16 %f2, %h1;\ncvt.rzi.u32.f32 %r0, %f2;",
      varied(), [](std::uint32_t t, std::uint32_t) {
        return 256 + (t % 4 == 1 ? t - 1 : (t % 4 == 3 ? t + 1 : t));
      });
}

TEST(Kernels, ShufflesSumAWarp) {
  std::string body = "mov.b32 %r0, %r1;\n";
  for (const char* by : {"16", "8", "4", "2", "1"}) {
    body += std::string("shfl.sync.bfly.b32 %r2|%p1, %r0, ") + by +
            ", 31, -1;\nadd.s32 %r0, %r0, %r2;\n";
  }
  std::uint32_t sum = 0;
  for (const std::uint32_t word : varied()) sum += word;
  expect_lanes(body, varied(), [=](std::uint32_t, std::uint32_t) { return sum; });
  // Down by 3 in segments of 8 (c = (32 - 8) << 8 | 31): the predicate says who was in range.
  expect_lanes("shfl.sync.down.b32 %r2|%p1, %t, 3, 0x181f, -1;\nselp.b32 %r0, %r2, 99, %p1;",
               varied(), [](std::uint32_t t, std::uint32_t) { return t % 8 < 5 ? t + 3 : 99; });
}

TEST(Kernels, VotesAndMatches) {
  // Lanes 0, 3, 6, ...: bits at multiples of 3.
  expect_lanes(
      "rem.u32 %r2, %t, 3;\nsetp.eq.u32 %p1, %r2, 0;\nvote.sync.ballot.b32 %r3, %p1, -1;\n"
      "vote.sync.any.pred %p2, %p1, -1;\nvote.sync.all.pred %p3, %p1, -1;\n"
      "selp.b32 %r4, 1, 0, %p2;\nselp.b32 %r5, 2, 0, %p3;\nmatch.any.sync.b32 %r6, %r2, -1;\n"
      "xor.b32 %r0, %r3, %r6;\nadd.s32 %r0, %r0, %r4;\nadd.s32 %r0, %r0, %r5;",
      varied(), [](std::uint32_t t, std::uint32_t) {
        std::uint32_t thirds = 0;
        std::uint32_t same = 0;
        for (std::uint32_t i = 0; i < 32; ++i) {
          thirds |= (i % 3 == 0 ? 1U : 0U) << i;
          same |= (i % 3 == t % 3 ? 1U : 0U) << i;
        }
        return (thirds ^ same) + 1;
      });
  // The sum of 0..31 is 496; the largest word, by redux.
  expect_lanes(
      "redux.sync.add.u32 %r2, %t, -1;\nredux.sync.max.u32 %r3, %t, -1;\n"
      "mad.lo.u32 %r0, %r2, 100, %r3;",
      varied(), [](std::uint32_t, std::uint32_t) { return 49631U; });
}

TEST(Kernels, WarpOperationsOfPartsOfAWarp) {
  // Lanes below 12 vote among themselves, then activemask is theirs.
  expect_lanes(
      "mov.b32 %r0, 7;\nsetp.ge.u32 %p1, %t, 12;\n@%p1 bra DONE;\n"
      "activemask.b32 %r2;\nredux.sync.add.u32 %r3, %t, 0xfff;\n"
      "elect.sync _|%p2, 0xfff;\nselp.b32 %r4, 0x10000, 0, %p2;\n"
      "add.s32 %r0, %r2, %r3;\nadd.s32 %r0, %r0, %r4;\nDONE:",
      varied(), [](std::uint32_t t, std::uint32_t) {
        return t >= 12 ? 7U : 0xfffU + 66U + (t == 0 ? 0x10000U : 0U);  // 0 + .. + 11 = 66
      });
}

}  // namespace
}  // namespace lab::model
