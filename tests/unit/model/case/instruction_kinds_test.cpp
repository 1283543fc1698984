// Which kind instructions are of, and how many of each a launch is said to have executed.
#include "harness/model/case/instruction_kinds.h"

#include <gtest/gtest.h>

#include <map>

#include "harness/kernel/ptx/parser.h"
#include "tests/unit/model/case/ptx_case.h"

namespace lab::model {
namespace {

using namespace ptx_case;

std::map<std::string, std::uint64_t> executed(const CaseRecord& record) {
  std::map<std::string, std::uint64_t> all;
  for (const ExecutedKind& one : record.notes.instructions) {
    all[std::string(word_of(one.kind))] = one.instructions;
  }
  return all;
}

TEST(InstructionKinds, AreCountedPerWarpThatExecutesThem) {
  PtxCase given;
  given.launch = {{3, 1, 1}, {64, 1, 1}, 0};
  given.args[0] = buffer("out", 64, Fill::Kind::kZero);
  given.args[1] = buffer("in", 64, Fill::Kind::kIota);
  // 3 blocks of 2 warps load once. Only the second warp of each block goes on to the loop, of four
  // rounds with two sums of floats.
  given.body =
      "ld.global.u32 %r1, [%from];\n"
      "setp.lt.u32 %p1, %t, 32;\n@%p1 bra END;\nmov.u32 %r2, 0;\nmov.f32 %f1, 0f00000000;\n"
      "LOOP:\nadd.f32 %f1, %f1, %f1;\nadd.rn.f32 %f1, %f1, %f1;\nadd.u32 %r2, %r2, 1;\n"
      "setp.lt.u32 %p2, %r2, 4;\n@%p2 bra LOOP;\n"
      "red.global.add.u32 [%out], %r1;\nEND:\nret;";
  const auto counts = executed(run(given).record);
  EXPECT_EQ(counts.at("global_load_4"), 6U);
  EXPECT_EQ(counts.at("float"), 3U * 4 * 2);
  EXPECT_EQ(counts.at("global_reduction_add"), 3U);
  EXPECT_EQ(counts.at("compare"), 6U + 3 * 4);
  EXPECT_EQ(counts.at("branch"), 6U + 3 * 4);
  EXPECT_FALSE(counts.contains("global_store_4"));
}

// Code that no warp reaches was not executed.
TEST(InstructionKinds, OfCodeThatIsNotReachedAreLeftOut) {
  PtxCase given;
  given.body = "setp.lt.u32 %p1, %t, 99;\n@%p1 bra END;\nst.global.u32 [%mine], %t;\nEND:\nret;";
  EXPECT_FALSE(executed(run(given).record).contains("global_store_4"));
}

TEST(InstructionKinds, OfARefusedKernelAreNotThere) {
  PtxCase given;
  given.body = "wgmma.fence.sync.aligned;\nret;";
  const CaseRecord record = run(given).record;
  EXPECT_EQ(record.status, CaseStatus::kRefused);
  EXPECT_TRUE(executed(record).empty());
}

InstructionKind kind_in(const std::string& text) {
  const ptx::Module module =
      ptx::parse(ptx_run::entry(".shared .align 16 .b8 s[1024];\n.local .align 8 .b8 l[64];\n"
                                ".reg .b32 %s;\n.reg .b64 %x;\nmov.u32 %s, s;\n" +
                                text + "\nret;"),
                 "k.ptx");
  const auto& all = module.functions.at(0).instructions;
  return kind_of(all.at(all.size() - 2));
}

TEST(InstructionKinds, FollowFromTheText) {
  const std::pair<const char*, InstructionKind> rows[] = {
      {"ld.global.u8 %h1, [%in];", InstructionKind::kGlobalLoad1},
      {"ld.global.v2.u8 {%h1, %h2}, [%in];", InstructionKind::kGlobalLoad2},
      {"ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%in];", InstructionKind::kGlobalLoad16},
      {"st.global.f64 [%in], %fd1;", InstructionKind::kGlobalStore8},
      {"st.shared.u16 [%s], %h1;", InstructionKind::kSharedStore2},
      {"ld.shared.v2.u64 {%rd1, %rd2}, [%s];", InstructionKind::kSharedLoad16},
      {"ld.volatile.shared.u32 %r1, [%s];", InstructionKind::kSharedLoad4},
      {"ld.local.u32 %r1, [l];", InstructionKind::kLocalLoad},
      {"ld.u32 %r1, [%in];", InstructionKind::kGenericLoad},
      {"ld.param.u32 %r1, [k_n];", InstructionKind::kParameter},
      {"atom.global.add.s32 %r1, [%in], %r2;", InstructionKind::kGlobalAtomicAdd},
      {"atom.global.add.u64 %rd1, [%in], %rd2;", InstructionKind::kGlobalAtomic},
      {"red.global.add.f32 [%in], %f1;", InstructionKind::kGlobalReduction},
      {"red.shared.add.u32 [%s], 1;", InstructionKind::kSharedAtomicAdd},
      {"atom.shared.add.f32 %f1, [%s], %f2;", InstructionKind::kSharedAtomicFloatAdd},
      {"atom.shared.cas.b32 %r1, [%s], %r2, %r3;", InstructionKind::kSharedAtomicSwap},
      {"atom.shared.cas.b64 %rd1, [%s], %rd2, %rd3;", InstructionKind::kSharedAtomic},
      {"atom.shared.min.u32 %r1, [%s], %r2;", InstructionKind::kSharedAtomic},
      {"atom.add.u32 %r1, [%in], %r2;", InstructionKind::kGenericAtomic},
      {"cp.async.ca.shared.global [%s], [%in], 4;", InstructionKind::kAsyncCopy},
      {"cp.async.cg.shared.global [%s], [%in], 16, 16;", InstructionKind::kAsyncCopy},
      {"cp.async.ca.shared.global [%s], [%in], 4, %r1;", InstructionKind::kAsyncCopyPart},
      {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%s];",
       InstructionKind::kMatrixLoad},
      {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [%s];",
       InstructionKind::kMatrixLoadTransposed},
      {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, "
       "{%r3}, {%f1, %f2, %f3, %f4};",
       InstructionKind::kProductBfloat},
      {"add.cc.u32 %r1, %r2, %r3;", InstructionKind::kIntegerCarry},
      {"div.rn.f32 %f1, %f2, %f3;", InstructionKind::kFloatRoots},
      {"div.full.f32 %f1, %f2, %f3;", InstructionKind::kApproximate},
      {"div.u32 %r1, %r2, %r3;", InstructionKind::kIntegerDivision},
      {"sqrt.approx.f32 %f1, %f2;", InstructionKind::kApproximate},
      {"fma.rn.f64 %fd1, %fd2, %fd3, %fd1;", InstructionKind::kDouble},
      {"add.f16x2 %r1, %r2, %r3;", InstructionKind::kHalf},
      {"cvt.rn.f32.u32 %f1, %r1;", InstructionKind::kConvertFloat},
      {"cvt.rn.f16.f32 %h1, %f1;", InstructionKind::kConvertHalf},
      {"cvt.u64.u32 %rd1, %r1;", InstructionKind::kConvertInteger},
      {"mov.u32 %r1, %clock;", InstructionKind::kClock},
      {"mov.u32 %r1, %tid.x;", InstructionKind::kMove},
      {"bar.sync 0;", InstructionKind::kBarrier},
      {"membar.gl;", InstructionKind::kFence},
  };
  for (const auto& [text, kind] : rows) {
    EXPECT_EQ(word_of(kind_in(text)), word_of(kind)) << text;
  }
}

}  // namespace
}  // namespace lab::model
