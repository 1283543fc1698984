// Launches: shapes, sampling, threads, and counts that do not depend on them.
#include "harness/model/execute/grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx_run::entry;
using ptx_run::Ran;
using ptx_run::run_ptx;
using ptx_run::Scene;

// out[block * 64 + thread] = in[thread] + block, for 64 threads per block.
const char* const kPerBlock = R"(
    mov.u32 %r1, %ctaid.x;
    shl.b32 %r2, %r1, 6;
    add.u32 %r3, %r2, %t;
    mul.wide.u32 %rd1, %r3, 4;
    add.s64 %rd2, %out, %rd1;
    ld.global.u32 %r4, [%from];
    add.u32 %r4, %r4, %r1;
    st.global.u32 [%rd2], %r4;
    ret;)";

Scene blocks(std::uint32_t count) {
  Scene scene;
  scene.launch.grid.x = count;
  scene.launch.block.x = 64;
  scene.out_size = std::size_t{count} * 64;
  scene.in.assign(64, 5);
  return scene;
}

TEST(Grid, CountsAreTheSameOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    Scene scene = blocks(1000);
    scene.options.threads = threads;
    const Ran ran = run_ptx(entry(kPerBlock), scene);
    for (std::uint32_t i = 0; i < ran.out.size(); ++i) ASSERT_EQ(ran.out[i], 5 + i / 64);
    const SiteCounts loads = ran.counts(ptx::Space::kGlobal, AccessOp::kLoad);
    EXPECT_EQ(loads.requests, 2000U);  // two warps per block
    EXPECT_EQ(loads.sectors, 8000U);
    EXPECT_EQ(ran.result.blocks_run, 1000U);
    // Each block reads 8 sectors, all the same ones; 64 * 4 / 32 of output each.
    EXPECT_EQ(ran.result.block_reads, 8000U);
    EXPECT_EQ(ran.result.touched.read, 8U);
    EXPECT_EQ(ran.result.touched.stored, 8000U);
    // 7 parameter and address instructions of the frame around it, 9 here: 16 for each warp.
    EXPECT_EQ(ran.result.warp_instructions, 16U * 2000U);
  }
}

TEST(Grid, TheLongestWarpOfEachBlockIsCountedApart) {
  // Thread t goes round t / 32 + block times: the second warp's once more than the first's.
  const char* const rounds = R"(
    shr.u32 %r1, %t, 5;
    mov.u32 %r2, %ctaid.x;
    add.u32 %r1, %r1, %r2;
    mov.u32 %r3, 0;
$again:
    add.u32 %r3, %r3, 1;
    setp.le.u32 %p1, %r3, %r1;
    @%p1 bra $again;
    ret;)";
  Scene scene = blocks(3);
  scene.options.threads = 1;
  scene.options.longest = true;
  const Ran ran = run_ptx(entry(rounds), scene);
  // Block b: b + 1 rounds and b + 2; three blocks: 6 and 9.
  EXPECT_EQ(*std::max_element(ran.result.entered.begin(), ran.result.entered.end()), 15U);
  EXPECT_EQ(*std::max_element(ran.result.longest.begin(), ran.result.longest.end()), 9U);
  scene.options.longest = false;
  const Ran plain = run_ptx(entry(rounds), scene);
  EXPECT_EQ(plain.result.entered, ran.result.entered);
  EXPECT_TRUE(plain.result.longest.empty());
}

TEST(Grid, LargeGridsAreSampledEvenly) {
  // 1000 blocks of 2 warps x 16 instructions are 32,000; a quarter of 8,000 is the aim: every 16th.
  Scene scene = blocks(1000);
  scene.options.sample_above = 8000;
  const Ran ran = run_ptx(entry(kPerBlock), scene);
  EXPECT_EQ(ran.result.sample_step, 16U);
  EXPECT_EQ(ran.result.blocks, 1000U);
  EXPECT_EQ(ran.result.blocks_run, 63U);  // 0, 16, ... 992
  EXPECT_EQ(ran.out[16 * 64], 5U + 16U);
  EXPECT_EQ(ran.out[17 * 64], 0xA5A5A5A5U);
}

TEST(Grid, SomeBlocksMayRunAlone) {
  Scene scene = blocks(1000);
  scene.options.only = {3, 999};
  const Ran ran = run_ptx(entry(kPerBlock), scene);
  EXPECT_EQ(ran.result.blocks, 1000U);
  EXPECT_EQ(ran.result.blocks_run, 2U);
  EXPECT_EQ(ran.out[3 * 64], 5U + 3U);
  EXPECT_EQ(ran.out[999 * 64 + 63], 5U + 999U);
  EXPECT_EQ(ran.out[4 * 64], 0xA5A5A5A5U);
}

TEST(Grid, SmallGridsAreNotSampled) {
  Scene scene = blocks(1000);
  scene.options.sample_above = 32000;
  EXPECT_EQ(run_ptx(entry(kPerBlock), scene).result.blocks_run, 1000U);
}

TEST(Grid, ThreadsAndBlocksHaveTheirThreeCoordinates) {
  // One store a thread of tid.x + 10 tid.y + 100 tid.z + 1000 ctaid.y + 10000 ctaid.z.
  Scene scene;
  scene.launch.block = {4, 3, 2};
  scene.launch.grid = {1, 2, 2};
  scene.out_size = 24 * 4;
  const Ran ran = run_ptx(entry(R"(
    mov.u32 %r1, %tid.y;
    mov.u32 %r2, %tid.z;
    mov.u32 %r3, %ctaid.y;
    mov.u32 %r4, %ctaid.z;
    mad.lo.u32 %r5, %r1, 10, %t;
    mad.lo.u32 %r5, %r2, 100, %r5;
    mad.lo.u32 %r5, %r3, 1000, %r5;
    mad.lo.u32 %r5, %r4, 10000, %r5;
    mov.u32 %r6, %ntid.x;
    mov.u32 %r7, %ntid.y;
    mov.u32 %r8, %nctaid.y;
    mad.lo.u32 %r9, %r2, %r7, %r1;
    mad.lo.u32 %r9, %r9, %r6, %t;
    mad.lo.u32 %r10, %r4, %r8, %r3;
    mad.lo.u32 %r11, %r10, 24, %r9;
    mul.wide.u32 %rd1, %r11, 4;
    add.s64 %rd2, %out, %rd1;
    st.global.u32 [%rd2], %r5;
    ret;)"),
                          scene);
  for (std::uint32_t block = 0; block < 4; ++block) {
    for (std::uint32_t t = 0; t < 24; ++t) {
      EXPECT_EQ(ran.out[block * 24 + t], t % 4 + 10 * (t / 4 % 3) + 100 * (t / 12) +
                                             1000 * (block % 2) + 10000 * (block / 2));
    }
  }
}

TEST(Grid, AtomicsOfBlocksOnSeveralThreadsLoseNothing) {
  Scene scene;
  scene.launch.grid.x = 2000;
  scene.options.threads = 4;
  scene.in.assign(1, 0);
  const Ran ran = run_ptx(entry("red.global.add.u32 [%in], 1;\nret;"), scene);
  EXPECT_EQ(ran.in[0], 2000U * 32U);
}

TEST(Grid, StoppingEndsItEarly) {
  Scene scene = blocks(1000);
  int asked = 0;
  scene.options.stopped = [&] { return ++asked > 3; };
  const Ran ran = run_ptx(entry(kPerBlock), scene);
  EXPECT_LT(ran.result.blocks_run, 1000U);
}

TEST(Grid, ProgressGrowsToOne) {
  Scene scene = blocks(1000);
  double last = 0;
  scene.options.progress = [&](double done) {
    EXPECT_GT(done, last);
    last = done;
  };
  const Ran ran = run_ptx(entry(kPerBlock), scene);
  EXPECT_EQ(last, 1.0);
}

}  // namespace
}  // namespace lab::model
