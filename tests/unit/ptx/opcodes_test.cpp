// One instruction of every opcode, with all that the parser makes of it. The expected fields are
// read off the instruction's name and the PTX ISA's syntax for it.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

using Kind = Operand::Kind;
using enum Type;

// Kinds of operands as letters: r register, i immediate, a address, v vector, p pair, l label,
// t targets, s special, y symbol, f function, L list, _ sink.
char letter_of(Kind kind) {
  switch (kind) {
    case Kind::kRegister:
      return 'r';
    case Kind::kImmediate:
      return 'i';
    case Kind::kAddress:
      return 'a';
    case Kind::kVector:
      return 'v';
    case Kind::kPair:
      return 'p';
    case Kind::kLabel:
      return 'l';
    case Kind::kTargets:
      return 't';
    case Kind::kSpecial:
      return 's';
    case Kind::kSymbol:
      return 'y';
    case Kind::kFunction:
      return 'f';
    case Kind::kList:
      return 'L';
    case Kind::kSink:
      return '_';
    case Kind::kNone:
      break;
  }
  return '?';
}

std::string kinds_of(const Instruction& i) {
  std::string kinds;
  for (const Operand& operand : i.operands) kinds += letter_of(operand.kind);
  return kinds;
}

struct Row {
  const char* text;
  Op op;
  const char* kinds;
  Type type = kNone;
  Type from = kNone;
  Sub sub = Sub::kNone;
  Sub sub2 = Sub::kNone;
  Space space = Space::kGeneric;
};

constexpr auto kNo = Sub::kNone;
constexpr Row kRows[] = {
    {"abs.s64 %rd1, %rd2;", Op::kAbs, "rr", kS64},
    {"add.s16 %h1, %h2, -7;", Op::kAdd, "rri", kS16},
    {"add.rn.f16x2 %r1, %r2, %r3;", Op::kAdd, "rrr", kF16x2},
    {"add.rn.f32x2 %rd1, %rd2, %rd3;", Op::kAdd, "rrr", kF32x2},
    {"addc.cc.u32 %r1, %r2, 0;", Op::kAddc, "rri", kU32},
    {"sub.f64 %d1, %d2, %d3;", Op::kSub, "rrr", kF64},
    {"subc.u64 %rd1, %rd2, %rd3;", Op::kSubc, "rrr", kU64},
    {"mul.hi.u64 %rd1, %rd2, %rd3;", Op::kMul, "rrr", kU64, kNone, Sub::kHi},
    {"mul.wide.u16 %r1, %h2, 9;", Op::kMul, "rri", kU16, kNone, Sub::kWide},
    {"mul24.lo.s32 %r1, %r2, %r3;", Op::kMul24, "rrr", kS32, kNone, Sub::kLo},
    {"mad.wide.u32 %rd1, %r1, %r2, %rd3;", Op::kMad, "rrrr", kU32, kNone, Sub::kWide},
    {"mad24.hi.sat.s32 %r1, %r2, %r3, %r4;", Op::kMad24, "rrrr", kS32, kNone, Sub::kHi},
    {"madc.lo.u64 %rd1, %rd2, %rd3, %rd4;", Op::kMadc, "rrrr", kU64, kNone, Sub::kLo},
    {"sad.u16 %h1, %h2, %h3, %h4;", Op::kSad, "rrrr", kU16},
    {"div.s64 %rd1, %rd2, %rd3;", Op::kDiv, "rrr", kS64},
    {"rem.u16 %h1, %h2, %h3;", Op::kRem, "rrr", kU16},
    {"neg.bf16x2 %r1, %r2;", Op::kNeg, "rr", kBF16x2},
    {"min.u64 %rd1, %rd2, %rd3;", Op::kMin, "rrr", kU64},
    {"min.relu.s16x2 %r1, %r2, %r3;", Op::kMin, "rrr", kS16x2},
    {"max.f16 %h1, %h2, %h3;", Op::kMax, "rrr", kF16},
    {"fma.rp.f64 %d1, %d2, %d3, %d4;", Op::kFma, "rrrr", kF64},
    {"rcp.approx.ftz.f32 %f1, %f2;", Op::kRcp, "rr", kF32},
    {"sqrt.rm.f64 %d1, %d2;", Op::kSqrt, "rr", kF64},
    {"rsqrt.approx.f32 %f1, %f2;", Op::kRsqrt, "rr", kF32},
    {"sin.approx.f32 %f1, %f2;", Op::kSin, "rr", kF32},
    {"cos.approx.ftz.f32 %f1, %f2;", Op::kCos, "rr", kF32},
    {"lg2.approx.f32 %f1, %f2;", Op::kLg2, "rr", kF32},
    {"ex2.approx.f16x2 %r1, %r2;", Op::kEx2, "rr", kF16x2},
    {"tanh.approx.bf16 %h1, %h2;", Op::kTanh, "rr", kBF16},
    {"copysign.f64 %d1, %d2, %d3;", Op::kCopysign, "rrr", kF64},
    {"testp.subnormal.f64 %p1, %d1;", Op::kTestp, "rr", kF64, kNone, Sub::kSubnormal},
    {"popc.b64 %r1, %rd2;", Op::kPopc, "rr", kB64},
    {"clz.b32 %r1, %r2;", Op::kClz, "rr", kB32},
    {"bfind.s64 %r1, %rd2;", Op::kBfind, "rr", kS64},
    {"bfind.shiftamt.u32 %r1, %r2;", Op::kBfind, "rr", kU32, kNone, Sub::kShiftAmt},
    {"fns.b32 %r1, -1, %r2, 3;", Op::kFns, "riri", kB32},
    {"brev.b64 %rd1, %rd2;", Op::kBrev, "rr", kB64},
    {"bfe.s64 %rd1, %rd2, %r1, 8;", Op::kBfe, "rrri", kS64},
    {"bfi.b32 %r1, %r2, %r3, 4, %r4;", Op::kBfi, "rrrir", kB32},
    {"bmsk.wrap.b32 %r1, 3, %r2;", Op::kBmsk, "rir", kB32, kNone, Sub::kWrap},
    {"szext.clamp.u32 %r1, %r2, 9;", Op::kSzext, "rri", kU32, kNone, Sub::kClamp},
    {"dp4a.u32.s32 %r1, %r2, %r3, %r4;", Op::kDp4a, "rrrr", kU32, kS32},
    {"dp2a.hi.s32.s32 %r1, %r2, %r3, %r4;", Op::kDp2a, "rrrr", kS32, kS32, Sub::kHi},
    {"vabsdiff2.u32.s32.s32.add %r1, %r2, 7, %r4;", Op::kVabsdiff2, "rrir", kU32, kS32, Sub::kAdd},
    {"vabsdiff4.u32.u32.u32 %r1, %r2, %r3, %r4;", Op::kVabsdiff4, "rrrr", kU32, kU32},
    {"set.ge.s32.f64 %r1, %d1, %d2;", Op::kSet, "rrr", kS32, kF64},
    {"setp.ltu.f64 %p1, %d1, 2.0;", Op::kSetp, "rri", kF64},
    {"setp.ne.b64 %p1|%p2, %rd1, %rd2;", Op::kSetp, "prr", kB64},
    {"selp.u16 %h1, 1, %h2, %p1;", Op::kSelp, "rirr", kU16},
    {"slct.u64.f32 %rd1, %rd2, %rd3, %f1;", Op::kSlct, "rrrr", kU64, kF32},
    {"and.b16 %h1, %h2, 255;", Op::kAnd, "rri", kB16},
    {"or.pred %p1, %p2, %p3;", Op::kOr, "rrr", kPred},
    {"xor.b64 %rd1, %rd2, %rd3;", Op::kXor, "rrr", kB64},
    {"not.b32 %r1, %r2;", Op::kNot, "rr", kB32},
    {"cnot.b16 %h1, %h2;", Op::kCnot, "rr", kB16},
    {"lop3.b32 %r1, %r2, %r3, 5, 0x96;", Op::kLop3, "rrrii", kB32},
    {"shl.b16 %h1, %h2, %r1;", Op::kShl, "rrr", kB16},
    {"shr.s64 %rd1, %rd2, 70;", Op::kShr, "rri", kS64},
    {"shf.l.clamp.b32 %r1, %r2, %r3, %r4;", Op::kShf, "rrrr", kB32, kNone, Sub::kL, Sub::kClamp},
    {"shf.r.wrap.b32 %r1, %r2, %r3, 7;", Op::kShf, "rrri", kB32, kNone, Sub::kR, Sub::kWrap},
    {"prmt.b32 %r1, %r2, %r3, 0x3210;", Op::kPrmt, "rrri", kB32},
    {"prmt.b32.ecl %r1, %r2, %r3, %r4;", Op::kPrmt, "rrrr", kB32, kNone, Sub::kEcl},
    {"mov.u32 %r1, %ntid.z;", Op::kMov, "rs", kU32},
    {"mov.b64 {%r1, %r2}, %rd1;", Op::kMov, "vr", kB64},
    {"mov.b32 %r1, {%h1, %h2};", Op::kMov, "rv", kB32},
    {"mov.u64 %rd1, p;", Op::kMov, "ry", kU64},
    {"cvt.rn.ftz.f16.f32 %h1, %f1;", Op::kCvt, "rr", kF16, kF32},
    {"cvt.rn.bf16x2.f32 %r1, %f1, %f2;", Op::kCvt, "rrr", kBF16x2, kF32},
    {"cvt.s8.s64 %rd1, %rd2;", Op::kCvt, "rr", kS8, kS64},
    {"cvt.pack.sat.u16.s32 %r1, %r2, %r3;", Op::kCvtPack, "rrr", kU16, kS32},
    {"cvta.to.shared.u64 %rd1, %rd2;", Op::kCvta, "rr", kU64, kNone, Sub::kTo, kNo, Space::kShared},
    {"cvta.local.u64 %rd1, %rd2;", Op::kCvta, "rr", kU64, kNone, kNo, kNo, Space::kLocal},
    {"mapa.shared::cluster.u32 %r1, %r2, 1;", Op::kMapa, "rri", kU32, kNone, kNo, kNo,
     Space::kShared},
    {"mapa.u64 %rd1, %rd2, %r1;", Op::kMapa, "rrr", kU64},
    {"getctarank.shared::cluster.u32 %r1, %r2;", Op::kGetctarank, "rr", kU32, kNone, kNo, kNo,
     Space::kShared},
    {"isspacep.const %p1, %rd1;", Op::kIsspacep, "rr", kNone, kNone, kNo, kNo, Space::kConst},
    {"ld.param.u64 %rd1, [p];", Op::kLd, "ra", kU64, kNone, kNo, kNo, Space::kParam},
    {"ld.const.v4.u8 {%h1, %h2, %h3, %h4}, [%rd1];", Op::kLd, "va", kU8, kNone, kNo, kNo,
     Space::kConst},
    {"ld.f64 %d1, [%rd1];", Op::kLd, "ra", kF64},
    {"ldu.global.u32 %r1, [%rd1];", Op::kLdu, "ra", kU32, kNone, kNo, kNo, Space::kGlobal},
    {"st.shared.v2.f64 [%r1+16], {%d1, %d2};", Op::kSt, "av", kF64, kNone, kNo, kNo,
     Space::kShared},
    {"st.local.b16 [%rd1], %h1;", Op::kSt, "ar", kB16, kNone, kNo, kNo, Space::kLocal},
    {"prefetch.global.L2 [%rd1];", Op::kPrefetch, "a", kNone, kNone, kNo, kNo, Space::kGlobal},
    {"prefetchu.L1 [%rd1];", Op::kPrefetchu, "a"},
    {"discard.global.L2 [%rd1], 128;", Op::kDiscard, "ai", kNone, kNone, kNo, kNo, Space::kGlobal},
    {"applypriority.global.L2::evict_normal [%rd1], 128;", Op::kApplypriority, "ai", kNone, kNone,
     kNo, kNo, Space::kGlobal},
    {"cp.async.ca.shared.global [%r1], [%rd1], 16, 12;", Op::kCpAsync, "aaii", kNone, kNone, kNo,
     kNo, Space::kShared},
    {"cp.async.commit_group;", Op::kCpAsyncCommitGroup, ""},
    {"cp.async.wait_group 2;", Op::kCpAsyncWaitGroup, "i"},
    {"cp.async.wait_all;", Op::kCpAsyncWaitAll, ""},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];",
     Op::kCpAsyncBulk, "aara", kNone, kNone, Sub::kCompleteTx, kNo, Space::kShared},
    {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 64;", Op::kCpAsyncBulk, "aai",
     kNone, kNone, Sub::kBulkGroup, kNo, Space::kGlobal},
    {"cp.async.bulk.commit_group;", Op::kCpAsyncBulkCommitGroup, ""},
    {"cp.async.bulk.wait_group.read 0;", Op::kCpAsyncBulkWaitGroup, "i", kNone, kNone, Sub::kRead},
    {"cp.async.bulk.prefetch.L2.global [%rd1], %r1;", Op::kCpAsyncBulkPrefetch, "ar", kNone, kNone,
     kNo, kNo, Space::kGlobal},
    {"tex.2d.v4.u32.f32 {%r1, _, %r3, _}, [%rd1, {%f1, %f2}];", Op::kTex, "va", kU32, kF32},
    {"suld.b.2d.v2.b16.clamp {%h1, %h2}, [%rd1, {%r1, %r2}];", Op::kSuld, "va", kB16, kNone,
     Sub::kClamp},
    {"sust.b.1d.b32.trap [%rd1, {%r1}], {%r2};", Op::kSust, "av", kB32, kNone, Sub::kTrap},
    {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [%r3];", Op::kLdmatrix, "va", kB16,
     kNone, kNo, kNo, Space::kShared},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r1};", Op::kStmatrix, "av", kB16, kNone,
     kNo, kNo, Space::kShared},
    {"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", Op::kMovmatrix, "rr", kB16},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, "
     "{%f5, %f6, %f7, %f8};",
     Op::kMma, "vvvv", kF32},
    {"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, "
     "[%rd1], %r0;",
     Op::kWmmaLoadA, "var", kF16, kNone, kNo, kNo, Space::kShared},
    {"wmma.load.b.sync.aligned.col.m16n16k16.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1], "
     "%r0;",
     Op::kWmmaLoadB, "var", kF16},
    {"wmma.load.c.sync.aligned.row.m8n8k4.global.f64 {%d1, %d2}, [%rd1], %r0;", Op::kWmmaLoadC,
     "var", kF64, kNone, kNo, kNo, Space::kGlobal},
    {"wmma.store.d.sync.aligned.row.m8n8k4.f64 [%rd1], {%d1, %d2}, %r0;", Op::kWmmaStore, "avr",
     kF64},
    {"wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d1, %d2};",
     Op::kWmmaMma, "vvvv", kF64},
    {"bra END; END:", Op::kBra, "l"},
    {"brx.idx %r1, TT; END:", Op::kBrx, "rt"},
    {"call.uni g;", Op::kCall, "LfL"},
    {"ret.uni;", Op::kRet, ""},
    {"exit;", Op::kExit, ""},
    {"trap;", Op::kTrap, ""},
    {"brkpt;", Op::kBrkpt, ""},
    {"pmevent 7;", Op::kPmevent, "i"},
    {"nanosleep.u32 100;", Op::kNanosleep, "i", kU32},
    {"bar.sync 0;", Op::kBar, "i", kNone, kNone, Sub::kSync},
    {"bar.red.or.pred %p1, %r1, 64, %p2;", Op::kBar, "rrir", kPred, kNone, Sub::kRed, Sub::kOr},
    {"barrier.sync %r1;", Op::kBarrier, "r", kNone, kNone, Sub::kSync},
    {"barrier.arrive.aligned 1, 64;", Op::kBarrier, "ii", kNone, kNone, Sub::kArrive},
    {"membar.cta;", Op::kMembar, ""},
    {"fence.sc.sys;", Op::kFence, ""},
    {"atom.shared.dec.u32 %r1, [%r2], 7;", Op::kAtom, "rai", kU32, kNone, Sub::kDec, kNo,
     Space::kShared},
    {"atom.global.cas.b16 %h1, [%rd1], %h2, %h3;", Op::kAtom, "rarr", kB16, kNone, Sub::kCas, kNo,
     Space::kGlobal},
    {"atom.add.f64 %d1, [%rd1], %d2;", Op::kAtom, "rar", kF64, kNone, Sub::kAdd},
    {"red.relaxed.gpu.global.xor.b64 [%rd1], %rd2;", Op::kRed, "ar", kB64, kNone, Sub::kXor, kNo,
     Space::kGlobal},
    {"vote.sync.all.pred %p1, %p2, %r1;", Op::kVote, "rrr", kPred, kNone, Sub::kAll},
    {"vote.sync.ballot.b32 %r1, %p2, 1;", Op::kVote, "rri", kB32, kNone, Sub::kBallot},
    {"match.any.sync.b64 %r1, %rd1, %r2;", Op::kMatch, "rrr", kB64, kNone, Sub::kAny},
    {"match.all.sync.b32 _|%p1, %r1, %r2;", Op::kMatch, "prr", kB32, kNone, Sub::kAll},
    {"redux.sync.and.b32 %r1, %r2, %r3;", Op::kRedux, "rrr", kB32, kNone, Sub::kAnd},
    {"activemask.b32 %r1;", Op::kActivemask, "r", kB32},
    {"shfl.sync.bfly.b32 %r1, %r2, 16, 31, -1;", Op::kShfl, "rriii", kB32, kNone, Sub::kBfly},
    {"shfl.sync.up.b32 %r1|%p1, %r2, %r3, 0, %r4;", Op::kShfl, "prrir", kB32, kNone, Sub::kUp},
    {"elect.sync %r1|%p1, -1;", Op::kElect, "pi"},
    {"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, 0.5;",
     Op::kCreatepolicyFractional, "ri", kB64},
    {"createpolicy.range.global.L2::evict_last.b64 %rd1, [%rd2], %r1, 0x200000;",
     Op::kCreatepolicyRange, "rari", kB64, kNone, kNo, kNo, Space::kGlobal},
    {"createpolicy.cvt.L2.b64 %rd1, 0x12F0000000000000;", Op::kCreatepolicyCvt, "ri", kB64},
    {"barrier.cluster.arrive.release.aligned;", Op::kBarrierClusterArrive, ""},
    {"barrier.cluster.wait.acquire;", Op::kBarrierClusterWait, ""},
    {"cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;", Op::kCvt, "rrr", Type::kE4M3x2, kF32},
    {"cvt.rn.satfinite.relu.e5m2x2.f16x2 %h1, %r1;", Op::kCvt, "rr", Type::kE5M2x2, kF16x2},
    {"cvt.rn.f16x2.e5m2x2 %r1, %h1;", Op::kCvt, "rr", kF16x2, Type::kE5M2x2},
    {"griddepcontrol.launch_dependents;", Op::kGriddepcontrol, ""},
    {"fence.proxy.async.shared::cta;", Op::kFenceProxyAsync, "", kNone, kNone, kNo, kNo,
     Space::kShared},
    {"fence.mbarrier_init.release.cluster;", Op::kFenceMbarrierInit, ""},
    {"mbarrier.init.shared.b64 [%r1], 32;", Op::kMbarrierInit, "ai", kB64, kNone, kNo, kNo,
     Space::kShared},
    {"mbarrier.inval.shared::cta.b64 [%r1];", Op::kMbarrierInval, "a", kB64, kNone, kNo, kNo,
     Space::kShared},
    {"mbarrier.arrive.release.cta.shared::cta.b64 %rd1, [%r1];", Op::kMbarrierArrive, "ra", kB64,
     kNone, kNo, kNo, Space::kShared},
    {"mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 64;", Op::kMbarrierArriveExpectTx, "_ai", kB64,
     kNone, kNo, kNo, Space::kShared},
    {"mbarrier.arrive_drop.shared.b64 %rd1, [%r1];", Op::kMbarrierArriveDrop, "ra", kB64, kNone,
     kNo, kNo, Space::kShared},
    {"mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], %r2;", Op::kMbarrierExpectTx, "ar", kB64,
     kNone, kNo, kNo, Space::kShared},
    {"mbarrier.complete_tx.shared.b64 [%r1], %r2;", Op::kMbarrierCompleteTx, "ar", kB64, kNone, kNo,
     kNo, Space::kShared},
    {"mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;", Op::kMbarrierTestWait, "rar", kB64, kNone,
     kNo, kNo, Space::kShared},
    {"mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 1;", Op::kMbarrierTestWaitParity, "rai",
     kB64, kNone, kNo, kNo, Space::kShared},
    {"mbarrier.try_wait.acquire.cta.shared.b64 %p1, [%r1], %rd1;", Op::kMbarrierTryWait, "rar",
     kB64, kNone, kNo, kNo, Space::kShared},
    {"mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;", Op::kMbarrierTryWaitParity, "rar",
     kB64, kNone, kNo, kNo, Space::kShared},
    {"mbarrier.pending_count.b64 %r1, %rd1;", Op::kMbarrierPendingCount, "rr", kB64},
    {"cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];", Op::kCpAsyncMbarrierArrive, "a", kB64,
     kNone, Sub::kNoinc, kNo, Space::kShared},
};

Instruction parsed(const std::string& body) {
  const Module module =
      parse(std::string(kHeader) +
                ".func g() { ret; }\n.visible .entry k(.param "
                ".u64 p)\n{ .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b16 %h<9>; .reg "
                ".f64 %d<9>; .reg .pred %p<9>; .reg .b64 %rd<9>;\nTT: .branchtargets "
                "END2;\n" +
                body + "\nEND2: ret;\n}\n",
            "x.ptx");
  EXPECT_FALSE(module.functions[1].refusal.has_value()) << body;
  return module.functions[1].instructions.at(0);
}

class Opcodes : public testing::TestWithParam<Row> {};

TEST_P(Opcodes, GiveTheirFields) {
  const Row& row = GetParam();
  const Instruction i = parsed(row.text);
  EXPECT_EQ(i.op, row.op);
  EXPECT_EQ(kinds_of(i), row.kinds);
  EXPECT_EQ(i.type, row.type);
  EXPECT_EQ(i.from, row.from);
  EXPECT_EQ(i.sub, row.sub);
  EXPECT_EQ(i.sub2, row.sub2);
  EXPECT_EQ(i.space, row.space);
  EXPECT_EQ(i.guard, kNoIndex);
}

TEST_P(Opcodes, CanBeGuarded) {
  const std::string text = GetParam().text;
  const Instruction i = parsed("@!%p7 " + text);
  EXPECT_EQ(i.op, GetParam().op);
  EXPECT_TRUE(i.guard_negated);
  EXPECT_NE(i.guard, kNoIndex);
}

TEST_P(Opcodes, NeedTheirLastOperand) {
  // The same text cut off before its last operand, or with one more, is not an instruction.
  const Row& row = GetParam();
  const std::string text = row.text;
  const std::size_t end = text.find(';');
  const std::size_t comma = text.rfind(", ", end);
  if (comma == std::string::npos || text.rfind('}', end) != std::string::npos) return;
  const bool optional = row.op == Op::kCpAsync || row.op == Op::kBarrier || row.op == Op::kBar ||
                        row.op == Op::kCreatepolicyFractional ||
                        (row.op == Op::kCvt && row.type == kF32);
  const std::string shorter = text.substr(0, comma) + text.substr(end);
  const std::string longer = text.substr(0, end) + ", %r8, %r8" + text.substr(end);
  if (!optional) {
    EXPECT_ANY_THROW((void)parsed(shorter)) << shorter;
  }
  EXPECT_ANY_THROW((void)parsed(longer)) << longer;
}

INSTANTIATE_TEST_SUITE_P(Ptx, Opcodes, testing::ValuesIn(kRows));

TEST(Opcodes, AreAllHere) {
  std::set<Op> seen;
  for (const Row& row : kRows) seen.insert(row.op);
  for (std::uint16_t i = 1; i < static_cast<std::uint16_t>(Op::kCount_); ++i) {
    EXPECT_EQ(seen.count(static_cast<Op>(i)), 1U) << name_of(static_cast<Op>(i));
  }
}

}  // namespace
}  // namespace lab::ptx
