// Integer instructions by families; PTX ISA, "Integer Arithmetic Instructions" and "Extended
// Precision Integer Arithmetic Instructions".
#include "tests/conformance/rows.h"

namespace lab::conformance {
namespace {

class IntegerRows : public Rows {};
INSTANTIATE_TEST_SUITE_P(Backends, IntegerRows, backends(), backend_name);

TEST_P(IntegerRows, SumsAndDifferencesWrapAtTheirWidth) {
  expect({
      {"add.u16 %h0, %h1, %h2", {0xffff, 2}, 1},
      {"add.s16 %h0, %h1, %h2", {0x7fff, 1}, 0x8000},
      {"add.u32 %r0, %r1, %r2", {0xffffffff, 1}, 0},
      {"add.s32 %r0, %r1, %r2", {0x7fffffff, 1}, kMin32},
      {"add.u64 %d0, %d1, %d2", {~0ULL, 3}, 2},
      {"add.s64 %d0, %d1, %d2", {0x7fffffffffffffff, 1}, kMin64},
      {"sub.u16 %h0, %h1, %h2", {0, 1}, 0xffff},
      {"sub.s16 %h0, %h1, %h2", {0x8000, 1}, 0x7fff},
      {"sub.u32 %r0, %r1, %r2", {3, 5}, s32(-2)},
      {"sub.s32 %r0, %r1, %r2", {kMin32, 1}, 0x7fffffff},
      {"sub.u64 %d0, %d1, %d2", {0x100000000, 1}, 0xffffffff},
      {"sub.s64 %d0, %d1, %d2", {0, kMin64}, kMin64},
      {"neg.s16 %h0, %h1", {5}, s16(-5)},
      {"neg.s32 %r0, %r1", {kMin32}, kMin32},  // has no negative
      {"neg.s64 %d0, %d1", {1}, ~0ULL},
      {"abs.s16 %h0, %h1", {0xfffb}, 5},
      {"abs.s32 %r0, %r1", {s32(-7)}, 7},
      {"abs.s32 %r0, %r1", {kMin32}, kMin32},
      {"abs.s64 %d0, %d1", {s64(-(1LL << 40))}, 1ULL << 40},
  });
}

TEST_P(IntegerRows, SaturationStopsAtTheEndsOfS32) {
  expect({
      {"add.sat.s32 %r0, %r1, %r2", {0x7fffffff, 1}, 0x7fffffff},
      {"add.sat.s32 %r0, %r1, %r2", {kMin32, s32(-1)}, kMin32},
      {"add.sat.s32 %r0, %r1, %r2", {100, s32(-300)}, s32(-200)},
      {"sub.sat.s32 %r0, %r1, %r2", {kMin32, 1}, kMin32},
      {"sub.sat.s32 %r0, %r1, %r2", {0, kMin32}, 0x7fffffff},
      {"sub.sat.s32 %r0, %r1, %r2", {5, 7}, s32(-2)},
      // The upper half of 2^30 * 2^30 is 2^28; 0x7fffffff + 2^28 is past the end.
      {"mad.hi.sat.s32 %r0, %r1, %r2, %r3", {1U << 30, 1U << 30, 0x7fffffff}, 0x7fffffff},
      {"mad.hi.sat.s32 %r0, %r1, %r2, %r3", {1U << 30, 1U << 30, 1}, (1U << 28) + 1},
  });
}

TEST_P(IntegerRows, ProductsHaveLowHighAndWideHalves) {
  expect({
      // 0x1234 * 0x5678 = 0x06260060.
      {"mul.lo.u16 %h0, %h1, %h2", {0x1234, 0x5678}, 0x0060},
      {"mul.hi.u16 %h0, %h1, %h2", {0x1234, 0x5678}, 0x0626},
      {"mul.wide.u16 %r0, %h1, %h2", {0x1234, 0x5678}, 0x06260060},
      // -2 * 3 = -6: upper half all ones.
      {"mul.lo.s16 %h0, %h1, %h2", {0xfffe, 3}, s16(-6)},
      {"mul.hi.s16 %h0, %h1, %h2", {0xfffe, 3}, 0xffff},
      {"mul.wide.s16 %r0, %h1, %h2", {0xfffe, 3}, s32(-6)},
      {"mul.wide.u16 %r0, %h1, %h2", {0xfffe, 3}, 0x2fffa},
      // (2^32 - 1)^2 = 2^64 - 2^33 + 1.
      {"mul.lo.u32 %r0, %r1, %r2", {0xffffffff, 0xffffffff}, 1},
      {"mul.hi.u32 %r0, %r1, %r2", {0xffffffff, 0xffffffff}, 0xfffffffe},
      {"mul.wide.u32 %d0, %r1, %r2", {0xffffffff, 0xffffffff}, 0xfffffffe00000001},
      {"mul.hi.s32 %r0, %r1, %r2", {0xffffffff, 0xffffffff}, 0},  // (-1)^2 = 1
      {"mul.wide.s32 %d0, %r1, %r2", {0xffffffff, 0xffffffff}, 1},
      {"mul.wide.s32 %d0, %r1, %r2", {kMin32, 2}, 0xffffffff00000000},  // -2^32
      {"mul.hi.s32 %r0, %r1, %r2", {kMin32, kMin32}, 0x40000000},       // 2^62
      // (2^64 - 1) * 2^63: upper half 2^63 - 1, lower 2^63.
      {"mul.hi.u64 %d0, %d1, %d2", {~0ULL, kMin64}, 0x7fffffffffffffff},
      {"mul.lo.u64 %d0, %d1, %d2", {~0ULL, kMin64}, kMin64},
      {"mul.hi.s64 %d0, %d1, %d2", {~0ULL, kMin64}, 0},  // -1 * -2^63 = 2^63
      {"mul.hi.s64 %d0, %d1, %d2", {~0ULL, 5}, ~0ULL},
      {"mul.lo.s64 %d0, %d1, %d2", {~0ULL, 5}, s64(-5)},
      // 24 bits count of each source. 0xffffff * 0xffffff = 0xfffffe000001: low and high 32 of 48.
      {"mul24.lo.u32 %r0, %r1, %r2", {0xffffffff, 0xffffffff}, 0xfe000001},
      {"mul24.hi.u32 %r0, %r1, %r2", {0xffffffff, 0xffffffff}, 0xfffffe00},
      {"mul24.lo.s32 %r0, %r1, %r2", {0xffffff, 7}, s32(-7)},  // bit 23 is the sign
      {"mul24.hi.s32 %r0, %r1, %r2", {0xffffff, 7}, s32(-1)},
  });
}

TEST_P(IntegerRows, ProductsAreAddedTo) {
  expect({
      {"mad.lo.u16 %h0, %h1, %h2, %h3", {0x1234, 0x5678, 0xffff}, 0x005f},
      {"mad.hi.u16 %h0, %h1, %h2, %h3", {0x1234, 0x5678, 1}, 0x0627},
      {"mad.wide.u16 %r0, %h1, %h2, %r3", {0xffff, 0xffff, 0xffffffff}, 0xfffe0000},
      {"mad.wide.s16 %r0, %h1, %h2, %r3", {0xffff, 4, 1}, s32(-3)},
      {"mad.lo.s32 %r0, %r1, %r2, %r3", {s32(-3), 5, 1}, s32(-14)},
      {"mad.lo.u32 %r0, %r1, %r2, %r3", {0x10000, 0x10000, 9}, 9},
      {"mad.hi.u32 %r0, %r1, %r2, %r3", {0x10000, 0x10000, 9}, 10},
      {"mad.hi.s32 %r0, %r1, %r2, %r3", {s32(-1), 1, 9}, 8},
      {"mad.wide.u32 %d0, %r1, %r2, %d3", {0xffffffff, 0xffffffff, ~0ULL}, 0xfffffffe00000000},
      {"mad.wide.s32 %d0, %r1, %r2, %d3", {s32(-2), 3, 10}, 4},
      {"mad.lo.u64 %d0, %d1, %d2, %d3", {1ULL << 33, 1ULL << 31, 6}, 6},
      {"mad.hi.u64 %d0, %d1, %d2, %d3", {1ULL << 33, 1ULL << 31, 6}, 7},
      {"mad.hi.s64 %d0, %d1, %d2, %d3", {~0ULL, 1, 0}, ~0ULL},
      {"mad24.lo.u32 %r0, %r1, %r2, %r3", {0x1000003, 2, 1}, 7},  // bit 24 is left out
      {"mad24.lo.s32 %r0, %r1, %r2, %r3", {0xfffffe, 5, 1}, s32(-9)},
      {"mad24.hi.u32 %r0, %r1, %r2, %r3", {0x800000, 0x800000, 1}, 0x40000001},  // 2^46 >> 16
      // |a - b| + c.
      {"sad.u16 %h0, %h1, %h2, %h3", {3, 10, 100}, 107},
      {"sad.s16 %h0, %h1, %h2, %h3", {0xfffd, 4, 0}, 7},
      {"sad.u32 %r0, %r1, %r2, %r3", {1, 0xffffffff, 5}, 3},  // 0xfffffffe + 5
      {"sad.s32 %r0, %r1, %r2, %r3", {1, 0xffffffff, 5}, 7},
      {"sad.u64 %d0, %d1, %d2, %d3", {0, 1ULL << 50, 1}, (1ULL << 50) + 1},
      {"sad.s64 %d0, %d1, %d2, %d3", {s64(-5), 5, 0}, 10},
  });
}

TEST_P(IntegerRows, QuotientsRoundToZeroAndRemaindersTakeTheDividendsSign) {
  expect({
      {"div.u16 %h0, %h1, %h2", {0xffff, 10}, 6553},
      {"div.s16 %h0, %h1, %h2", {s16(-7), 2}, s16(-3)},
      {"div.u32 %r0, %r1, %r2", {0xffffffff, 16}, 0x0fffffff},
      {"div.s32 %r0, %r1, %r2", {s32(-7), 2}, s32(-3)},
      {"div.s32 %r0, %r1, %r2", {7, s32(-2)}, s32(-3)},
      {"div.u64 %d0, %d1, %d2", {~0ULL, 1ULL << 60}, 15},
      {"div.s64 %d0, %d1, %d2", {s64(-(1LL << 40)), 3}, s64(-366503875925LL)},  // 2^40 = 3 q + 1
      {"rem.u16 %h0, %h1, %h2", {0xffff, 10}, 5},
      {"rem.s16 %h0, %h1, %h2", {s16(-7), 2}, s16(-1)},
      {"rem.u32 %r0, %r1, %r2", {0xffffffff, 16}, 15},
      {"rem.s32 %r0, %r1, %r2", {s32(-7), 3}, s32(-1)},
      {"rem.s32 %r0, %r1, %r2", {7, s32(-3)}, 1},
      {"rem.u64 %d0, %d1, %d2", {~0ULL, 10}, 5},  // 18446744073709551615
      {"rem.s64 %d0, %d1, %d2", {s64(-(1LL << 40)), 3}, s64(-1)},
  });
}

TEST_P(IntegerRows, TheSmallerAndTheLargerDependOnTheSign) {
  expect({
      {"min.u16 %h0, %h1, %h2", {0xffff, 1}, 1},
      {"min.s16 %h0, %h1, %h2", {0xffff, 1}, 0xffff},
      {"min.u32 %r0, %r1, %r2", {kMin32, 1}, 1},
      {"min.s32 %r0, %r1, %r2", {kMin32, 1}, kMin32},
      {"min.u64 %d0, %d1, %d2", {kMin64, 1}, 1},
      {"min.s64 %d0, %d1, %d2", {kMin64, 1}, kMin64},
      {"max.u16 %h0, %h1, %h2", {0xffff, 1}, 0xffff},
      {"max.s16 %h0, %h1, %h2", {0xffff, 1}, 1},
      {"max.u32 %r0, %r1, %r2", {kMin32, 1}, kMin32},
      {"max.s32 %r0, %r1, %r2", {kMin32, 1}, 1},
      {"max.u64 %d0, %d1, %d2", {kMin64, 1}, kMin64},
      {"max.s64 %d0, %d1, %d2", {kMin64, 1}, 1},
  });
}

TEST_P(IntegerRows, TheCarryGoesFromInstructionToInstruction) {
  expect({
      // {1, ffffffff} + {2, 1} = {4, 0}: the upper word.
      {"{add.cc.u32 %r0, %r1, %r3; addc.u32 %r0, %r2, %r4;}", {0xffffffff, 1, 1, 2}, 4},
      {"{add.cc.u32 %r0, %r1, %r3; addc.u32 %r0, %r2, %r4;}", {0xfffffffe, 1, 1, 2}, 3},
      // The borrow of {0, 0} - {1, 0}.
      {"{sub.cc.u32 %r0, %r1, %r3; subc.u32 %r0, %r2, %r4;}", {0, 0, 1, 0}, 0xffffffff},
      {"{sub.cc.u32 %r0, %r1, %r3; subc.u32 %r0, %r2, %r4;}", {5, 7, 5, 3}, 4},
      {"{sub.cc.u32 %r0, %r1, %r3; subc.u32 %r0, %r2, %r4;}", {5, 7, 6, 3}, 3},
      // Through three words: 0 - 1 borrows from each.
      {"{sub.cc.u32 %r0, %r1, %r2; subc.cc.u32 %r0, %r1, 0; subc.u32 %r0, %r3, 0;}", {0, 1, 9}, 8},
      // Sums that wrap twice: ffffffff + ffffffff + 1 carries once.
      {"{add.cc.u32 %r0, %r1, %r1; addc.cc.u32 %r0, %r1, %r1; addc.u32 %r0, 0, 0;}",
       {0xffffffff},
       1},
      {"{add.cc.u64 %d0, %d1, %d1; addc.u64 %d0, %d2, %d3;}", {~0ULL, 10, 20}, 31},
      {"{sub.cc.u64 %d0, %d1, %d2; subc.u64 %d0, %d2, %d3;}", {0, 10, 4}, 5},
      // 2^32 - 1 squared in 32-bit pieces: low word 1 carries nothing with 0, with ffffffff once.
      {"{mad.lo.cc.u32 %r0, %r1, %r1, %r2; madc.hi.u32 %r0, %r1, %r1, 0;}",
       {0xffffffff, 0},
       0xfffffffe},
      {"{mad.lo.cc.u32 %r0, %r1, %r1, %r2; madc.hi.u32 %r0, %r1, %r1, 0;}",
       {0xffffffff, 0xffffffff},
       0xffffffff},
      // A sum reads what a difference left: 1 where nothing was borrowed. A difference borrows what
      // a sum did not carry.
      {"{sub.cc.u32 %r0, %r1, %r2; addc.u32 %r0, 0, 0;}", {5, 3}, 1},
      {"{sub.cc.u32 %r0, %r1, %r2; addc.u32 %r0, 0, 0;}", {3, 5}, 0},
      {"{add.cc.u32 %r0, %r1, %r2; subc.u32 %r0, 16, 0;}", {3, 5}, 15},
      {"{add.cc.u32 %r0, %r1, %r2; subc.u32 %r0, 16, 0;}", {0xffffffff, 5}, 16},
      // An addition without .cc leaves the carry alone.
      {"{add.cc.u32 %r0, %r1, %r1; add.u32 %r0, %r2, %r2; addc.u32 %r0, 0, 0;}",
       {0xffffffff, 1},
       1},
  });
}

TEST_P(IntegerRows, DotProductsOfBytesAndHalves) {
  expect({
      // 1 * 5 + 2 * 6 + 3 * 7 + 4 * 8 = 70.
      {"dp4a.u32.u32 %r0, %r1, %r2, %r3", {0x04030201, 0x08070605, 1000}, 1070},
      // Bytes -1 -1 -1 -1 by 1 2 3 4.
      {"dp4a.s32.s32 %r0, %r1, %r2, %r3", {0xffffffff, 0x04030201, 0}, s32(-10)},
      {"dp4a.u32.s32 %r0, %r1, %r2, %r3", {0xffffffff, 0x00000080, 0}, s32(-255 * 128)},
      {"dp4a.s32.u32 %r0, %r1, %r2, %r3", {0x00000080, 0xffffffff, 0}, s32(-128 * 255)},
      {"dp4a.u32.u32 %r0, %r1, %r2, %r3", {0xffffffff, 0xffffffff, 0}, 4 * 255 * 255},
      // Halves 3 and 2 of a by bytes 5 and 6 (low) or 7 and 8 (high).
      {"dp2a.lo.u32.u32 %r0, %r1, %r2, %r3", {0x00020003, 0x08070605, 1}, 3 * 5 + 2 * 6 + 1},
      {"dp2a.hi.u32.u32 %r0, %r1, %r2, %r3", {0x00020003, 0x08070605, 1}, 3 * 7 + 2 * 8 + 1},
      {"dp2a.lo.s32.s32 %r0, %r1, %r2, %r3", {0xffff8000, 0x0000ff02, 0}, s32(-65536 + 1)},
  });
}

}  // namespace
}  // namespace lab::conformance
