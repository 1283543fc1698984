// From PTX text to memory, on every instruction set that this processor has, what needs more than
// one instruction (those by themselves are in the property tests): constants that are computed
// ahead of time, the carry, guards, and a warp's lanes together. Lane t reads word t of `in` and
// writes word t of `out`.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
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
