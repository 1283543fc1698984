// Which instructions are PTX. The rows of both tables were held against ptxas 13.0 (sm_90): it
// accepts the first and refuses the second, with the exceptions that are marked.
#include <gtest/gtest.h>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

using Kind = Operand::Kind;

Instruction only(const std::string& text) {
  const Module module = parse(kernel(text), "x.ptx");
  const Function& function = module.functions.at(0);
  EXPECT_FALSE(function.refusal.has_value()) << text;
  return function.instructions.at(0);
}

class Accepted : public testing::TestWithParam<const char*> {};

TEST_P(Accepted, ByTheParser) {
  const Module module = parse(kernel(GetParam()), "x.ptx");
  EXPECT_FALSE(module.functions[0].refusal.has_value());
  EXPECT_GE(module.functions[0].instructions.size(), 2U);  // it, and ret
}

constexpr const char* kAccepted[] = {
    "mov.b32 %r1, 0f3F800000;",
    "add.f32 %f1, %f2, 1.0;",
    "add.f32 %f1, %f2, 0d3FF0000000000000;",
    "add.f64 %d1, %d2, 0f3F800000;",
    "add.f32 %f1, %r1, %f2;",
    "mov.pred %p1, -1;",
    "mov.pred %p1, !%p2;",
    "and.pred %p1, !%p2, 1;",
    "not.pred %p1, %p2;",
    "selp.b32 %r1, %r2, %r3, 1;",
    "selp.b32 %r1, 1, 2, !%p1;",
    "setp.eq.and.s32 %p1, %r1, %r2, !%p2;",
    "setp.lt.f32 _|%p2, %f1, %f2;",
    "setp.lo.u32 %p1, %r1, %r2;",
    "setp.lt.f16x2 %p1|%p2, %r1, %r2;",
    "set.lt.u32.f32 %r1, %f1, %f2;",
    "set.lt.f32.f32 %f1, %f1, %f2;",
    "set.eq.f16.f16 %h1, %h2, %h3;",
    "mov.b64 %rd1, {1, 2};",
    "mov.b64 {%r1, _}, %rd1;",
    "mov.b32 {%h1, %h2}, %r1;",
    "mov.b64 {%h1, %h2, %h3, %h4}, %rd1;",
    "mov.u32 %r1, %laneid;",
    "mov.u64 %rd1, %clock64;",
    "mov.b32 %r1, %envreg3;",
    "mov.u32 %r1, WARP_SZ;",
    "ld.global.u8 %r1, [%rd1];",
    "ld.global.u16 %rd2, [%rd1];",
    "ld.local.u32 %r1, [4];",
    "ld.param.u32 %r1, [p];",
    "ld.global.u32 %r1, [%rd1+4+-8];",
    "ld.global.nc.L1::no_allocate.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];",
    "ld.global.L1::evict_last.L2::128B.u32 %r1, [%rd1];",
    "ld.weak.global.ca.u32 %r1, [%rd1];",
    "ld.relaxed.gpu.global.u32 %r1, [%rd1];",
    "ld.acquire.sys.u32 %r1, [%rd1];",
    "ld.volatile.shared.f32 %f1, [%r1];",
    "st.release.gpu.global.u32 [%rd1], %r1;",
    "st.volatile.global.u32 [%rd1], %r1;",
    "st.global.u8 [%rd1], 3;",
    "st.global.v2.f32 [%rd1], {1.0, %f1};",
    "cvt.u16.u8 %r1, %r2;",
    "cvt.rn.f32.u8 %f1, 3;",
    "cvt.u64.u32 %rd1, %tid.x;",
    "cvt.f64.f32 %d1, %f1;",
    "cvt.rzi.f32.f32 %f1, %f1;",
    "cvt.sat.f32.f32 %f1, %f1;",
    "cvt.rn.bf16.f32 %h1, %f1;",
    "cvt.rn.f16x2.f32 %r1, %f1, %f2;",
    "cvt.rzi.s32.f16 %r1, %h1;",
    "cvt.sat.u8.s32 %r1, %r2;",
    "cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;",
    "cvt.pack.sat.s16.s32 %r1, %r2, %r3;",
    "cvta.to.global.u64 %rd1, %rd2;",
    "cvta.shared.u64 %rd1, %rd2;",
    "isspacep.shared %p1, %rd1;",
    "add.sat.s32 %r1, %r2, %r3;",
    "add.u32 %r1, %r2, 0x1ffffffff;",
    "add.cc.u64 %rd1, %rd2, %rd1;",
    "sub.rn.ftz.sat.f32 %f1, %f2, %f3;",
    "mul.wide.s16 %r1, %h1, %h2;",
    "mad.wide.s32 %rd1, %r1, %r2, %rd3;",
    "mad.lo.cc.u64 %rd1, %rd2, %rd1, %rd3;",
    "madc.hi.cc.s32 %r1, %r2, %r3, %r4;",
    "mad.rn.f32 %f1, %f2, %f3, %f4;",
    "fma.rn.relu.f16 %h1, %h2, %h1, %h2;",
    "div.full.f32 %f1, %f2, %f3;",
    "rcp.rn.f64 %d1, %d2;",
    "rsqrt.approx.ftz.f64 %d1, %d2;",
    "ex2.approx.ftz.bf16 %h1, %h2;",
    "min.NaN.f32 %f1, %f2, %f3;",
    "max.relu.s32 %r1, %r2, %r3;",
    "copysign.f32 %f1, %f2, %f3;",
    "testp.finite.f32 %p1, %f1;",
    "slct.f32.s32 %f1, %f2, %f3, %r1;",
    "shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
    "lop3.b32 %r1, %r2, %r3, %r4, 0x1f;",
    "prmt.b32.f4e %r1, %r2, %r3, %r4;",
    "bfind.shiftamt.u32 %r1, %r2;",
    "bmsk.clamp.b32 %r1, %r2, %r3;",
    "szext.clamp.s32 %r1, %r2, %r3;",
    "fns.b32 %r1, %r2, %r3, %r4;",
    "dp2a.lo.u32.s32 %r1, %r2, %r3, %r4;",
    "atom.global.add.u32 _, [%rd1], 1;",
    "atom.global.min.s64 %rd1, [%rd2], 1;",
    "atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1], 1, 2;",
    "atom.shared.add.noftz.f16x2 %r2, [%rd1], %r1;",
    "red.global.add.noftz.f16 [%rd1], %h1;",
    "redux.sync.add.u32 %r1, %r2, -1;",
    "vote.sync.any.pred %p1, 1, -1;",
    "vote.sync.uni.pred %p1, !%p1, -1;",
    "vote.sync.ballot.b32 %r1, !%p1, -1;",
    "match.all.sync.b32 %r1|%p1, %r2, -1;",
    "match.any.sync.b64 %r1, %rd2, -1;",
    "shfl.sync.idx.b32 %f1|%p1, %f2, 0, 31, -1;",
    "elect.sync _|%p1, -1;",
    "activemask.b32 %r1;",
    "bar.sync %r1, %r2;",
    "bar.arrive 0, 32;",
    "bar.red.and.pred %p1, 0, %p2;",
    "bar.cta.sync 0;",
    "barrier.red.popc.aligned.u32 %r1, 0, 32, !%p2;",
    "bar.warp.sync -1;",
    "fence.acq_rel.gpu;",
    "membar.gl;",
    "cp.async.ca.shared.global [%r1], [%rd1], 4;",
    "cp.async.ca.shared.global [%r1], [%rd1], 4, %p1;",
    "cp.async.cg.shared::cta.global.L2::128B [%r1], [%rd1], 16, %r2;",
    "cp.async.commit_group;",
    "cp.async.wait_group 1;",
    "cp.async.wait_all;",
    "discard.global.L2 [%rd1], 128;",
    "prefetch.L1 [%rd1];",
    "prefetchu.L1 [%rd1];",
    "applypriority.global.L2::evict_normal [%rd1], 128;",
    "nanosleep.u32 %r1;",
    "pmevent 3;",
    "griddepcontrol.wait;",
    "TT: .branchtargets A, B; brx.idx %r1, TT; A: B:",
    "bra.uni END; END:",
    "@%p1 mov.u32 %r1, 5;",
    "@!%p1 exit;",
};
INSTANTIATE_TEST_SUITE_P(Ptx, Accepted, testing::ValuesIn(kAccepted));

struct Refused {
  const char* text;
  const char* message;
};
class RefusedText : public testing::TestWithParam<Refused> {};

TEST_P(RefusedText, WithAReason) {
  const std::string text = error_of(kernel(GetParam().text));
  const std::string message = text.substr(0, text.find('\n'));
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << text;
}

constexpr const char* kWidth = "must be a register or constant of the instruction's width";
constexpr const char* kOperation = "does not have this operation for its type";
constexpr Refused kRefused[] = {
    {"mov.f32 %f1, 1;", "an integer can't stand for a .f32 value"},
    {"add.rn.f16 %h1, %h2, 0x3C00;", "an integer can't stand for a .f16 value"},
    {"mov.b32 %r1, 1.0;", "a floating-point number can't stand for a .b32 value"},
    {"mov.u16 %h1, 0f3F800000;", "a floating-point number can't stand for a .u16 value"},
    {"add.s32 %r1, %tid.x, 1;", kWidth},
    {"add.s32 %r1, %r2, %h1;", kWidth},
    {"add.s64 %rd1, %rd2, p;", kWidth},
    {"mov.u32 %r1, %clock64;", "operand 2 of 'mov' must be"},
    {"mov.u32 %r1, %tid;", "expected .x, .y, .z or .w after '%tid'"},
    {"shl.b64 %rd1, %rd2, %rd1;", "operand 3 of 'shl' must be a 32-bit register or constant"},
    {"st.global.f32 [%rd1], 3;", "an integer can't stand for a .f32 value"},
    {"ld.global.u32 _, [%rd1];", "operand 1 of 'ld' must be a register"},
    {"ld.param.u64 %rd1, p;", "operand 2 of 'ld' must be an address in brackets"},
    {"ld.global.v2.f32 {%f1}, [%rd1];", "operand 1 of 'ld' must be a register, or a vector"},
    {"ld.global.shared.u32 %r1, [%rd1];", "'ld' has two modifiers of the kind of '.shared'"},
    {"ld.shared.nc.u32 %r1, [%rd1];", "'ld' has .nc for plain .global loads only"},
    {"ld.acquire.global.u32 %r1, [%rd1];", "'ld' has a scope with .relaxed or .acquire"},
    {"ld.release.gpu.global.u32 %r1, [%rd1];", "'ld' has .weak, .relaxed or .acquire order"},
    {"st.const.u32 [%rd1], %r1;", "'st' can't write to .const"},
    {"atom.const.add.u32 %r1, [%rd1], 1;", "'atom' works on generic, .global and .shared"},
    {"atom.global.add.s64 %rd1, [%rd2], 1;", kOperation},
    {"atom.global.and.u32 %r1, [%rd2], 1;", kOperation},
    {"atom.global.exch.f32 %f1, [%rd2], %f2;", kOperation},
    {"atom.global.cas.u32 %r1, [%rd2], 1, 2;", kOperation},
    {"atom.global.inc.s32 %r1, [%rd2], 1;", kOperation},
    {"atom.global.add.u32 %r1, [%rd2], 1, 2;", "'atom' has a fourth operand with .cas only"},
    {"redux.sync.add.b32 %r1, %r2, -1;", kOperation},
    {"red.global.add.f16 [%rd1], %h1;", "'red' needs .noftz for 16-bit floating point"},
    {"call undefinedf;", "'undefinedf' is not declared"},
    {"bra L2; { L2: }", "no label 'L2' in this function or block"},
    {"brx.idx %r1, TT; TT: .branchtargets A; A:", "'TT' is not declared"},
    {"@1 mov.u32 %r1, 5;", "expected a predicate after '@', found '1'"},
    {"@%r1 mov.u32 %r1, 5;", "'%r1' is not a predicate"},
    {"mul.s32 %r1, %r2, %r3;", "'mul' lacks the modifier that says which kind it is"},
    {"mul.lo.hi.s32 %r1, %r2, %r3;", "'mul' has two modifiers of one kind"},
    {"mul.lo.f32 %f1, %f2, %f3;", "'mul' has no .lo, .hi or .wide for floating point"},
    {"mul.wide.u64 %rd1, %rd2, %rd3;", "'mul' has .wide for 16- and 32-bit types only"},
    {"mul.rni.f32 %f1, %f2, %f3;", "'mul' rounds with .rn, .rz, .rm or .rp"},
    {"mad.wide.s32 %r1, %r1, %r2, %rd3;", "operand 1 of 'mad' must be a register of the result's"},
    {"add %r1, %r2, %r3;", "'add' has no type"},
    {"add.s32 %r1, %r2;", "'add' takes 3 operands, not 2"},
    {"add.cc.u16 %h1, %h2, %h1;", "'add' has .cc for 32- and 64-bit integers only"},
    {"add.sat.u32 %r1, %r2, %r3;", "'add' saturates .s32 and floating point only"},
    {"add.ftz.s32 %r1, %r2, %r3;", "'add' does not round or flush integers"},
    {"add.f32 %f1, %f2, -%f1;", "expected an operand, found '-'"},
    {"div.f32 %f1, %f2, %f3;", "'div' needs .rn, .rz, .rm or .rp, or .approx"},
    {"div.rn.approx.f32 %f1, %f2, %f3;", "'div' has more than one precision"},
    {"fma.f32 %f1, %f2, %f3, %f3;", "'fma' needs .rn, .rz, .rm or .rp"},
    {"fma.rn.relu.f32 %f1, %f2, %f1, %f2;", "'fma' has .relu for 16-bit floating point only"},
    {"sin.f32 %f1, %f2;", "'sin' needs .approx"},
    {"cvt.s32.f32 %r1, %f1;", "'cvt' from floating point to an integer needs .rni"},
    {"cvt.rn.u32.f32 %r1, %f1;", "'cvt' from floating point to an integer needs .rni"},
    {"cvt.f32.s32 %f1, %r1;", "'cvt' from an integer to floating point needs .rn"},
    {"cvt.f16.f32 %h1, %f1;", "'cvt' to a floating-point type no wider than its source needs"},
    {"cvt.rni.s32.s32 %r1, %r1;", "'cvt' between integers does not round"},
    {"cvt.u32.s32 %r1, %h1;", "operand 2 of 'cvt' must be a register of the source type's width"},
    {"cvt.u32 %r1, %r2;", "'cvt' needs two types"},
    {"setp.lo.s32 %p1, %r1, %r2;", "'setp' needs a comparison that its type has"},
    {"setp.lt.b32 %p1, %r1, %r2;", "'setp' needs a comparison that its type has"},
    {"setp.equ.s32 %p1, %r1, %r2;", "'setp' needs a comparison that its type has"},
    {"setp.lt.s32 %p1, %r1, %r2, %p2;", "'setp' has a fourth operand where, and only where"},
    {"shf.l.b32 %r1, %r2, %r3, %r4;", "'shf' needs .l or .r, then .clamp or .wrap"},
    {"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "operand 5 of 'lop3' must be an integer constant"},
    {"shfl.down.b32 %r1, %r2, %r3, %r4, %r5;", "'shfl' needs .sync"},
    {"cp.async.cg.shared.global [%r1], [%rd1], 8;", "'cp.async' copies 4, 8 or 16 bytes"},
    {"bar.sync;", "'bar' takes 1 or 2 or 3 or 4 operands, not 0"},
    {"bar.sync 0, 1, 2;", "'bar' has operands or a type that its kind does not"},
    {"bar.sync 17;", "'bar' has 16 barriers, 0 to 15"},
    {"mov.u32 %r1, %r2.x;", "expected ';' after the operands, found '.x'"},
    {"mov.u32 %r1, %r99;", "'%r99' is not declared"},
    {"mov.u32 %r1, %r01;", "'%r01' is not declared"},
    {"mov.b64 {%r1, %r2, %r3}, %rd1;", "operand 1 of 'mov' must be"},
    {"isspacep %p1, %rd1;", "'isspacep' needs a state space, such as .global"},
};
INSTANTIATE_TEST_SUITE_P(Ptx, RefusedText, testing::ValuesIn(kRefused));

TEST(Instructions, CarryTheirModifiers) {
  const Instruction add = only("add.rn.ftz.sat.f32 %f1, %f2, %f3;");
  EXPECT_EQ(add.op, Op::kAdd);
  EXPECT_EQ(add.type, Type::kF32);
  EXPECT_EQ(add.round, Round::kRn);
  EXPECT_TRUE(add.ftz && add.sat && !add.carry_out);

  const Instruction load = only("ld.relaxed.gpu.global.v2.u64 {%rd1, %rd2}, [%rd3+16];");
  EXPECT_EQ(load.space, Space::kGlobal);
  EXPECT_EQ(load.order, Order::kRelaxed);
  EXPECT_EQ(load.scope, Scope::kGpu);
  EXPECT_EQ(load.vector, 2);
  ASSERT_EQ(load.operands[0].kind, Kind::kVector);
  EXPECT_EQ(load.operands[0].parts.size(), 2U);
  EXPECT_EQ(load.operands[1].kind, Kind::kAddress);
  EXPECT_EQ(load.operands[1].offset, 16);

  const Instruction funnel = only("shf.r.clamp.b32 %r1, %r2, %r3, %r4;");
  EXPECT_EQ(funnel.sub, Sub::kR);
  EXPECT_EQ(funnel.sub2, Sub::kClamp);

  const Instruction barrier = only("bar.red.popc.u32 %r1, 2, !%p2;");
  EXPECT_EQ(barrier.sub, Sub::kRed);
  EXPECT_EQ(barrier.sub2, Sub::kPopc);
  EXPECT_TRUE(barrier.operands[2].negated);

  const Instruction warp = only("bar.warp.sync -1;");
  EXPECT_EQ(warp.sub, Sub::kWarp);
  EXPECT_EQ(warp.operands[0].bits, ~std::uint64_t{0});

  const Instruction convert = only("cvt.rzi.s32.f64 %r1, %d1;");
  EXPECT_EQ(convert.type, Type::kS32);
  EXPECT_EQ(convert.from, Type::kF64);
  EXPECT_EQ(convert.round, Round::kRzi);

  const Instruction set = only("setp.gt.xor.s16 %p1|%p2, %h1, -2, %p3;");
  EXPECT_EQ(set.compare, Compare::kGt);
  EXPECT_EQ(set.combine, Combine::kXor);
  EXPECT_EQ(set.operands[0].kind, Kind::kPair);
  EXPECT_EQ(set.operands[2].bits, 0xfffffffffffffffeU);

  const Instruction copy = only("cp.async.ca.shared.global [%r1], [%rd1], 8;");
  EXPECT_EQ(copy.space, Space::kShared);
  EXPECT_EQ(copy.cache, CacheOp::kCa);
  EXPECT_EQ(copy.operands[2].bits, 8U);

  const Instruction vote = only("vote.sync.uni.pred %p1, %p2, -1;");
  EXPECT_EQ(vote.sub, Sub::kUniVote);
  EXPECT_TRUE(vote.sync && !vote.uni);

  const Instruction branch = only("@!%p1 bra.uni END; END:");
  EXPECT_TRUE(branch.guard_negated && branch.uni);
  EXPECT_NE(branch.guard, kNoIndex);
  EXPECT_EQ(branch.operands[0].target, 1U);
}

TEST(Instructions, GiveConstantsTheTypeOfTheInstruction) {
  // 0f40000000 is 2.0f; as a double it is 0x4000000000000000. 0d3FF8... is 1.5, as a float
  // 0x3fc00000.
  EXPECT_EQ(only("add.f64 %d1, %d2, 0f40000000;").operands[2].bits, 0x4000000000000000U);
  EXPECT_EQ(only("add.f32 %f1, %f2, 0d3FF8000000000000;").operands[2].bits, 0x3fc00000U);
  EXPECT_EQ(only("mov.b32 %r1, 0f40000000;").operands[1].bits, 0x40000000U);
  EXPECT_TRUE(only("add.f32 %f1, %f2, 1.0;").operands[2].is_float);
  // The source type counts for cvt and set, .u32 for a shift, and a predicate is 0 or 1.
  EXPECT_EQ(only("cvt.rn.f32.f64 %f1, 0f3F800000;").operands[1].bits, 0x3ff0000000000000U);
  EXPECT_EQ(only("set.lt.u32.f32 %r1, %f1, 2.0;").operands[2].bits, 0x40000000U);
  EXPECT_EQ(only("selp.f32 %f1, 1.0, 2.0, 7;").operands[3].bits, 1U);
  EXPECT_EQ(only("setp.eq.and.f32 %p1, %f1, %f2, 1;").operands[3].bits, 1U);
  // bar.red's barrier and count are numbers, whatever it combines.
  const Instruction barrier = only("bar.red.or.pred %p1, 7, 64, 5;");
  EXPECT_EQ(barrier.operands[1].bits, 7U);
  EXPECT_EQ(barrier.operands[2].bits, 64U);
  EXPECT_EQ(barrier.operands[3].bits, 1U);
  EXPECT_EQ(only("barrier.red.and.pred %p1, 2, 0;").operands[1].bits, 2U);
  EXPECT_EQ(only("barrier.red.and.pred %p1, 2, 8;").operands[2].bits, 1U);
  EXPECT_EQ(only("cp.async.ca.shared.global [%r1], [%rd1], 16, 12;").operands[3].bits, 12U);
  // Both sources of a packing conversion are of its second type: 1.5f is 3fc00000.
  EXPECT_EQ(only("cvt.rn.f16x2.f32 %r1, %f1, 1.5;").operands[2].bits, 0x3fc00000U);
}

TEST(Instructions, NameSpecialRegisters) {
  const Operand y = only("mov.u32 %r1, %ctaid.y;").operands[1];
  EXPECT_EQ(y.kind, Kind::kSpecial);
  EXPECT_EQ(y.special, Special::kCtaid);
  EXPECT_EQ(y.component, 1);
  EXPECT_EQ(only("mov.u32 %r1, %lanemask_ge;").operands[1].special, Special::kLanemaskGe);
  const Operand environment = only("mov.b32 %r1, %envreg31;").operands[1];
  EXPECT_EQ(environment.special, Special::kEnvreg);
  EXPECT_EQ(environment.component, 31);
  EXPECT_NE(error_of(kernel("mov.b32 %r1, %envreg32;")), "");
}

}  // namespace
}  // namespace lab::ptx
