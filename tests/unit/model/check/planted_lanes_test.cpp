// Races in global memory between lanes of one warp: what __syncwarp(), atomics and locks order, and
// what nothing does.
#include <string>
#include <utility>

#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

Given one_warp(std::vector<ArgSpec> args) {
  return {.launch = {{1, 1, 1}, {32, 1, 1}, 0}, .args = std::move(args), .threads = 1};
}
BufferSpec counted_i32(const std::string& name, std::uint64_t count) {
  return {name, ElementType::kI32, count, Direction::kInOut, {Fill::Kind::kIota}};
}

// All lanes read 0 and store 1.
TEST(PlantedLanes, AnUpdateOfOneElementIsLost) {
  const std::string source = R"(
extern "C" __global__ void k(int* n) {
  *n += 1;
}
)";
  const CaseRecord record = run(source, one_warp({zeroed_i32("n", 1)}));
  EXPECT_EQ(summary(record), (Lines{"global_race: *n += 1;"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].message,
            "race at n[0]: line 3 reads, line 3 writes in another lane of the warp, with "
            "neither __syncwarp() nor __syncthreads() between");
  EXPECT_EQ(record.findings[0].count, 32U);  // each lane writes what the others have read
  EXPECT_EQ(remarks(record), Lines{});  // that they store the same value is no remark beside it
  expect_clean(with(source, "*n += 1", "atomicAdd(n, 1)"), one_warp({zeroed_i32("n", 1)}));
  expect_clean(with(source, "*n += 1", "if (threadIdx.x == 0) *n += 1"),
               one_warp({zeroed_i32("n", 1)}));
}

TEST(PlantedLanes, AHistogramWithoutAtomicsIsFound) {
  const std::string source = R"(
extern "C" __global__ void k(const int* x, int* bins) {
  for (int i = threadIdx.x; i < 128; i += 32) bins[x[i] & 7] += 1;
}
)";
  const Given given = one_warp({counted_i32("x", 128), zeroed_i32("bins", 8)});
  EXPECT_EQ(
      summary(run(source, given)),
      (Lines{"global_race: for (int i = threadIdx.x; i < 128; i += 32) bins[x[i] & 7] += 1;"}));
  // A bin for each lane.
  expect_clean(with(source, "x[i] & 7", "threadIdx.x"),
               one_warp({counted_i32("x", 128), zeroed_i32("bins", 32)}));
  expect_clean(with(source, "bins[x[i] & 7] += 1", "atomicAdd(&bins[x[i] & 7], 1)"), given);
}

TEST(PlantedLanes, AReductionInPlaceNeedsSyncwarpInEachRound) {
  const std::string source = R"(
extern "C" __global__ void k(int* a) {
  int t = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) {
    if (t < d) a[t] += a[t + d];
    __syncwarp();
  }
}
)";
  expect_clean(source, one_warp({counted_i32("a", 32)}));
  const CaseRecord record =
      run(with(source, "__syncwarp();", ""), one_warp({counted_i32("a", 32)}));
  EXPECT_EQ(summary(record), (Lines{"global_race: if (t < d) a[t] += a[t + d];"}));
  // As shared memory, volatile does not order lanes, but what is volatile does not race with it.
  expect_clean(with(with(source, "__syncwarp();", ""), "int* a)", "volatile int* a)"),
               one_warp({counted_i32("a", 32)}));
}

// Half a warp waits for itself alone.
TEST(PlantedLanes, TilesWaitForTheirOwnLanes) {
  const std::string source = R"(
extern "C" __global__ void k(int* a, int* out) {
  int t = threadIdx.x;
  unsigned mine = t < 16 ? 0x0000ffffu : 0xffff0000u;
  a[t] = t;
  __syncwarp(mine);
  out[t] = a[t ^ 15];
}
)";
  const auto given = [] { return one_warp({zeroed_i32("a", 32), zeroed_i32("out", 32)}); };
  expect_clean(source, given());
  EXPECT_EQ(summary(run(with(source, "t ^ 15", "t ^ 16"), given())),
            (Lines{"global_race: out[t] = a[t ^ 16];"}));
  // Several lanes read one element, and then one of them writes it.
  const std::string shared_read = R"(
extern "C" __global__ void k(int* a, int* out) {
  int t = threadIdx.x;
  unsigned mine = t < 16 ? 0x0000ffffu : 0xffff0000u;
  out[t] = a[t & 16];
  __syncwarp(mine);
  if ((t & 15) == 3) a[t & 16] = t;
}
)";
  expect_clean(shared_read, given());
  EXPECT_EQ(summary(run(with(shared_read, "__syncwarp(mine);", ""), given())),
            (Lines{"global_race: if ((t & 15) == 3) a[t & 16] = t;"}));
}

// One lane reads an element; later all do, half of which have waited for it.
TEST(PlantedLanes, AReadByAllAfterAReadByOne) {
  const std::string source = R"(
extern "C" __global__ void k(int* a, int* out) {
  int t = threadIdx.x;
  if (t == 5) out[32] = ((volatile int*)a)[0];
  __syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);
  out[t] = ((volatile int*)a)[0];
  __syncwarp();
  if (t == 20) a[0] = 1;
}
)";
  expect_clean(source, one_warp({zeroed_i32("a", 1), zeroed_i32("out", 33)}));
  const CaseRecord record =
      run(with(source, "__syncwarp();", ""), one_warp({zeroed_i32("a", 1), zeroed_i32("out", 33)}));
  EXPECT_EQ(summary(record), (Lines{"global_race: if (t == 20) a[0] = 1;"}));
}

TEST(PlantedLanes, OneInstructionThatStoresDifferentValuesToOneElement) {
  const std::string source = R"(
extern "C" __global__ void k(const int* x, int* out) {
  int t = threadIdx.x;
  out[t / 2] = x[t];
}
)";
  const auto given = [] { return one_warp({counted_i32("x", 32), zeroed_i32("out", 32)}); };
  const CaseRecord record = run(source, given());
  ASSERT_EQ(summary(record), (Lines{"global_race: out[t / 2] = x[t];"}));
  EXPECT_EQ(record.findings[0].message,
            "race at out[0]: line 4 writes different values in several threads at once");
  EXPECT_EQ(record.findings[0].count, 16U);  // the second of each two
  // That the element is volatile does not say which of the two stays.
  EXPECT_EQ(summary(run(with(source, "out[t / 2]", "((volatile int*)out)[t / 2]"), given())),
            (Lines{"global_race: ((volatile int*)out)[t / 2] = x[t];"}));
  expect_clean(with(source, "out[t / 2]", "out[t]"), given());
  expect_clean(with(source, "out[t / 2] = x[t]", "atomicMax(&out[t / 2], x[t])"), given());
}

TEST(PlantedLanes, OneValueFromSeveralLanesIsARemark) {
  const std::string source = R"(
extern "C" __global__ void k(const int* x, int* any) {
  if (x[threadIdx.x] > 7) *any = 1;
}
)";
  const CaseRecord record = run(source, one_warp({counted_i32("x", 32), zeroed_i32("any", 1)}));
  EXPECT_EQ(record.status, CaseStatus::kOk);
  EXPECT_EQ(summary(record), Lines{});
  ASSERT_EQ(remarks(record), (Lines{"same_value: if (x[threadIdx.x] > 7) *any = 1;"}));
  EXPECT_EQ(record.remarks[0].message,
            "any[0]: line 3 stores the same value from several lanes at once");
  EXPECT_EQ(record.remarks[0].count, 23U);  // lanes 8 to 31, but for the first of them
  const CaseRecord one =
      run(with(source, "> 7", "== 7"), one_warp({counted_i32("x", 32), zeroed_i32("any", 1)}));
  EXPECT_EQ(remarks(one), Lines{});
}

TEST(PlantedLanes, APushWithoutAnAtomicIsFound) {
  const std::string source = R"(
extern "C" __global__ void k(int* count, int* list) {
  int at = atomicAdd(count, 1);
  list[at] = threadIdx.x;
}
)";
  const auto given = [] { return one_warp({zeroed_i32("count", 1), zeroed_i32("list", 32)}); };
  expect_clean(source, given());
  const CaseRecord record = run(with(source, "atomicAdd(count, 1)", "(*count)++"), given());
  EXPECT_EQ(summary(record),
            (Lines{"global_race: int at = (*count)++;", "global_race: list[at] = threadIdx.x;"}));
}

// Rounds go to and fro between two buffers.
TEST(PlantedLanes, DoubleBufferingOverGlobalMemory) {
  const std::string source = R"(
extern "C" __global__ void k(int* a, int* b) {
  int t = threadIdx.x;
  for (int i = 0; i < 4; ++i) {
    int* from = i % 2 ? b : a;
    int* to = i % 2 ? a : b;
    to[t] = from[t] + from[(t + 1) % 32];
    __syncwarp();
  }
}
)";
  const auto given = [] { return one_warp({counted_i32("a", 32), zeroed_i32("b", 32)}); };
  expect_clean(source, given());
  EXPECT_EQ(summary(run(with(source, "__syncwarp();", ""), given())),
            (Lines{"global_race: to[t] = from[t] + from[(t + 1) % 32];"}));
  // In place, the barrier has to stand between the read and the write as well.
  EXPECT_EQ(summary(run(with(source, "b : a", "a : a"), given())).size(), 1U);
  // Warps of a block.
  Given block = given();
  block.launch.block.x = 128;
  block.args = {counted_i32("a", 128), zeroed_i32("b", 128)};
  const std::string wide = with(with(source, "% 32", "% 128"), "__syncwarp", "__syncthreads");
  expect_clean(wide, block);
  EXPECT_EQ(summary(run(with(wide, "__syncthreads();", "__syncwarp();"), block)).size(), 1U);
}

// Each thread takes the lock in turn: a fence on either side orders what it guards.
TEST(PlantedLanes, ALockOrdersLanesAndWarps) {
  const std::string source = R"(
extern "C" __global__ void k(int* lock, int* sum) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *sum += threadIdx.x;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
)";
  Given given = one_warp({zeroed_i32("lock", 1), zeroed_i32("sum", 1)});
  expect_clean(source, given);
  given.launch.block.x = 96;
  expect_clean(source, given);
  given.launch.grid.x = 3;
  expect_clean(source, given);
  // A lock that nobody takes.
  const std::string open = with(source, "atomicCAS(lock, 0, 1) == 0", "lock != nullptr");
  EXPECT_EQ(summary(run(open, one_warp({zeroed_i32("lock", 1), zeroed_i32("sum", 1)}))),
            (Lines{"global_race: *sum += threadIdx.x;"}));
}

// Lanes, widths and shapes of accesses that are each thread's own.
TEST(PlantedLanes, WhatIsEachThreadsOwnIsFine) {
  const std::string source = R"(
extern "C" __global__ void k(int* a, char* bytes) {
  int t = threadIdx.x;
  a[t] = a[t] * 2 + 1;
  for (int i = 0; i < 4; ++i) bytes[4 * t + i] = bytes[4 * t + i] + i;
  ((int*)bytes)[t] += 7;
  ((int4*)a)[8 + t] = make_int4(t, t, t, t);
  for (int i = 0; i < 4; ++i) a[32 + 4 * t + i] += i;
  if (t % 3 == 0) a[160 + t * 5] = t;
  if (t % 3 == 0) a[160 + t * 5] += t;
}
)";
  const BufferSpec bytes{"bytes", ElementType::kI8, 128, Direction::kInOut, {Fill::Kind::kZero}};
  expect_clean(source, one_warp({zeroed_i32("a", 512), bytes}));
  // Where neighbours share a word.
  for (const auto& [own, others] :
       {std::pair("((int*)bytes)[t] +=", "((int*)bytes)[t ^ 1] +="),
        std::pair("a[32 + 4 * t + i] +=", "a[33 + 4 * t + i] +="),
        std::pair("if (t % 3 == 0) a[160 + t * 5] +=", "if (t % 3 == 1) a[155 + t * 5] +=")}) {
    const CaseRecord record =
        run(with(source, own, others), one_warp({zeroed_i32("a", 512), bytes}));
    EXPECT_EQ(record.status, CaseStatus::kFinding) << others;
  }
}

}  // namespace
}  // namespace lab::model::planted
