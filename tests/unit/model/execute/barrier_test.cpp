// bar and barrier: who waits for whom, what a reduction hands out, and what is reported.
#include <gtest/gtest.h>

#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx_run::entry;
using ptx_run::Ran;
using ptx_run::run_ptx;
using ptx_run::Scene;

Scene threads(std::uint32_t count) {
  Scene scene;
  scene.launch.block.x = count;
  scene.out_size = count;
  return scene;
}

const char* const kTile = ".shared .align 4 .b8 tile[512];\n";

TEST(Barrier, AllWarpsSeeWhatWasWrittenBeforeIt) {
  // Thread t writes t, then reads what thread (127 - t) of another warp wrote.
  const Ran ran = run_ptx(entry(R"(
    mov.u64 %rd1, tile;
    cvt.u64.u32 %rd2, %t;
    shl.b64 %rd2, %rd2, 2;
    add.s64 %rd3, %rd1, %rd2;
    st.shared.u32 [%rd3], %t;
    bar.sync 0;
    sub.s64 %rd4, 508, %rd2;
    add.s64 %rd5, %rd1, %rd4;
    ld.shared.u32 %r1, [%rd5];
    st.global.u32 [%mine], %r1;
    ret;)",
                                kTile),
                          threads(128));
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(ran.out[t], 127 - t);
  EXPECT_TRUE(ran.result.faults.empty());
}

TEST(Barrier, ReductionsCountTheWholeBlock) {
  // 70 threads (a partial warp), 23 of them multiples of 3 below 70 less thread 0: 0, 3, .. 69 are
  // 24 numbers.
  const Ran ran = run_ptx(entry(R"(
    rem.u32 %r1, %t, 3;
    setp.eq.u32 %p1, %r1, 0;
    setp.lt.u32 %p2, %t, 70;
    bar.red.popc.u32 %r2, 0, %p1;
    bar.red.and.pred %p3, 0, %p1;
    bar.red.and.pred %p4, 0, %p2;
    bar.red.or.pred %p5, 0, !%p2;
    selp.u32 %r3, 1000, 0, %p3;
    selp.u32 %r4, 2000, 0, %p4;
    selp.u32 %r5, 4000, 0, %p5;
    add.u32 %r2, %r2, %r3;
    add.u32 %r2, %r2, %r4;
    add.u32 %r2, %r2, %r5;
    st.global.u32 [%mine], %r2;
    ret;)"),
                          threads(70));
  for (const std::uint32_t value : ran.out) EXPECT_EQ(value, 24U + 2000U);
}

TEST(Barrier, ExitedThreadsAreNotWaitedFor) {
  const Ran ran = run_ptx(entry(R"(
    setp.ge.u32 %p1, %t, 40;
    @%p1 bra R;
    barrier.sync 0;
    st.global.u32 [%mine], %t;
    R: ret;)"),
                          threads(96));
  EXPECT_EQ(ran.out[39], 39U);
  EXPECT_EQ(ran.out[40], 0xA5A5A5A5U);
  EXPECT_TRUE(ran.result.faults.empty());
}

TEST(Barrier, NamedBarriersCountTheirOwnThreads) {
  // Warps 0 and 1 meet at barrier 1 (64 threads) although warp 2 never comes.
  const Ran ran = run_ptx(entry(R"(
    setp.ge.u32 %p1, %t, 64;
    @%p1 bra S;
    bar.sync 1, 64;
    S: st.global.u32 [%mine], %t;
    ret;)"),
                          threads(96));
  for (std::uint32_t t = 0; t < 96; ++t) EXPECT_EQ(ran.out[t], t);
  EXPECT_TRUE(ran.result.faults.empty());
}

TEST(Barrier, ArrivingDoesNotWait) {
  // Warp 0 produces and arrives; warp 1 waits for it. Warp 1 runs after warp 0 anyway, so the other
  // way round: warp 1 produces, warp 0 waits.
  const Ran ran = run_ptx(entry(R"(
    setp.ge.u32 %p1, %t, 32;
    @%p1 bra PRODUCE;
    bar.sync 2, 64;
    ld.global.u32 %r1, [%in];
    bra J;
    PRODUCE: mov.u32 %r1, 77;
    st.global.u32 [%in], %r1;
    bar.arrive 2, 64;
    J: st.global.u32 [%mine], %r1;
    ret;)"),
                          threads(64));
  for (const std::uint32_t value : ran.out) EXPECT_EQ(value, 77U);
}

TEST(Barrier, APartOfAWarpAtAnAlignedBarrierIsReported) {
  const Ran ran = run_ptx(entry(R"(
    setp.lt.u32 %p1, %t, 16;
    @%p1 bra A;
    add.u32 %r1, %r1, 1;
    bra J;
    A: bar.sync 0;
    J: ret;)"),
                          threads(32));
  ASSERT_FALSE(ran.result.faults.empty());
  EXPECT_EQ(ran.result.faults[0].kind, FindingKind::kDivergentBarrier);
  EXPECT_EQ(ran.result.faults[0].detail,
            "16 threads of the warp are at the barrier, 16 are elsewhere");
}

TEST(Barrier, ABarrierThatNobodyCompletesIsADeadlock) {
  // Warp 0 waits at barrier 1 for 64 threads, warp 1 at barrier 2.
  const Ran ran = run_ptx(entry(R"(
    setp.ge.u32 %p1, %t, 32;
    @%p1 bra B;
    bar.sync 1, 64;
    bra J;
    B: bar.sync 2, 64;
    J: ret;)"),
                          threads(64));
  ASSERT_EQ(ran.result.faults.size(), 2U);
  for (const Fault& fault : ran.result.faults) {
    EXPECT_EQ(fault.kind, FindingKind::kBarrierDeadlock);
  }
  EXPECT_EQ(ran.result.faults[0].detail,
            "barrier 1 waits forever: 32 of the 64 threads it counts arrived at it");
  EXPECT_EQ(ran.result.stop, Stop::kFault);
}

TEST(Barrier, WarpBarriersMeetAcrossBranches) {
  // Both sides call __syncwarp(): the second half writes before it, the first reads after it.
  const Ran ran = run_ptx(entry(R"(
    setp.ge.u32 %p1, %t, 16;
    @%p1 bra W;
    bar.warp.sync 0xffffffff;
    ld.global.u32 %r1, [%in];
    bra J;
    W: mov.u32 %r1, 5;
    st.global.u32 [%in], %r1;
    bar.warp.sync 0xffffffff;
    J: st.global.u32 [%mine], %r1;
    ret;)"),
                          threads(32));
  for (const std::uint32_t value : ran.out) EXPECT_EQ(value, 5U);
  EXPECT_TRUE(ran.result.faults.empty());
}

TEST(Barrier, AWarpBarrierThatOthersNeverReachIsReported) {
  const Ran ran = run_ptx(entry(R"(
    setp.ge.u32 %p1, %t, 16;
    @%p1 bra J;
    bar.warp.sync 0xffffffff;
    J: st.global.u32 [%mine], %t;
    ret;)"),
                          threads(32));
  ASSERT_EQ(ran.result.faults.size(), 1U);
  EXPECT_EQ(ran.result.faults[0].kind, FindingKind::kInvalidWarpOperation);
  EXPECT_EQ(ran.result.faults[0].detail,
            "__syncwarp() names threads that never come: 16 wait, 16 are elsewhere");
  EXPECT_EQ(ran.out[31], 31U);  // and goes on
}

}  // namespace
}  // namespace lab::model
