// Every spelling of a modifier, and the field that it sets.
#include <gtest/gtest.h>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

Instruction only(const std::string& text) {
  const Module module = parse(kernel(text), "x.ptx");
  EXPECT_FALSE(module.functions.at(0).refusal.has_value()) << text;
  return module.functions.at(0).instructions.at(0);
}

TEST(Modifiers, Compare) {
  struct Row {
    const char* name;
    Compare compare;
    const char* type;
  };
  constexpr Row kRows[] = {
      {"eq", Compare::kEq, "b32"},   {"ne", Compare::kNe, "s32"},   {"lt", Compare::kLt, "u32"},
      {"le", Compare::kLe, "s32"},   {"gt", Compare::kGt, "f32"},   {"ge", Compare::kGe, "f32"},
      {"lo", Compare::kLo, "u32"},   {"ls", Compare::kLs, "u32"},   {"hi", Compare::kHi, "u32"},
      {"hs", Compare::kHs, "u32"},   {"equ", Compare::kEqu, "f32"}, {"neu", Compare::kNeu, "f32"},
      {"ltu", Compare::kLtu, "f32"}, {"leu", Compare::kLeu, "f32"}, {"gtu", Compare::kGtu, "f32"},
      {"geu", Compare::kGeu, "f32"}, {"num", Compare::kNum, "f32"}, {"nan", Compare::kNan, "f32"},
  };
  for (const Row& row : kRows) {
    const std::string name = std::string(row.name) + "." + row.type;
    EXPECT_EQ(only("setp." + name + " %p1, %r1, %r2;").compare, row.compare) << name;
  }
}

TEST(Modifiers, Combine) {
  EXPECT_EQ(only("setp.eq.and.b32 %p1, %r1, %r2, %p2;").combine, Combine::kAnd);
  EXPECT_EQ(only("setp.eq.or.b32 %p1, %r1, %r2, %p2;").combine, Combine::kOr);
  EXPECT_EQ(only("setp.eq.xor.b32 %p1, %r1, %r2, %p2;").combine, Combine::kXor);
  EXPECT_EQ(only("setp.eq.b32 %p1, %r1, %r2;").combine, Combine::kNone);
}

TEST(Modifiers, Round) {
  struct Row {
    const char* text;
    Round round;
  };
  constexpr Row kRows[] = {
      {"add.rn.f32 %f1, %f2, %f3;", Round::kRn},  {"add.rz.f32 %f1, %f2, %f3;", Round::kRz},
      {"add.rm.f32 %f1, %f2, %f3;", Round::kRm},  {"add.rp.f32 %f1, %f2, %f3;", Round::kRp},
      {"cvt.rni.s32.f32 %r1, %f1;", Round::kRni}, {"cvt.rzi.s32.f32 %r1, %f1;", Round::kRzi},
      {"cvt.rmi.s32.f32 %r1, %f1;", Round::kRmi}, {"cvt.rpi.s32.f32 %r1, %f1;", Round::kRpi},
      {"add.f32 %f1, %f2, %f3;", Round::kNone},
  };
  for (const Row& row : kRows) EXPECT_EQ(only(row.text).round, row.round) << row.text;
}

TEST(Modifiers, ScopeAndOrder) {
  struct Row {
    const char* text;
    Order order;
    Scope scope;
  };
  constexpr Row kRows[] = {
      {"fence.sc.cta;", Order::kSc, Scope::kCta},
      {"fence.acq_rel.cluster;", Order::kAcqRel, Scope::kCluster},
      {"fence.acquire.gpu;", Order::kAcquire, Scope::kGpu},
      {"fence.release.sys;", Order::kRelease, Scope::kSys},
      {"membar.gl;", Order::kNone, Scope::kGpu},  // gl is what gpu was called
      {"membar.sys;", Order::kNone, Scope::kSys},
      {"ld.weak.u32 %r1, [%rd1];", Order::kWeak, Scope::kNone},
      {"atom.relaxed.cta.add.u32 %r1, [%rd1], 1;", Order::kRelaxed, Scope::kCta},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(only(row.text).order, row.order) << row.text;
    EXPECT_EQ(only(row.text).scope, row.scope) << row.text;
  }
}

TEST(Modifiers, Cache) {
  struct Row {
    const char* text;
    CacheOp cache;
  };
  constexpr Row kRows[] = {
      {"ld.global.ca.u32 %r1, [%rd1];", CacheOp::kCa},
      {"ld.global.cg.u32 %r1, [%rd1];", CacheOp::kCg},
      {"ld.global.cs.u32 %r1, [%rd1];", CacheOp::kCs},
      {"ld.global.lu.u32 %r1, [%rd1];", CacheOp::kLu},
      {"ld.global.cv.u32 %r1, [%rd1];", CacheOp::kCv},
      {"st.global.wb.u32 [%rd1], %r1;", CacheOp::kWb},
      {"st.global.wt.u32 [%rd1], %r1;", CacheOp::kWt},
      {"st.global.u32 [%rd1], %r1;", CacheOp::kNone},
  };
  for (const Row& row : kRows) EXPECT_EQ(only(row.text).cache, row.cache) << row.text;
}

TEST(Modifiers, Space) {
  struct Row {
    const char* name;
    Space space;
  };
  constexpr Row kRows[] = {
      {"global", Space::kGlobal},      {"shared", Space::kShared},
      {"shared::cta", Space::kShared}, {"local", Space::kLocal},
      {"const", Space::kConst},        {"param", Space::kParam},
      {"param::entry", Space::kParam}, {"param::func", Space::kParam},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(only("ld." + std::string(row.name) + ".u32 %r1, [%rd1];").space, row.space)
        << row.name;
  }
  EXPECT_EQ(only("ld.u32 %r1, [%rd1];").space, Space::kGeneric);
}

TEST(Modifiers, Flags) {
  struct Row {
    const char* text;
    bool Instruction::*flag;
  };
  constexpr Row kRows[] = {
      {"add.ftz.f32 %f1, %f2, %f3;", &Instruction::ftz},
      {"add.sat.f32 %f1, %f2, %f3;", &Instruction::sat},
      {"sin.approx.f32 %f1, %f2;", &Instruction::approx},
      {"div.full.f32 %f1, %f2, %f3;", &Instruction::full},
      {"ld.volatile.global.u32 %r1, [%rd1];", &Instruction::is_volatile},
      {"bra.uni E; E:", &Instruction::uni},
      {"add.cc.u32 %r1, %r2, %r3;", &Instruction::carry_out},
      {"ld.global.nc.u32 %r1, [%rd1];", &Instruction::non_coherent},
      {"fma.rn.relu.bf16 %h1, %h2, %h3, %h4;", &Instruction::relu},
      {"red.global.add.noftz.bf16 [%rd1], %h1;", &Instruction::has_noftz},
      {"max.NaN.f32 %f1, %f2, %f3;", &Instruction::nan},
      {"shfl.sync.down.b32 %r1, %r2, 1, 31, -1;", &Instruction::sync},
      {"barrier.sync.aligned 0;", &Instruction::aligned},
  };
  for (const Row& set : kRows) {
    // Each sets its own flag, and no other.
    const Instruction i = only(set.text);
    for (const Row& row : kRows) EXPECT_EQ(i.*row.flag, row.flag == set.flag) << set.text;
  }
}

TEST(Modifiers, Vector) {
  EXPECT_EQ(only("ld.global.u32 %r1, [%rd1];").vector, 1);
  EXPECT_EQ(only("ld.global.v2.u32 {%r1, %r2}, [%rd1];").vector, 2);
  EXPECT_EQ(only("st.v4.u32 [%rd1], {%r1, %r2, 3, %r4};").vector, 4);
  EXPECT_EQ(only("ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, _}, [%rd1];").vector, 8);
}

TEST(Modifiers, HintsChangeNothing) {
  const char* hints[] = {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                         "L1::evict_last",   "L1::no_allocate",     "L2::evict_normal",
                         "L2::evict_first",  "L2::evict_last",      "L2::64B",
                         "L2::128B",         "L2::evict_unchanged", "L2::256B"};
  for (const char* hint : hints) {
    const Instruction i = only("ld.global." + std::string(hint) + ".u32 %r1, [%rd1];");
    EXPECT_EQ(i.type, Type::kU32);
    EXPECT_EQ(i.cache, CacheOp::kNone);
  }
}

// Its operand, a policy, is the last one. Once it is checked, the instruction is as without it.
TEST(Modifiers, ACacheHintTakesAnOperandThatIsLeftOut) {
  const std::pair<const char*, std::size_t> rows[] = {
      {"ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;", 2},
      {"ld.L1::evict_last.L2::cache_hint.v2.f32 {%f1, %f2}, [%rd1], 0x12F0000000000000;", 2},
      {"ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.f32 %f1, [%rd1], %rd2;", 2},
      {"st.global.L2::cache_hint.f32 [%rd1], 1.5, 0x12F0000000000000;", 2},
      {"atom.global.add.L2::cache_hint.f32 %f1, [%rd1], 0f3F800000, 0x12F0000000000000;", 3},
      {"red.relaxed.gpu.global.add.L2::cache_hint.u32 [%rd1], 1, %rd2;", 2},
      {"cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16, %rd2;", 3},
      {"cp.async.cg.shared.global.L2::cache_hint.L2::128B [%r1], [%rd1], 16, %r2, %rd2;", 4},
      {"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1], [%r1], 16, %rd2;", 3},
      {"cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], 16, %rd2;", 2},
  };
  for (const auto& [text, operands] : rows) {
    const Instruction i = only(text);
    EXPECT_TRUE(i.cache_hint) << text;
    EXPECT_EQ(i.operands.size(), operands) << text;
  }
}

TEST(Modifiers, MayStandApartFromTheirOpcode) {
  EXPECT_EQ(only("add .s32 %r1, %r2, %r3;").type, Type::kS32);
  EXPECT_EQ(only("ld\n.global\n.u32 %r1, [%rd1];").space, Space::kGlobal);
}

}  // namespace
}  // namespace lab::ptx
