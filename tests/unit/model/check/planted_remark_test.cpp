// Plain reads that race with atomics alone get a remark, and no status; what else races with
// atomics is a mistake.
#include <string>

#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

Given threads(std::uint32_t blocks, std::uint32_t each, std::vector<ArgSpec> args) {
  return {.launch = {{blocks, 1, 1}, {each, 1, 1}, 0}, .args = std::move(args), .threads = 1};
}
BufferSpec counted_i32(std::uint64_t count) {
  return {"x", ElementType::kI32, count, Direction::kIn, {Fill::Kind::kIota}};
}

void expect_remark(const std::string& source, const Given& given, const std::string& line) {
  const CaseRecord record = run(source, given);
  EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
  EXPECT_EQ(summary(record), Lines{});
  EXPECT_EQ(remarks(record), Lines{"stale_read: " + line});
  EXPECT_EQ(record.notes.checkers, Looked::kFull);
}

// As the programming guide has it: what was read is checked by the swap.
TEST(PlantedRemark, TheLoopAroundCompareAndSwap) {
  const std::string source = R"(
extern "C" __global__ void k(double* sum) {
  unsigned long long* p = (unsigned long long*)sum;
  unsigned long long old = *p, seen;
  do {
    seen = old;
    old = atomicCAS(p, seen, __double_as_longlong(1.0 + __longlong_as_double(seen)));
  } while (seen != old);
}
)";
  const BufferSpec sum{"sum", ElementType::kF64, 1, Direction::kInOut, {Fill::Kind::kZero}};
  expect_remark(source, threads(4, 64, {sum}), "unsigned long long old = *p, seen;");
  EXPECT_EQ(run(source, threads(4, 64, {sum})).remarks[0].message,
            "sum[0]: line 4 reads a value that may be old, as line 7 updates it at the "
            "same time; a volatile or an atomic load says so");
  expect_clean(with(source, "old = *p", "old = *(volatile unsigned long long*)p"),
               threads(4, 64, {sum}));
  EXPECT_EQ(
      remarks(run(with(source, "old = *p", "old = atomicAdd(p, 0ull)"), threads(4, 64, {sum}))),
      Lines{});
}

TEST(PlantedRemark, ALookBeforeTheAtomic) {
  const std::string source = R"(
extern "C" __global__ void k(const int* x, int* most) {
  int v = x[blockIdx.x * blockDim.x + threadIdx.x];
  if (v > *most) atomicMax(most, v);
}
)";
  const auto given = [] { return threads(4, 64, {counted_i32(256), zeroed_i32("most", 1)}); };
  expect_remark(source, given(), "if (v > *most) atomicMax(most, v);");
  EXPECT_EQ(run(source, given()).remarks[0].message,
            "most[0]: line 4 reads a value that may be old, as other threads update it at "
            "the same time; a volatile or an atomic load says so");
  // A plain write is a mistake, whatever it races with.
  EXPECT_EQ(summary(run(with(source, "atomicMax(most, v)", "*most = v"), given())).size(), 1U);
  EXPECT_EQ(summary(run(with(source, "if (v > *most)", "if (v == 200) *most = 0; else"), given())),
            (Lines{"global_race: if (v == 200) *most = 0; else atomicMax(most, v);"}));
}

TEST(PlantedRemark, AHashTableThatIsLookedAtFirst) {
  const std::string source = R"(
extern "C" __global__ void k(const int* x, int* table) {
  int key = x[blockIdx.x * blockDim.x + threadIdx.x] % 50 + 1;
  for (int at = key * 7 % 64;; at = (at + 1) % 64) {
    int seen = table[at];
    if (seen == key) return;
    if (seen == 0) {
      int old = atomicCAS(&table[at], 0, key);
      if (old == 0 || old == key) return;
    }
  }
}
)";
  expect_remark(source, threads(4, 64, {counted_i32(256), zeroed_i32("table", 64)}),
                "int seen = table[at];");
  const std::string plain =
      with(source, "int old = atomicCAS(&table[at], 0, key);", "int old = 0; table[at] = key;");
  EXPECT_EQ(summary(run(plain, threads(4, 64, {counted_i32(256), zeroed_i32("table", 64)}))).size(),
            1U);
}

// Roots are found by plain reads, and joined by compare-and-swap.
TEST(PlantedRemark, ComponentsThatAreJoined) {
  const std::string source = R"(
__device__ int root(int* parent, int i) {
  while (parent[i] != i) i = parent[i];
  return i;
}
extern "C" __global__ void k(int* parent) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a = i, b = (i + 1) % 128;
  for (;;) {
    a = root(parent, a);
    b = root(parent, b);
    if (a == b) return;
    int low = min(a, b), high = max(a, b);
    if (atomicCAS(&parent[high], high, low) == high) return;
  }
}
)";
  const BufferSpec parent{"parent", ElementType::kI32, 128, Direction::kInOut, {Fill::Kind::kIota}};
  expect_remark(source, threads(2, 64, {parent}), "while (parent[i] != i) i = parent[i];");
  const std::string plain =
      with(source, "atomicCAS(&parent[high], high, low) == high", "(parent[high] = low) == low");
  EXPECT_FALSE(summary(run(plain, threads(2, 64, {parent}))).empty());
}

TEST(PlantedRemark, SharedMemoryHasItToo) {
  const std::string source = R"(
extern "C" __global__ void k(const int* x, int* out) {
  __shared__ int most;
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  int v = x[threadIdx.x];
  if (v > most) atomicMax(&most, v);
  __syncthreads();
  if (threadIdx.x == 0) *out = most;
}
)";
  const auto given = [] { return threads(1, 128, {counted_i32(128), zeroed_i32("out", 1)}); };
  expect_remark(source, given(), "if (v > most) atomicMax(&most, v);");
  EXPECT_EQ(summary(run(with(source, "atomicMax(&most, v)", "most = v"), given())),
            (Lines{"shared_race: if (v > most) most = v;"}));
}

// Halves of two values, or a flag that the compiler reads once.
TEST(PlantedRemark, WhatIsNotReadInOnePieceOrNotWrittenByAtomicsIsAMistake) {
  const std::string wide = R"(
extern "C" __global__ void k(int* a, int* out) {
  if (blockIdx.x > 0) {
    atomicAdd(&a[threadIdx.x % 4], 1);
  } else {
    int4 all = *(int4*)a;
    out[threadIdx.x] = all.x + all.y + all.z + all.w;
  }
}
)";
  const auto given = [] { return threads(2, 32, {zeroed_i32("a", 4), zeroed_i32("out", 32)}); };
  EXPECT_EQ(summary(run(wide, given())), (Lines{"global_race: int4 all = *(int4*)a;"}));
  const std::string narrow =
      with(with(wide, "int4 all = *(int4*)a", "int2 all = *(int2*)a"), " + all.z + all.w", "");
  expect_remark(narrow, given(), "int2 all = *(int2*)a;");
  const std::string flag = R"(
extern "C" __global__ void k(int* a, int* out) {
  if (blockIdx.x > 0) {
    *(volatile int*)a = 1;
  } else {
    out[threadIdx.x] = *a;
  }
}
)";
  EXPECT_EQ(summary(run(flag, given())).size(), 1U);
}

}  // namespace
}  // namespace lab::model::planted
