// Every letter of OpcodeRow::operands: what it takes, and the whole text where it does not.
#include <gtest/gtest.h>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

struct Fit {
  char letter;
  const char* fits;  ///< instructions that all parse
  Marked misfit;
};

constexpr Fit kFits[] = {
    {'D',
     "add.s64 %rd1, %rd2, %rd3; add.s16 %h1, %h2, %h3;",
     {"`add.s64 %r1, %rd2, %rd3;",
      "operand 1 of 'add' must be a register of the instruction's "
      "width"}},
    {'D',
     "and.pred %p1, %p2, %p3;",
     {"`and.b32 5, %r1, %r2;", "operand 1 of 'and' must be a register of the instruction's width"}},
    {'d',
     "cvt.u8.u32 %h1, %r1; cvt.u8.u32 %rd1, %r1; cvt.s32.s64 %rd1, %rd2;",
     {"`cvt.s32.s64 %h1, %rd2;",
      "operand 1 of 'cvt' must be a register of the destination type's width or more"}},
    {'U',
     "popc.b64 %r1, %rd1; clz.b32 %r1, %r2;",
     {"`popc.b64 %rd1, %rd2;", "operand 1 of 'popc' must be a 32-bit register"}},
    {'W',
     "mul.wide.u16 %r1, %h1, %h2; mul.lo.u16 %h1, %h2, %h3;",
     {"`mul.wide.u16 %h1, %h2, %h3;",
      "operand 1 of 'mul' must be a register of the result's width"}},
    {'A',
     "atom.global.add.u32 _, [%rd1], 1; atom.global.add.u32 %r1, [%rd1], 1;",
     {"`atom.global.add.u64 %r1, [%rd1], 1;",
      "operand 1 of 'atom' must be a register of the instruction's width"}},
    {'V',
     "ld.u8 %h1, [%rd1]; ld.s8 %rd2, [%rd1]; ld.v2.u8 {_, %r1}, [%rd1];",
     {"`ld.u64 %r1, [%rd1];",
      "operand 1 of 'ld' must be a register, or a vector of as many as "
      ".v2, .v4 or .v8 says, wide enough"}},
    {'V',
     "ld.b32 {%r1}, [%rd1]; .reg .u8 x; ld.u8 x, [%rd1]; .reg .v2 .f32 y; ld.v2.f32 y, [%rd1];",
     {"`ld.v2.u8 {%h1, %r1}, [%rd1];",
      "operand 1 of 'ld' must be a register, or a vector of as many as "
      ".v2, .v4 or .v8 says, wide enough"}},
    {'V',
     "ldu.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];",
     {"`ldu.global.v4.u32 {%r1, %r2}, [%rd1];",
      "operand 1 of 'ldu' must be a register, or a vector of as many as .v2, .v4 or .v8 says, wide "
      "enough"}},
    {'X',
     "mov.b64 {%r1, %f1}, %rd1; mov.b64 {%h1, _, _, %h4}, %rd1;",
     {"`mov.b64 {%r1, %h1}, %rd1;",
      "operand 1 of 'mov' must be a register of the instruction's "
      "width, or a vector of that width together"}},
    {'P',
     "testp.normal.f64 %p1, %d1; isspacep.global %p1, %rd1;",
     {"`testp.normal.f64 %r1, %d1;", "operand 1 of 'testp' must be a predicate"}},
    {'Q',
     "setp.eq.s32 %p1, %r1, 0; setp.eq.s32 %p1|_, %r1, 0; setp.eq.s32 _|%p1, %r1, 0;",
     {"`setp.eq.s32 %p1|%r1, %r1, 0;",
      "operand 1 of 'setp' must be a predicate or a pair of them"}},
    {'M',
     "match.all.sync.b32 %r1|%p1, %r2, -1; match.any.sync.b32 %r1, %r2, -1;",
     {"`match.all.sync.b64 %rd1, %rd2, -1;",
      "operand 1 of 'match' must be a 32-bit register, with |predicate or without"}},
    {'B',
     "shfl.sync.up.b32 %f1|%p1, %f2, 1, 0, -1; shfl.sync.up.b32 %r1, %r2, 1, 0, -1;",
     {"`shfl.sync.up.b32 %r1|%r2, %r2, 1, 0, -1;",
      "operand 1 of 'shfl' must be a 32-bit register, with |predicate or without"}},
    {'T',
     "add.f32 %f1, %r1, 1.0; selp.b16 %h1, 1, %h2, %p1; and.pred %p1, !%p2, 1;",
     {"`add.f32 %f1, %d1, 1.0;",
      "operand 2 of 'add' must be a register or constant of the instruction's width"}},
    {'T',
     "sub.u64 %rd1, 1, %rd2;",
     {"`sub.u64 %rd1, %rd2, %p1;",
      "operand 3 of 'sub' must be a register or constant of the instruction's width"}},
    {'S',
     "set.eq.u32.f64 %r1, %d1, 2.0; slct.f64.s32 %d1, %d2, %d3, 4;",
     {"`slct.f64.s32 %d1, %d2, %d3, %rd1;",
      "operand 4 of 'slct' must be a register or constant of the second type's width"}},
    {'s',
     "cvt.s64.s8 %rd1, %h1; cvt.s64.s8 %rd1, %rd2; cvt.u64.u32 %rd1, %ntid.x;",
     {"`cvt.rn.f32.f64 %f1, %f2;",
      "operand 2 of 'cvt' must be a register of the source type's "
      "width or more, or a constant"}},
    {'w',
     "mad.wide.s32 %rd1, %r1, 8, 16; mad.lo.s32 %r1, %r2, %r3, 4;",
     {"`mad.wide.s32 %rd1, %r1, 8, %r2;",
      "operand 4 of 'mad' must be a register or constant of the result's width"}},
    {'v',
     "st.u8 [%rd1], %rd2; st.v2.u16 [%rd1], {3, %h1}; st.f64 [%rd1], 1.0;",
     {"`st.v2.u16 [%rd1], %r1;",
      "operand 2 of 'st' must be a register or constant, or a vector of "
      "as many as .v2, .v4 or .v8 says"}},
    {'x',
     "mov.u32 %r1, %laneid; mov.u64 %rd1, p; mov.b32 %r1, {%h1, %h2}; mov.f64 %d1, 1.0;",
     {"`mov.u16 %h1, %laneid;",
      "operand 2 of 'mov' must be a register, constant, special register "
      "or symbol of the instruction's width"}},
    {'x',
     "mov.pred %p1, !%p2; mov.u32 %r1, p;",
     {"`mov.u16 %h1, p;",
      "operand 2 of 'mov' must be a register, constant, special register or "
      "symbol of the instruction's width"}},
    {'u',
     "shl.b64 %rd1, %rd2, %r1; bfe.u64 %rd1, %rd2, 3, %r1; bar.sync %r1, 64;",
     {"`bfe.u64 %rd1, %rd2, 3, %rd3;", "operand 4 of 'bfe' must be a 32-bit register or constant"}},
    {'p',
     "selp.u32 %r1, %r2, %r3, !%p1; vote.sync.all.pred %p1, 1, -1;",
     {"`selp.u32 %r1, %r2, %r3, %r4;", "operand 4 of 'selp' must be a predicate"}},
    {'i',
     "lop3.b32 %r1, %r2, %r3, %r4, 0xe8; pmevent 1; cp.async.wait_group 0;",
     {"`pmevent %r1;", "operand 1 of 'pmevent' must be an integer constant"}},
    {'f',
     "createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5; "
     "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %rd1, %f1;",
     {"`createpolicy.fractional.L2::evict_last.b64 %rd1, %d1;",
      "operand 2 of 'createpolicy.fractional' must be a 32-bit register or floating-point "
      "constant"}},
    {'g',
     "cvta.global.u64 %rd1, p; cvta.global.u64 %rd1, %rd2; isspacep.local %p1, %rd1;",
     {"`cvta.global.u64 %rd1, 64;",
      "operand 2 of 'cvta' must be an address in a register, or a variable"}},
    {'m',
     "ld.u32 %r1, [%r2+4]; prefetch.L1 [%rd1]; prefetchu.L1 [p];",
     {"`prefetchu.L1 %rd1;", "operand 1 of 'prefetchu' must be an address in brackets"}},
    {'m',
     "ld.u32 %r1, [64];",
     {"`ld.u32 %r1, [%p1];", "operand 2 of 'ld' must be an address in brackets"}},
    {'t',
     "TT: .branchtargets E; brx.idx %r1, TT; E:",
     {"`brx.idx %r1, %r2;", "operand 2 of 'brx.idx' must be a list made by .branchtargets"}},
};

TEST(Fit, OfEveryLetter) {
  std::string seen;
  for (const Fit& fit : kFits) {
    EXPECT_EQ(error_of(kernel(fit.fits)), "") << fit.fits;
    expect_marked_error(kernel(fit.misfit.text), fit.misfit);
    seen += fit.letter;
  }
  // 'l' and 'c' are what bra and call parse themselves: branches and calls have their own tests.
  EXPECT_EQ(std::string("DdUWAVXPQMBTSswvxupifgmt").find_first_not_of(seen), std::string::npos);
}

TEST(Fit, CountsOperands) {
  constexpr Marked kRows[] = {
      {"`ret %r1;", "'ret' takes 0 operands, not 1"},
      {"`abs.s32 %r1;", "'abs' takes 2 operands, not 1"},
      {"`add.s32 %r1, %r2, %r3, %r4;", "'add' takes 3 operands, not 4"},
      {"`cvt.pack.sat.u8.s32.b32 %r1;", "'cvt.pack' takes 3 or 4 operands, not 1"},
      {"`cp.async.ca.shared.global [%r1], [%rd1];", "'cp.async' takes 3 or 4 operands, not 2"},
      {"`activemask.b32;", "'activemask' takes 1 operands, not 0"},
      {"`bar.sync;", "'bar' takes 1 or 2 or 3 or 4 operands, not 0"},
      {"`bra;", "'bra' takes 1 operands, not 0"},
  };
  for (const Marked& row : kRows) expect_marked_error(kernel(row.text), row);
}

TEST(Fit, TakesNoNegatedNumbersOrRegisters) {
  constexpr Marked kRows[] = {
      {"`add.s32 %r1, %r2, !%r3;",
       "operand 3 of 'add' must be a register or constant of the instruction's width"},
      {"`mov.pred !%p1, %p2;",
       "operand 1 of 'mov' must be a register of the instruction's width, "
       "or a vector of that width together"},
      {"`setp.eq.s32 %p1|!%p2, %r1, %r2;",
       "operand 1 of 'setp' must be a predicate or a pair of them"},
      {"add.s32 %r1, %r2, !`!%p1;", "expected an operand, found '!'"},
  };
  for (const Marked& row : kRows) expect_marked_error(kernel(row.text), row);
}

}  // namespace
}  // namespace lab::ptx
