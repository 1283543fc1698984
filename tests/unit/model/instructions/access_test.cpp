// Loads, stores and atomics: what they move, what they cost, and what is out of bounds.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx::Space;
using ptx_run::entry;
using ptx_run::Ran;
using ptx_run::run_ptx;
using ptx_run::Scene;

Scene numbers(std::size_t count) {
  Scene scene;
  scene.in.resize(count);
  std::iota(scene.in.begin(), scene.in.end(), 0U);
  return scene;
}

TEST(Access, EveryWidthExtendsByItsSign) {
  // in[0] = 0x8081ff7f: bytes 7f ff 81 80 in memory.
  Scene scene;
  scene.in.assign(32, 0x8081ff7fU);
  scene.out_size = 8;
  const Ran ran = run_ptx(entry(R"(
    ld.global.u8 %r1, [%in+1];
    st.global.u32 [%out], %r1;
    ld.global.s8 %r1, [%in+1];
    st.global.u32 [%out+4], %r1;
    ld.global.u16 %r1, [%in+2];
    st.global.u32 [%out+8], %r1;
    ld.global.s16 %r1, [%in+2];
    st.global.u32 [%out+12], %r1;
    ld.global.s8 %h1, [%in+2];
    cvt.u32.u16 %r1, %h1;
    st.global.u32 [%out+16], %r1;
    ld.global.s32 %rd1, [%in];
    shr.u64 %rd2, %rd1, 32;
    st.global.u32 [%out+20], %rd2;
    st.global.u8 [%out+24], %rd1;
    st.global.u16 [%out+26], %rd1;
    ld.global.v4.u8 {%r1, %r2, %r3, %r4}, [%in];
    add.u32 %r1, %r1, %r2;
    add.u32 %r3, %r3, %r4;
    add.u32 %r1, %r1, %r3;
    st.global.u32 [%out+28], %r1;
    ret;)"),
                          scene);
  EXPECT_EQ(ran.out[0], 0xffU);
  EXPECT_EQ(ran.out[1], 0xffffffffU);
  EXPECT_EQ(ran.out[2], 0x8081U);
  EXPECT_EQ(ran.out[3], 0xffff8081U);
  EXPECT_EQ(ran.out[4], 0xff81U);      // sign-extended to the 16 bits of the register
  EXPECT_EQ(ran.out[5], 0xffffffffU);  // the upper half of a sign-extended number
  EXPECT_EQ(ran.out[6], 0xff7fa57fU);  // byte 0x7f, a byte untouched, half word 0xff7f
  EXPECT_EQ(ran.out[7], 0x7fU + 0xffU + 0x81U + 0x80U);
}

TEST(Access, VectorsMoveTheirElements) {
  Scene scene = numbers(128);
  scene.out_size = 128;
  const Ran ran = run_ptx(entry(R"(
    mul.wide.u32 %rd1, %t, 16;
    add.s64 %rd2, %in, %rd1;
    add.s64 %rd3, %out, %rd1;
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];
    st.global.v2.u32 [%rd3], {%r4, %r3};
    st.global.v2.u32 [%rd3+8], {%r2, %r1};
    ret;)"),
                          scene);
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(ran.out[i], i / 4 * 4 + 3 - i % 4);
  // 512 bytes are 16 sectors; 8 bytes in every 16 touch all 16 sectors again, twice.
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).sectors, 16U);
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kStore).sectors, 32U);
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kStore).distinct_bytes, 512U);
}

// A copy with stride n: lane t reads in[t * n].
const char* const kStrided = R"(
    mul.lo.u32 %r1, %t, %n;
    mul.wide.u32 %rd1, %r1, 4;
    add.s64 %rd2, %in, %rd1;
    ld.global.u32 %r2, [%rd2];
    st.global.u32 [%mine], %r2;
    ret;)";

TEST(Access, EveryStrideReadsItsElementsAndSectors) {
  for (std::uint32_t stride = 0; stride <= 40; ++stride) {
    Scene scene = numbers(41 * 32);
    scene.n = stride;
    const Ran ran = run_ptx(entry(kStrided), scene);
    for (std::uint32_t t = 0; t < 32; ++t) ASSERT_EQ(ran.out[t], t * stride) << stride;
    // Elements lie 4 * stride bytes apart: up to 8 words every sector between is touched, beyond
    // that each element has one of its own.
    const std::uint64_t sectors = stride >= 8 ? 32 : (31 * stride * 4) / 32 + 1;
    EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).sectors, sectors) << stride;
  }
}

TEST(Access, EveryInstructionSetComputesAndCountsTheSame) {
  for (const HandlerTable* table : all_tables()) {
    for (const std::uint32_t stride : {0U, 1U, 2U, 3U, 17U, 32U}) {
      Scene scene = numbers(33 * 32);
      scene.n = stride;
      scene.table = table;
      const Ran ran = run_ptx(entry(kStrided), scene);
      for (std::uint32_t t = 0; t < 32; ++t) ASSERT_EQ(ran.out[t], t * stride);
      EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kStore).sectors, 4U);
    }
  }
}

TEST(Access, SharedLoadsOffOneAddressCountEachForItself) {
  // Four loads off one register: the followers take their leader's pattern. Stride 2 words: two
  // ways each; the values are tile[2t + k].
  Scene scene;
  scene.out_size = 32;
  const Ran ran = run_ptx(entry(R"(
    mov.u64 %rd1, tile;
    mul.wide.u32 %rd2, %t, 8;
    add.s64 %rd3, %rd1, %rd2;
    mul.lo.u32 %r1, %t, 10;
    st.shared.u32 [%rd3], %r1;
    st.shared.u32 [%rd3+4], %r1;
    ld.shared.u32 %r2, [%rd3];
    ld.shared.u32 %r3, [%rd3+4];
    ld.shared.u32 %r4, [%rd3+0];
    add.u32 %r2, %r2, %r3;
    add.u32 %r2, %r2, %r4;
    st.global.u32 [%mine], %r2;
    ret;)",
                                ".shared .align 8 .b8 tile[256];\n"),
                          scene);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], 30 * t);
  const SiteCounts loads = ran.counts(Space::kShared, AccessOp::kLoad);
  EXPECT_EQ(loads.requests, 3U);
  EXPECT_EQ(loads.wavefronts, 6U);
  EXPECT_EQ(loads.groups, 3U);
  const SiteCounts stores = ran.counts(Space::kShared, AccessOp::kStore);
  EXPECT_EQ(stores.requests, 2U);
  EXPECT_EQ(stores.wavefronts, 4U);
}

TEST(Access, LanesOfOneAddressAreCountedAsTheyComeAndGo) {
  // Lane t leaves after t + 1 rounds, so that the 32 rounds have 32, 31, ... 1 lanes: 528.
  const Ran ran = run_ptx(entry(R"(
    mov.u64 %rd1, tile;
    mov.u32 %r2, 0;
  ROUND:
    ld.global.u32 %r3, [%in];
    ld.shared.u32 %r4, [%rd1];
    ld.shared.u32 %r5, [%rd1+4];
    add.u32 %r3, %r3, %r4;
    add.u32 %r3, %r3, %r5;
    add.u32 %r2, %r2, 1;
    setp.le.u32 %p1, %r2, %t;
    @%p1 bra ROUND;
    st.global.u32 [%mine], %r3;
    ret;)",
                                ".shared .align 4 .b8 tile[8];\n"),
                          Scene());
  const SiteCounts global = ran.counts(Space::kGlobal, AccessOp::kLoad);
  EXPECT_EQ(global.requests, 32U);
  EXPECT_EQ(global.lanes, 528U);
  EXPECT_EQ(global.sectors, 32U);
  const SiteCounts shared = ran.counts(Space::kShared, AccessOp::kLoad);
  EXPECT_EQ(shared.requests, 64U);
  EXPECT_EQ(shared.lanes, 1056U);
  EXPECT_EQ(shared.wavefronts, 64U);
}

TEST(Access, AFollowerOutOfBoundsIsFoundWhereItsLeaderIsNot) {
  const Ran ran = run_ptx(entry(R"(
    mov.u64 %rd1, tile;
    mul.wide.u32 %rd2, %t, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.shared.u32 %r2, [%rd3];
    ld.shared.u32 %r3, [%rd3+8];
    st.global.u32 [%mine], %r3;
    ret;)",
                                ".shared .align 4 .b8 tile[128];\n"),
                          Scene());
  ASSERT_EQ(ran.result.faults.size(), 1U);
  const Fault& fault = ran.result.faults[0];
  EXPECT_EQ(fault.kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(fault.space, Space::kShared);
  EXPECT_EQ(fault.lane, 30U);  // (30 * 4) + 8 = 128
  EXPECT_EQ(fault.address, 128U);
  EXPECT_EQ(fault.count, 2U);  // lanes 30 and 31
  EXPECT_EQ(ran.out[31], 0U);  // reads zero
  EXPECT_EQ(ran.counts(Space::kShared, AccessOp::kLoad).requests, 2U);
}

TEST(Access, GlobalAccessesPastTheEndAreReportedAndLeftOut) {
  Scene scene = numbers(30);
  const Ran ran =
      run_ptx(entry("ld.global.u32 %r1, [%from];\nst.global.u32 [%mine], %r1;\nret;"), scene);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t < 30 ? t : 0);
  ASSERT_EQ(ran.result.faults.size(), 1U);
  EXPECT_EQ(ran.result.faults[0].kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(ran.result.faults[0].lane, 30U);
  EXPECT_EQ(ran.result.faults[0].count, 2U);
}

TEST(Access, MisalignedAccessesAreReported) {
  const Ran ran = run_ptx(entry("ld.global.v2.u32 {%r1, %r2}, [%in+4];\nret;"), numbers(32));
  ASSERT_EQ(ran.result.faults.size(), 1U);
  EXPECT_EQ(ran.result.faults[0].kind, FindingKind::kMisaligned);
  EXPECT_EQ(ran.result.faults[0].bytes, 8U);
  EXPECT_EQ(ran.result.faults[0].count, 32U);
}

TEST(Access, WritingToConstantMemoryIsOutOfBounds) {
  const Ran ran = run_ptx(
      entry("mov.u64 %rd1, c;\nst.global.u32 [%rd1], %t;\nret;", ".const .align 4 .u32 c = 7;\n"),
      Scene());
  ASSERT_EQ(ran.result.faults.size(), 1U);
  EXPECT_EQ(ran.result.faults[0].kind, FindingKind::kOutOfBounds);
}

TEST(Access, OneInstructionMayReachTwoBuffers) {
  // Even lanes read in[t], odd ones out[t]: one request that spans two allocations.
  Scene scene = numbers(32);
  const Ran ran = run_ptx(entry(R"(
    st.global.u32 [%mine], 1000;
    and.b32 %r1, %t, 1;
    setp.eq.u32 %p1, %r1, 0;
    selp.b64 %rd1, %from, %mine, %p1;
    ld.global.u32 %r2, [%rd1];
    st.global.u32 [%mine], %r2;
    ret;)"),
                          scene);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t % 2 == 0 ? t : 1000U);
  EXPECT_TRUE(ran.result.faults.empty());
  const SiteCounts loads = ran.counts(Space::kGlobal, AccessOp::kLoad);
  EXPECT_EQ(loads.requests, 1U);
  EXPECT_EQ(loads.sectors, 8U);  // four in each buffer
}

TEST(Access, GenericAddressesReachTheirSpaces) {
  // Lanes 0..9 global, 10..19 shared, the rest their own local memory.
  Scene scene = numbers(32);
  const Ran ran = run_ptx(entry(R"(
    .local .align 4 .b8 own[16];
    mov.u64 %rd1, tile;
    mul.wide.u32 %rd2, %t, 4;
    add.s64 %rd3, %rd1, %rd2;
    add.u32 %r1, %t, 100;
    st.shared.u32 [%rd3], %r1;
    cvta.shared.u64 %rd4, %rd3;
    mov.u64 %rd5, own;
    add.u32 %r2, %t, 200;
    st.local.u32 [%rd5+8], %r2;
    add.s64 %rd5, %rd5, 8;
    cvta.local.u64 %rd6, %rd5;
    setp.lt.u32 %p1, %t, 20;
    selp.b64 %rd7, %rd4, %rd6, %p1;
    setp.lt.u32 %p2, %t, 10;
    selp.b64 %rd7, %from, %rd7, %p2;
    ld.u32 %r3, [%rd7];
    st.u32 [%mine], %r3;
    ret;)",
                                ".shared .align 4 .b8 tile[128];\n"),
                          scene);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(ran.out[t], t < 10 ? t : t < 20 ? t + 100 : t + 200);
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).requests, 1U);
  EXPECT_EQ(ran.counts(Space::kShared, AccessOp::kLoad).requests, 1U);
  EXPECT_EQ(ran.counts(Space::kLocal, AccessOp::kLoad).requests, 1U);
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kStore).requests, 1U);
}

TEST(Access, ModuleVariablesKeepTheirValues) {
  Scene scene;
  scene.out_size = 4;
  const Ran ran =
      run_ptx(entry(R"(
    ld.const.u32 %r1, [c+4];
    st.global.u32 [%out], %r1;
    atom.global.add.u32 %r2, [g], 2;
    ld.global.u32 %r3, [g];
    st.global.u32 [%out+4], %r3;
    ret;)",
                    ".const .align 4 .u32 c[2] = {3, 9};\n.global .align 4 .u32 g = 5;\n"),
              scene);
  EXPECT_EQ(ran.out[0], 9U);
  EXPECT_EQ(ran.out[1], 5U + 32 * 2);  // each lane added 2
  // Constants are not global traffic.
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).requests, 1U);
}

TEST(Access, AtomicsGiveEachLaneWhatItFound) {
  Scene scene;
  scene.in.assign(32, 0);
  const Ran ran = run_ptx(entry(R"(
    atom.global.add.u32 %r1, [%in], 3;
    st.global.u32 [%mine], %r1;
    atom.global.max.s32 %r2, [%in+4], %t;
    atom.global.inc.u32 %r3, [%in+8], 4;
    red.global.or.b32 [%in+12], %t;
    atom.global.dec.u32 %r4, [%in+16], 10;
    ret;)"),
                          scene);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], 3 * t);  // lanes in their order
  EXPECT_EQ(ran.in[0], 96U);
  EXPECT_EQ(ran.in[1], 31U);
  EXPECT_EQ(ran.in[2], 2U);  // 0 1 2 3 4 0 1 ...: 32 steps modulo 5
  EXPECT_EQ(ran.in[3], 31U);
  EXPECT_EQ(ran.in[4], 1U);  // 10 9 ... 0 10 ...: 32 steps: 32 mod 11 = 10, from 0: 10 - 9
  // 32 lanes on one address each: 32 sectors per instruction.
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kAtomic).sectors, 4U * 32);
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kReduction).sectors, 32U);
}

TEST(Access, SharedAtomicsSerialiseByBank) {
  Scene scene;
  const Ran ran = run_ptx(entry(R"(
    mov.u64 %rd1, tile;
    st.shared.u32 [tile], 0;
    and.b32 %r1, %t, 3;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    atom.shared.add.u32 %r2, [%rd3], 1;
    st.global.u32 [%mine], %r2;
    ret;)",
                                ".shared .align 4 .b8 tile[128];\n"),
                          scene);
  // Eight lanes on each of four banks.
  EXPECT_EQ(ran.counts(Space::kShared, AccessOp::kAtomic).wavefronts, 8U);
}

TEST(Access, FloatsAddAtomically) {
  Scene scene;
  scene.in.assign(32, 0);
  const Ran ran = run_ptx(entry("red.global.add.f32 [%in], 0f3F000000;\nret;"), scene);
  float sum = 0;
  std::memcpy(&sum, ran.in.data(), 4);
  EXPECT_EQ(sum, 16.0F);  // 32 times 0.5, exact
}

TEST(Access, AsynchronousCopiesMoveSixteenBytes) {
  Scene scene = numbers(128);
  scene.out_size = 128;
  const Ran ran = run_ptx(entry(R"(
    mov.u64 %rd1, tile;
    mul.wide.u32 %rd2, %t, 16;
    add.s64 %rd3, %rd1, %rd2;
    add.s64 %rd4, %in, %rd2;
    cvt.u32.u64 %r9, %rd3;
    cp.async.cg.shared.global [%r9], [%rd4], 16;
    cp.async.commit_group;
    cp.async.wait_group 0;
    ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%rd3];
    add.s64 %rd5, %out, %rd2;
    st.global.v4.u32 [%rd5], {%r1, %r2, %r3, %r4};
    ret;)",
                                ".shared .align 16 .b8 tile[512];\n"),
                          scene);
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(ran.out[i], i);
}

TEST(Access, PrintfWritesItsArguments) {
  const Ran ran =
      run_ptx(entry(R"(
    .local .align 8 .b8 depot[16];
    setp.ne.u32 %p1, %t, 3;
    @%p1 bra J;
    mov.u64 %rd1, depot;
    st.local.u32 [%rd1], %t;
    mov.f64 %fd1, 0d3FF8000000000000;
    st.local.f64 [%rd1+8], %fd1;
    cvta.local.u64 %rd2, %rd1;
    mov.u64 %rd3, text;
    cvta.global.u64 %rd4, %rd3;
    {
    .param .b64 format;
    .param .b64 values;
    .param .b32 result;
    st.param.b64 [format+0], %rd4;
    st.param.b64 [values+0], %rd2;
    call.uni (result), vprintf, (format, values);
    ld.param.b32 %r1, [result+0];
    }
    st.global.u32 [%mine], %r1;
    J: ret;)",
                    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                    ".global .align 1 .b8 text[] = {116, 61, 37, 100, 32, 37, 103, 10, 0};\n"),
              Scene());
  EXPECT_EQ(ran.printed, "t=3 1.5\n");
  EXPECT_EQ(ran.out[3], 8U);  // characters
}

}  // namespace
}  // namespace lab::model
