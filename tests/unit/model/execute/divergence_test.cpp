// Control flow: what lanes compute when they part, wait, leave and spin.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx_run::entry;
using ptx_run::Ran;
using ptx_run::run_ptx;
using ptx_run::Scene;

TEST(Divergence, EachSideRunsForItsLanes) {
  const Ran ran = run_ptx(entry(R"(
    setp.lt.u32 %p1, %t, 10;
    @%p1 bra A;
    mov.u32 %r1, 200;
    bra J;
    A: mov.u32 %r1, 100;
    J: add.u32 %r1, %r1, %t;
    st.global.u32 [%mine], %r1;
    ret;)"),
                          Scene());
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], (t < 10 ? 100 : 200) + t);
  // All 32 lanes are together again at the store.
  EXPECT_EQ(ran.counts(ptx::Space::kGlobal, AccessOp::kStore).requests, 1U);
}

TEST(Divergence, LoopsRunAsOftenAsTheirLongestLane) {
  // Lane t adds 1 t times.
  const Ran ran = run_ptx(entry(R"(
    mov.u32 %r1, 0;
    setp.eq.u32 %p1, %t, 0;
    @%p1 bra D;
    L: add.u32 %r1, %r1, 1;
    ld.global.u32 %r2, [%in];
    setp.lt.u32 %p2, %r1, %t;
    @%p2 bra L;
    D: st.global.u32 [%mine], %r1;
    ret;)"),
                          Scene());
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t);
  EXPECT_EQ(ran.counts(ptx::Space::kGlobal, AccessOp::kLoad).requests, 31U);  // lane 31's turns
  EXPECT_EQ(ran.counts(ptx::Space::kGlobal, AccessOp::kStore).requests, 1U);
}

TEST(Divergence, NestedBranchesMeetInsideOut) {
  // %r1 = (t & 1 ? 1 : (t & 2 ? 2 : 4)), a store in each arm and one at the end.
  const Ran ran = run_ptx(entry(R"(
    and.b32 %r2, %t, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra ODD;
    and.b32 %r3, %t, 2;
    setp.ne.u32 %p2, %r3, 0;
    @%p2 bra TWO;
    mov.u32 %r1, 4;
    bra IN;
    TWO: mov.u32 %r1, 2;
    IN: st.global.u32 [%from], %r1;
    bra OUT;
    ODD: mov.u32 %r1, 1;
    OUT: st.global.u32 [%mine], %r1;
    ret;)"),
                          Scene());
  for (std::uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(ran.out[t], (t & 1U) != 0 ? 1U : (t & 2U) != 0 ? 2U : 4U);
  }
  // One for the 16 even lanes at IN, one for all at OUT.
  EXPECT_EQ(ran.counts(ptx::Space::kGlobal, AccessOp::kStore).requests, 2U);
}

TEST(Divergence, LanesThatReturnEarlyLeaveTheOthersTogether) {
  const Ran ran = run_ptx(entry(R"(
    setp.ge.u32 %p1, %t, 20;
    @%p1 bra R;
    st.global.u32 [%mine], %t;
    R: ret;)"),
                          Scene());
  EXPECT_EQ(ran.out[19], 19U);
  EXPECT_EQ(ran.out[20], 0xA5A5A5A5U);
}

TEST(Divergence, GuardsWorkOnAnyInstruction) {
  const Ran ran = run_ptx(entry(R"(
    setp.lt.u32 %p1, %t, 4;
    mov.u32 %r1, 7;
    @%p1 mov.u32 %r1, 9;
    @!%p1 add.u32 %r1, %r1, 1;
    setp.gt.u32 %p2, %t, 100;
    @%p2 st.global.u32 [%in], %r1;
    @%p1 exit;
    st.global.u32 [%mine], %r1;
    ret;)"),
                          Scene());
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t < 4 ? 0xA5A5A5A5U : 8U);
  // A store that no lane makes is not a request.
  EXPECT_EQ(ran.counts(ptx::Space::kGlobal, AccessOp::kStore).requests, 1U);
}

TEST(Divergence, BranchTablesSendLanesToTheirTargets) {
  const Ran ran = run_ptx(entry(R"(
    and.b32 %r1, %t, 3;
    T: .branchtargets A, B, C, C;
    brx.idx %r1, T;
    A: mov.u32 %r2, 10;
    bra J;
    B: mov.u32 %r2, 20;
    bra J;
    C: mov.u32 %r2, 30;
    J: st.global.u32 [%mine], %r2;
    ret;)"),
                          Scene());
  const std::uint32_t expected[] = {10, 20, 30, 30};
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], expected[t % 4]);
  EXPECT_EQ(ran.counts(ptx::Space::kGlobal, AccessOp::kStore).requests, 1U);
}

TEST(Divergence, FunctionsTakeAndGiveValuesForTheirCallersAlone) {
  // f(a, b) returns a * 2 for a < 8, and a + b otherwise; only even lanes call it.
  const std::string f = R"(
.func (.param .b32 f_result) f(.param .b32 f_a, .param .b32 f_b)
{
  .reg .b32 %r<5>;
  .reg .pred %p<2>;
  ld.param.u32 %r1, [f_a];
  ld.param.u32 %r2, [f_b];
  setp.lt.u32 %p1, %r1, 8;
  @%p1 bra SMALL;
  add.u32 %r3, %r1, %r2;
  st.param.b32 [f_result+0], %r3;
  ret;
SMALL:
  shl.b32 %r3, %r1, 1;
  st.param.b32 [f_result+0], %r3;
  ret;
}
)";
  const Ran ran = run_ptx(entry(R"(
    mov.u32 %r5, 1;
    and.b32 %r1, %t, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra J;
    {
    .param .b32 a;
    .param .b32 b;
    .param .b32 result;
    st.param.b32 [a+0], %t;
    st.param.b32 [b+0], 1000;
    call.uni (result), f, (a, b);
    ld.param.b32 %r5, [result+0];
    }
    J: st.global.u32 [%mine], %r5;
    ret;)",
                                f),
                          Scene());
  for (std::uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(ran.out[t], t % 2 != 0 ? 1U : t < 8 ? 2 * t : t + 1000);
  }
  EXPECT_EQ(ran.counts(ptx::Space::kLocal, AccessOp::kStore).requests, 0U);  // not the user's
}

// Lane by lane through a lock: whoever has it must go on while the others still ask for it.
const char* const kSpinLock = R"(
    mov.u32 %r9, 0;
    L: atom.global.cas.b32 %r1, [%in], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra L;
    ld.global.u32 %r2, [%out];
    add.u32 %r2, %r2, %r8;
    st.global.u32 [%out], %r2;
    UNLOCK
    ret;)";

TEST(Divergence, ASpinLockWithinAWarpComesToItsEnd) {
  std::string body = kSpinLock;
  body.replace(body.find("UNLOCK"), 6, "atom.global.exch.b32 %r3, [%in], 0;");
  Scene scene;
  scene.out_size = 1;
  const Ran ran = run_ptx(entry("mov.u32 %r8, 1;\nst.global.u32 [%out], 0;\n" + body), scene);
  EXPECT_EQ(ran.out[0], 32U);  // each lane added one
  EXPECT_TRUE(ran.result.faults.empty());
}

TEST(Divergence, ALockThatIsNeverGivenBackIsReported) {
  std::string body = kSpinLock;
  body.replace(body.find("UNLOCK"), 6, "");
  Scene scene;
  scene.out_size = 1;
  const Ran ran = run_ptx(entry("mov.u32 %r8, 1;\n" + body), scene);
  ASSERT_EQ(ran.result.faults.size(), 1U);
  const Fault& fault = ran.result.faults.front();
  EXPECT_EQ(fault.kind, FindingKind::kNoProgress);
  EXPECT_EQ(fault.detail,
            "no progress: the thread waits in a loop for a change that no thread of its block "
            "makes");
}

TEST(Divergence, AWarpMayWaitForAnother) {
  // Warp 0 spins until warp 1 has written; warp 1 is behind it in order.
  Scene scene;
  scene.launch.block.x = 64;
  scene.out_size = 64;
  scene.in = {0};
  const Ran ran = run_ptx(entry(R"(
    setp.ge.u32 %p1, %t, 32;
    @%p1 bra W;
    L: ld.volatile.global.u32 %r1, [%in];
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra L;
    bra J;
    W: mov.u32 %r1, 5;
    st.volatile.global.u32 [%in], %r1;
    J: st.global.u32 [%mine], %r1;
    ret;)"),
                          scene);
  EXPECT_TRUE(ran.result.faults.empty());
  EXPECT_EQ(ran.out[0], 5U);
  EXPECT_EQ(ran.out[63], 5U);
}

TEST(Divergence, ALongLoopIsNotTakenForASpin) {
  // 500,000 turns of one lane while 31 wait for it: more than many slices of the watchdog.
  Scene scene;
  scene.n = 500000;
  const Ran ran = run_ptx(entry(R"(
    mov.u32 %r1, 0;
    setp.ne.u32 %p1, %t, 0;
    @%p1 bra J;
    L: add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, %n;
    @%p2 bra L;
    J: st.global.u32 [%mine], %r1;
    ret;)"),
                          scene);
  EXPECT_TRUE(ran.result.faults.empty());
  EXPECT_EQ(ran.out[0], 500000U);
  EXPECT_EQ(ran.out[1], 0U);
  EXPECT_EQ(ran.counts(ptx::Space::kGlobal, AccessOp::kStore).requests, 1U);  // together again
}

TEST(Divergence, TheBudgetEndsALoopThatCountsForEver) {
  Scene scene;
  scene.options.too_many = [](std::uint64_t ran) { return ran > 1000000; };
  const Ran ran =
      run_ptx(entry("L: add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;"), scene);
  EXPECT_EQ(ran.result.stop, Stop::kBudget);
  EXPECT_LT(ran.result.warp_instructions, 2000000U);
  EXPECT_NE(ran.result.stopped_at, kNone);
}

TEST(Divergence, ATrapEndsTheLaunch) {
  Scene scene;
  scene.launch.grid.x = 4;
  const Ran ran = run_ptx(entry("setp.eq.u32 %p1, %t, 3;\n@%p1 trap;\nret;"), scene);
  ASSERT_EQ(ran.result.faults.size(), 1U);
  EXPECT_EQ(ran.result.faults[0].kind, FindingKind::kTrap);
  EXPECT_EQ(ran.result.faults[0].lane, 3U);
  EXPECT_EQ(ran.result.stop, Stop::kFault);
  EXPECT_EQ(ran.result.blocks_run, 1U);
}

}  // namespace
}  // namespace lab::model
