// Every rule of rules.cpp, float_rules.cpp and check.cpp broken once, with the whole text of its
// refusal. ptxas 13.0 refuses each of these instructions too.
#include <gtest/gtest.h>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

constexpr const char* kPacks =
    "'cvt' packs two .f32 sources into .f16x2, .bf16x2, .e4m3x2 or .e5m2x2, converts .f16x2 to and "
    "from the last two, else has one source";
constexpr const char* kFp8 = "'cvt' needs .rn, and .satfinite where its result has 8 bits";

class Rules : public testing::TestWithParam<Marked> {};

TEST_P(Rules, SayWhatIsWrong) { expect_marked_error(kernel(GetParam().text), GetParam()); }

constexpr const char* kRounding = "'fma' needs .rn, .rz, .rm or .rp";

INSTANTIATE_TEST_SUITE_P(
    Kinds, Rules,
    testing::Values(
        Marked{"`mul.s32 %r1, %r2, %r3;", "'mul' lacks the modifier that says which kind it is"},
        Marked{"`mad24.s32 %r1, %r2, %r3, %r4;",
               "'mad24' lacks the modifier that says which kind it is"},
        Marked{"`shfl.sync.b32 %r1, %r2, 0, 31, -1;",
               "'shfl' lacks the modifier that says which kind it is"},
        Marked{"`testp.f32 %p1, %f1;", "'testp' lacks the modifier that says which kind it is"},
        Marked{"`mul.lo.hi.s32 %r1, %r2, %r3;", "'mul' has two modifiers of one kind"},
        Marked{"`vote.sync.all.any.pred %p1, %p2, -1;", "'vote' has two modifiers of one kind"},
        Marked{"`mul.hi.f64 %d1, %d2, %d3;", "'mul' has no .lo, .hi or .wide for floating point"},
        Marked{"`mad.lo.rn.f32 %f1, %f2, %f3, %f4;",
               "'mad' has no .lo, .hi or .wide for floating point"},
        Marked{"`shf.wrap.b32 %r1, %r2, %r3, %r4;", "'shf' needs .l or .r, then .clamp or .wrap"},
        Marked{"`shf.wrap.l.b32 %r1, %r2, %r3, %r4;", "'shf' needs .l or .r, then .clamp or .wrap"},
        Marked{"`mul.wide.s64 %rd1, %rd2, %rd3;", "'mul' has .wide for 16- and 32-bit types only"},
        Marked{"`add %r1, %r2, %r3;", "'add' has no type"},
        Marked{"`set.lt.u32 %r1, %r2, %r3;", "'set' needs two types"},
        Marked{"`dp4a.u32 %r1, %r2, %r3, %r4;", "'dp4a' needs two types"}));

INSTANTIATE_TEST_SUITE_P(
    Precision, Rules,
    testing::Values(
        Marked{"`add.rn.s32 %r1, %r2, %r3;", "'add' does not round or flush integers"},
        Marked{"`div.approx.u32 %r1, %r2, %r3;", "'div' does not round or flush integers"},
        Marked{"`sqrt.rn.approx.f32 %f1, %f2;", "'sqrt' has more than one precision"},
        Marked{"`div.approx.full.f32 %f1, %f2, %f3;", "'div' has more than one precision"},
        Marked{"`add.rni.f32 %f1, %f2, %f3;", "'add' rounds with .rn, .rz, .rm or .rp"},
        Marked{"`mul.rna.f32 %f1, %f2, %f3;", "'mul' rounds with .rn, .rz, .rm or .rp"},
        Marked{"`fma.f16 %h1, %h2, %h3, %h4;", kRounding},
        Marked{"`fma.ftz.f32 %f1, %f2, %f3, %f4;", kRounding},
        Marked{"`mad.f64 %d1, %d2, %d3, %d4;", "'mad' needs .rn, .rz, .rm or .rp"},
        Marked{"`div.f64 %d1, %d2, %d3;", "'div' needs .rn, .rz, .rm or .rp, or .approx"},
        Marked{"`rcp.ftz.f32 %f1, %f2;", "'rcp' needs .rn, .rz, .rm or .rp, or .approx"},
        Marked{"`sqrt.f32 %f1, %f2;", "'sqrt' needs .rn, .rz, .rm or .rp, or .approx"},
        Marked{"`rsqrt.f32 %f1, %f2;", "'rsqrt' needs .approx"},
        Marked{"`cos.ftz.f32 %f1, %f2;", "'cos' needs .approx"},
        Marked{"`lg2.f32 %f1, %f2;", "'lg2' needs .approx"},
        Marked{"`ex2.ftz.f32 %f1, %f2;", "'ex2' needs .approx"},
        Marked{"`tanh.f32 %f1, %f2;", "'tanh' needs .approx"},
        Marked{"`div.approx.f64 %d1, %d2, %d3;", "'div' has no such approximation for .f64"},
        Marked{"`div.full.f64 %d1, %d2, %d3;", "'div' has no such approximation for .f64"},
        Marked{"`sqrt.approx.f64 %d1, %d2;", "'sqrt' has no such approximation for .f64"},
        Marked{"`rcp.approx.f64 %d1, %d2;", "'rcp' has no such approximation for .f64"},
        Marked{"`ex2.approx.bf16 %h1, %h2;", "'ex2' needs .ftz for .bf16"},
        Marked{"`ex2.approx.ftz.f16 %h1, %h2;", "'ex2' has no .ftz for .f16"}));

INSTANTIATE_TEST_SUITE_P(
    FloatTypes, Rules,
    testing::Values(
        Marked{"`add.rz.f16 %h1, %h2, %h3;", "'add' rounds with .rn only for .f16"},
        Marked{"`fma.rp.bf16x2 %r1, %r2, %r3, %r4;", "'fma' rounds with .rn only for .bf16x2"},
        Marked{"`add.ftz.f64 %d1, %d2, %d3;", "'add' has no .ftz for .f64"},
        Marked{"`mul.ftz.bf16 %h1, %h2, %h3;", "'mul' has no .ftz for .bf16"},
        Marked{"`abs.ftz.bf16x2 %r1, %r2;", "'abs' has no .ftz for .bf16x2"},
        Marked{"`max.ftz.f64 %d1, %d2, %d3;", "'max' has no .ftz for .f64"},
        Marked{"`setp.lt.ftz.f64 %p1, %d1, %d2;", "'setp' has no .ftz for .f64"},
        Marked{"`set.lt.ftz.f32.s32 %f1, %r1, %r2;", "'set' has no .ftz for .s32"},
        Marked{"`slct.ftz.f32.s32 %f1, %f2, %f3, %r1;", "'slct' has no .ftz for .s32"},
        Marked{"`sub.sat.f64 %d1, %d2, %d3;", "'sub' has no .sat for .f64"},
        Marked{"`fma.rn.sat.bf16 %h1, %h2, %h3, %h4;", "'fma' has no .sat for .bf16"},
        Marked{"`set.lt.f16x2.f32 %r1, %f1, %f2;", "'set' gives no .f16x2 for .f32"},
        Marked{"`set.lt.u16.f32 %h1, %f1, %f2;", "'set' gives no .u16 for .f32"},
        Marked{"`set.lt.f32.f16 %f1, %h1, %h2;", "'set' gives no .f32 for .f16"},
        Marked{"`set.lt.bf16.f16x2 %h1, %r1, %r2;", "'set' gives no .bf16 for .f16x2"},
        Marked{"`atom.global.add.noftz.f32 %f1, [%rd1], %f2;", "'atom' has no .noftz for .f32"},
        Marked{"`red.global.add.bf16x2 [%rd1], %r1;",
               "'red' needs .noftz for 16-bit floating point"},
        Marked{"`atom.shared.add.f16 %h1, [%rd1], %h2;",
               "'atom' needs .noftz for 16-bit floating point"},
        Marked{"`fma.rn.relu.f64 %d1, %d2, %d3, %d4;",
               "'fma' has .relu for 16-bit floating point only"},
        Marked{"`max.relu.u32 %r1, %r2, %r3;", "'max' has .relu for .s32 and .s16x2 only"},
        Marked{"`min.relu.u16x2 %r1, %r2, %r3;", "'min' has .relu for .s32 and .s16x2 only"},
        Marked{"`add.cc.u16x2 %r1, %r2, %r3;", "'add' has .cc for 32- and 64-bit integers only"},
        Marked{"`add.sat.s16x2 %r1, %r2, %r3;", "'add' saturates .s32 and floating point only"},
        Marked{"`min.NaN.s32 %r1, %r2, %r3;",
               "'min' has .NaN for .f32 and 16-bit floating point only"},
        Marked{"`max.NaN.f64 %d1, %d2, %d3;",
               "'max' has .NaN for .f32 and 16-bit floating point only"},
        Marked{"`max.xorsign.f32 %f1, %f2, %f3;",
               "'max' has .xorsign.abs, both or neither, for .f32 and 16-bit floating point only"},
        Marked{"`min.abs.f32 %f1, %f2, %f3;",
               "'min' has .xorsign.abs, both or neither, for .f32 and 16-bit floating point only"},
        Marked{"`min.xorsign.abs.s32 %r1, %r2, %r3;",
               "'min' has .xorsign.abs, both or neither, for .f32 and 16-bit floating point "
               "only"}));

INSTANTIATE_TEST_SUITE_P(
    Integers, Rules,
    testing::Values(
        Marked{"`add.cc.f32 %f1, %f2, %f3;", "'add' has .cc for 32- and 64-bit integers only"},
        Marked{"`sub.cc.s16 %h1, %h2, %h3;", "'sub' has .cc for 32- and 64-bit integers only"},
        Marked{"`mad.wide.cc.u32 %rd1, %r1, %r2, %rd2;",
               "'mad' has .cc for 32- and 64-bit integers only"},
        Marked{"`add.sat.s64 %rd1, %rd2, %rd3;", "'add' saturates .s32 and floating point only"},
        Marked{"`sub.sat.u32 %r1, %r2, %r3;", "'sub' saturates .s32 and floating point only"},
        Marked{"`mul.lo.sat.s32 %r1, %r2, %r3;", "'mul' saturates floating point only"},
        Marked{"`mad.lo.sat.s32 %r1, %r2, %r3, %r4;",
               "'mad' saturates .hi.s32 and floating point only"},
        Marked{"`mad24.lo.sat.s32 %r1, %r2, %r3, %r4;", "'mad24' saturates .hi.s32 only"},
        Marked{"`mad24.hi.sat.u32 %r1, %r2, %r3, %r4;", "'mad24' saturates .hi.s32 only"}));

INSTANTIATE_TEST_SUITE_P(
    Comparisons, Rules,
    testing::Values(
        Marked{"`setp.s32 %p1, %r1, %r2;", "'setp' needs a comparison that its type has"},
        Marked{"`setp.hs.s64 %p1, %rd1, %rd2;", "'setp' needs a comparison that its type has"},
        Marked{"`setp.gt.b16 %p1, %h1, %h2;", "'setp' needs a comparison that its type has"},
        Marked{"`setp.num.u32 %p1, %r1, %r2;", "'setp' needs a comparison that its type has"},
        Marked{"`setp.lo.f32 %p1, %f1, %f2;", "'setp' needs a comparison that its type has"},
        Marked{"`set.ls.u32.f64 %r1, %d1, %d2;", "'set' needs a comparison that its type has"},
        Marked{"`setp.lt.and.s32 %p1, %r1, %r2;",
               "'setp' has a fourth operand where, and only where, it has .and, .or or .xor"},
        Marked{"`set.lt.u32.s32 %r1, %r2, %r3, %p1;",
               "'set' has a fourth operand where, and only where, it has .and, .or or .xor"},
        Marked{"`setp.lt.f16x2 %p1, %r1, %r2;",
               "'setp' needs two predicates, p|q, for two halves"}));

INSTANTIATE_TEST_SUITE_P(
    Conversions, Rules,
    testing::Values(
        Marked{"`cvt.rz.s32.f64 %r1, %d1;",
               "'cvt' from floating point to an integer needs .rni, .rzi, .rmi or .rpi"},
        Marked{"`cvt.rni.f64.u64 %d1, %rd1;",
               "'cvt' from an integer to floating point needs .rn, .rz, .rm or .rp"},
        Marked{"`cvt.f32.f64 %f1, %d1;",
               "'cvt' to a floating-point type no wider than its source needs .rn, .rz, .rm or "
               ".rp"},
        Marked{"`cvt.bf16.f16 %h1, %h2;",
               "'cvt' to a floating-point type no wider than its source needs .rn, .rz, .rm or "
               ".rp"},
        Marked{"`cvt.rn.s64.s32 %rd1, %r1;", "'cvt' between integers does not round"},
        Marked{"`cvt.rn.f16x2.f32 %r1, %f1;", kPacks},
        Marked{"`cvt.rn.f16.f32 %h1, %f1, %f2;", kPacks},
        Marked{"`cvt.rn.f16x2.f64 %r1, %d1, %d2;", kPacks},
        // As ptxas 13 for sm_90 refuses them.
        Marked{"`cvt.rn.e4m3x2.f32 %h1, %f1, %f2;", kFp8},
        Marked{"`cvt.rz.satfinite.e5m2x2.f32 %h1, %f1, %f2;", kFp8},
        Marked{"`cvt.rn.e4m3x2.f16x2 %h1, %r1;", kFp8}, Marked{"`cvt.f16x2.e4m3x2 %r1, %h1;", kFp8},
        Marked{"`cvt.rn.satfinite.f16x2.e4m3x2 %r1, %h1;", kFp8},
        Marked{"`cvt.rn.bf16x2.e4m3x2 %r1, %h1;", kPacks},
        Marked{"`cvt.rn.satfinite.e4m3x2.bf16x2 %h1, %r1;", kPacks},
        Marked{"`cvt.rn.satfinite.e4m3x2.f16 %h1, %h2;", kPacks},
        Marked{"`cvt.rn.satfinite.s32.f32 %r1, %f1;",
               "'cvt' from floating point to an integer needs .rni, .rzi, .rmi or .rpi"},
        Marked{"`cvt.rn.sat.satfinite.f16.f32 %h1, %f1;",
               "'cvt' has .satfinite from .f32 to 16 bits or less, without .sat"},
        Marked{"`cvta.u64 %rd1, %rd2;", "'cvta' needs a state space, such as .global"},
        Marked{"`isspacep %p1, %rd1;", "'isspacep' needs a state space, such as .global"}));

INSTANTIATE_TEST_SUITE_P(
    Memory, Rules,
    testing::Values(
        Marked{"`ld.local.nc.u32 %r1, [%rd1];", "'ld' has .nc for plain .global loads only"},
        Marked{"`ld.volatile.global.nc.u32 %r1, [%rd1];",
               "'ld' has .nc for plain .global loads only"},
        Marked{"`ld.relaxed.gpu.global.nc.u32 %r1, [%rd1];",
               "'ld' has .nc for plain .global loads only"},
        Marked{"`ld.acq_rel.gpu.u32 %r1, [%rd1];", "'ld' has .weak, .relaxed or .acquire order"},
        Marked{"`st.acquire.gpu.u32 [%rd1], %r1;", "'st' has .weak, .relaxed or .release order"},
        Marked{"`st.sc.gpu.u32 [%rd1], %r1;", "'st' has .weak, .relaxed or .release order"},
        Marked{"`ld.gpu.u32 %r1, [%rd1];",
               "'ld' has a scope with .relaxed or .acquire, and only then"},
        Marked{"`ld.relaxed.gpu.volatile.u32 %r1, [%rd1];",
               "'ld' has a scope with .relaxed or .acquire, and only then"},
        Marked{"`st.release.u32 [%rd1], %r1;",
               "'st' has a scope with .relaxed or .release, and only then"},
        Marked{"`ld.volatile.local.u32 %r1, [%rd1];",
               "'ld' is .volatile or ordered in generic, .global and .shared memory only"},
        Marked{"`st.relaxed.cta.local.u32 [%rd1], %r1;",
               "'st' is .volatile or ordered in generic, .global and .shared memory only"},
        Marked{"`ld.global.v8.b64 {%rd1,%rd2,%rd3,%rd4,%rd5,%rd6,%rd7,%rd8}, [%rd0];",
               "'ld' has vectors of 256 bits or less"},
        Marked{"`st.global.v8.f64 [%rd0], {1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0};",
               "'st' has vectors of 256 bits or less"},
        Marked{"`ld.shared.L2::cache_hint.u32 %r1, [%r2], %rd1;",
               "'ld' has .L2::cache_hint for generic and .global addresses only"},
        Marked{"`st.global.L2::cache_hint.u32 [%rd1], %r1;",
               "'st' with .L2::cache_hint needs a 64-bit policy behind its other operands"},
        Marked{"`red.global.add.L2::cache_hint.u32 [%rd1], 1, %r1;",
               "'red' with .L2::cache_hint needs a 64-bit policy behind its other operands"},
        Marked{"`atom.global.cas.L2::cache_hint.b32 %r1, [%rd1], 1, 2, %rd2;",
               "'atom' has no .L2::cache_hint with .cas"},
        Marked{"`mapa.u64 %rd1, p, 0;",
               "'mapa' takes a .shared::cluster address, or a generic one in a 64-bit register"},
        Marked{"`mapa.u32 %r1, %r2, 0;",
               "'mapa' takes a .shared::cluster address, or a generic one in a 64-bit register"},
        Marked{"`barrier.cluster.wait.release;", "'barrier.cluster.wait' has .acquire order"},
        Marked{"`barrier.cluster.arrive.acquire;",
               "'barrier.cluster.arrive' has .release or .relaxed order"},
        Marked{"`mov.v8.b32 {%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1}, {1,2,3,4,5,6,7,8};",
               "'mov' has .v2 and .v4, but not of predicates"},
        Marked{"`st.const.u32 [%rd1], %r1;", "'st' can't write to .const"},
        Marked{"`prefetch.shared.L1 [%rd1];",
               "'prefetch' works on generic, .global and .local addresses"},
        Marked{"`atom.local.add.u32 %r1, [%rd1], 1;",
               "'atom' works on generic, .global and .shared addresses"},
        Marked{"`red.param.add.u32 [%rd1], 1;",
               "'red' works on generic, .global and .shared addresses"},
        Marked{"`cp.async.ca.shared.global [%r1], [%rd1], 2;",
               "'cp.async' copies 4, 8 or 16 bytes with .ca, and 16 bytes with .cg"},
        Marked{"`cp.async.shared.global [%r1], [%rd1], 4;",
               "'cp.async' copies 4, 8 or 16 bytes with .ca, and 16 bytes with .cg"},
        Marked{"`cp.async.ca.global.shared [%rd1], [%r1], 4;",
               "'cp.async' copies from .global to .shared"}));

INSTANTIATE_TEST_SUITE_P(
    Warps, Rules,
    testing::Values(
        Marked{"`vote.all.pred %p1, %p2, -1;", "'vote' needs .sync"},
        Marked{"`match.any.b32 %r1, %r2, -1;", "'match' needs .sync"},
        Marked{"`redux.add.u32 %r1, %r2, -1;", "'redux' needs .sync"},
        Marked{"`shfl.idx.b32 %r1, %r2, 0, 31, -1;", "'shfl' needs .sync"},
        Marked{"`elect %r1|%p1, -1;", "'elect' needs .sync"},
        Marked{"`redux.sync.and.u32 %r1, %r2, -1;",
               "'redux' does not have this operation for its type"},
        Marked{"`redux.sync.min.b32 %r1, %r2, -1;",
               "'redux' does not have this operation for its type"},
        Marked{"`vote.sync.ballot.pred %p1, %p2, -1;",
               "'vote' is .b32 for .ballot and .pred for the others"},
        Marked{"`vote.sync.any.b32 %r1, %p2, -1;",
               "'vote' is .b32 for .ballot and .pred for the others"},
        Marked{"`match.any.sync.b32 %r1|%p1, %r2, -1;", "'match' gives a predicate with .all only"},
        Marked{"`atom.global.cas.b32 %r1, [%rd1], 1;",
               "'atom' has a fourth operand with .cas only"},
        Marked{"`atom.global.exch.b32 %r1, [%rd1], 1, 2;",
               "'atom' has a fourth operand with .cas only"},
        Marked{"`bar.red.and.u32 %r1, 0, %p1;",
               "'bar' has operands or a type that its kind does not"},
        Marked{"`bar.red.popc.pred %p1, 0, %p2;",
               "'bar' has operands or a type that its kind does not"},
        Marked{"`bar.red.sync.pred %p1, 0, %p2;",
               "'bar' has operands or a type that its kind does not"},
        Marked{"`bar.sync.and 0;", "'bar' has operands or a type that its kind does not"},
        Marked{"`bar.arrive 0;", "'bar' has operands or a type that its kind does not"},
        Marked{"`bar.warp -1;", "'bar' has operands or a type that its kind does not"},
        Marked{"`barrier.sync.pred 0;", "'barrier' has operands or a type that its kind does not"},
        Marked{"`barrier.arrive 16, 64;", "'barrier' has 16 barriers, 0 to 15"},
        Marked{"`bar.red.or.pred %p1, 31, %p2;", "'bar' has 16 barriers, 0 to 15"}));

TEST(Rules, AreOfTheInstructionBehindItsGuard) {
  constexpr Marked kRow = {"mov.b32 %r1, 1; @!%p1 `sqrt.f32 %f1, %f2;",
                           "'sqrt' needs .rn, .rz, .rm or .rp, or .approx"};
  expect_marked_error(kernel(kRow.text), kRow);
}

}  // namespace
}  // namespace lab::ptx
