// Lanes that wait for others: divergent barriers, warp-wide operations, loops with no end.
#include <string>

#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

TEST(PlantedWaiting, DivergentBarrier) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  tile[i] = in[i];
  if (i < 40) {
    __syncthreads();
    tile[i] = tile[39 - i];
  }
  out[i] = tile[i];
}
)";
  const CaseRecord record = run(source, {.args = {out_f32(64), in_f32(64)}});
  EXPECT_EQ(record.status, CaseStatus::kFinding);
  // Warp 1 is split by i < 40.
  bool found = false;
  for (const Finding& f : record.findings) {
    if (f.kind != FindingKind::kDivergentBarrier) continue;
    found = true;
    EXPECT_EQ(f.line, 7);
    EXPECT_EQ(f.source, "__syncthreads();");
    EXPECT_EQ(f.thread, (Dim3{32, 0, 0}));
  }
  EXPECT_TRUE(found);
}

TEST(PlantedWaiting, SpinLockWithinAWarpRunsToItsEnd) {
  // Independent thread scheduling lets the lane that holds the lock go on.
  const std::string source = R"(
extern "C" __global__ void k(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += 1;
  __threadfence();
  atomicExch(lock, 0);
}
)";
  BufferSpec lock{"lock", ElementType::kI32, 1, Direction::kInOut, {Fill::Kind::kZero}};
  BufferSpec sum{"sum", ElementType::kI32, 1, Direction::kInOut, {Fill::Kind::kZero}};
  expect_clean(source, {.launch = {{1, 1, 1}, {32, 1, 1}, 0}, .args = {lock, sum}});
}

TEST(PlantedWaiting, WaitingForWhatNobodyDoesMakesNoProgress) {
  const std::string source = R"(
extern "C" __global__ void k(volatile int* flag) {
  while (*flag == 0) {
  }
}
)";
  const BufferSpec flag{"flag", ElementType::kI32, 1, Direction::kIn, {Fill::Kind::kZero}};
  const CaseRecord record =
      run(source, {.launch = {{1, 1, 1}, {64, 1, 1}, 0}, .args = {flag}, .threads = 1});
  EXPECT_EQ(record.status, CaseStatus::kFinding);
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].kind, FindingKind::kNoProgress);
  EXPECT_EQ(record.findings[0].line, 3);
  EXPECT_EQ(record.findings[0].message,
            "no progress: the thread waits in a loop for a change that no thread of its block "
            "makes");
}

// Every block raises a counter and waits until all have: lanes 1 to 31 wait for lane 0 meanwhile.
const std::string kGridBarrier = R"(
extern "C" __global__ void k(int* out, unsigned* count, int* mine) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  mine[i] = i;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1u);
    while (atomicAdd(count, 0u) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[i] = mine[gridDim.x * blockDim.x - 1 - i];
}
)";
Given blocks_that_wait(std::uint32_t blocks) {
  BufferSpec count = zeroed_i32("count", 1);
  count.type = ElementType::kU32;
  Given given{.launch = {{blocks, 1, 1}, {64, 1, 1}, 0}, .threads = 1};
  given.args = {out_i32(std::uint64_t{blocks} * 64), count,
                zeroed_i32("mine", std::uint64_t{blocks} * 64)};
  return given;
}

TEST(PlantedWaiting, AGridBarrierRunsWhereItsBlocksFit) {
  const std::string read = "atomicAdd(count, 0u)";
  expect_clean(kGridBarrier, blocks_that_wait(8));
  expect_clean(with(kGridBarrier, read, "*(volatile unsigned*)count"), blocks_that_wait(8));
  expect_clean(with(kGridBarrier, read, "atomicCAS(count, 0u, 0u)"), blocks_that_wait(8));
}

TEST(PlantedWaiting, AGridBarrierOfTooManyBlocksIsToldSo) {
  // 132 multiprocessors have 32 places for blocks each: 4,224.
  const CaseRecord record = run(kGridBarrier, blocks_that_wait(132 * 32 + 1));
  ASSERT_EQ(record.findings.size(), 1U);  // no divergent barrier: lanes wait for lane 0
  EXPECT_EQ(record.findings[0].kind, FindingKind::kNoProgress);
  EXPECT_EQ(record.findings[0].line, 9);
  EXPECT_EQ(record.findings[0].message,
            "no progress: the thread waits in a loop for a change that no thread of its block "
            "makes; blocks can wait for each other where all are on the GPU at once, and of these "
            "4225 it has room for 4224");
}

TEST(PlantedWaiting, AGridBarrierThatMissesABlockMakesNoProgress) {
  const CaseRecord record =
      run(with(kGridBarrier, "count, 0u) < gridDim.x", "count, 0u) < 9"), blocks_that_wait(8));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].kind, FindingKind::kNoProgress);
  EXPECT_EQ(record.findings[0].message,
            "no progress: the thread waits in a loop for a change that no thread of its grid "
            "makes");
}

TEST(PlantedWaiting, ShuffleInADivergentBranchNamesAbsentLanes) {
  const std::string source = R"(
extern "C" __global__ void k(int* out) {
  int i = threadIdx.x;
  int v = i;
  if (i < 16) v = __shfl_xor_sync(0xffffffff, v, 1);
  out[i] = v;
}
)";
  const Given given{.launch = {{1, 1, 1}, {32, 1, 1}, 0}, .args = {out_i32(32)}};
  const CaseRecord record = run(source, given);
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].kind, FindingKind::kInvalidWarpOperation);
  EXPECT_EQ(record.findings[0].line, 5);
  EXPECT_EQ(record.findings[0].message,
            "the mask of a warp-wide operation names lane 16, which does not execute it with the "
            "others");
  expect_clean(with(source, "0xffffffff", "0xffff"), given);
}

}  // namespace
}  // namespace lab::model::planted
