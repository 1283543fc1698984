// Kernels with one planted mistake each are reported at their line; the same kernels without it
// report nothing.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compile/nvrtc.h"
#include "harness/core/text.h"
#include "harness/model/case/backend.h"

namespace lab::model {
namespace {

struct Given {
  std::string kernel = "k";
  Launch launch = {{1, 1, 1}, {64, 1, 1}, 0};
  std::vector<ArgSpec> args = {};
  Checks checks = Checks::kAuto;
  int threads = 2;
};

BufferSpec out_f32(std::uint64_t count) {
  return {"out", ElementType::kF32, count, Direction::kOut};
}
BufferSpec in_f32(std::uint64_t count) {
  return {"in", ElementType::kF32, count, Direction::kIn, {Fill::Kind::kIota}};
}

CaseRecord run(const std::string& source, const Given& given) {
  BatchRequest batch;
  batch.source = {"planted.cu", source};
  batch.checks = given.checks;
  batch.threads = given.threads;
  batch.timeout_s = 20;
  CaseRequest request;
  request.probe = ProbeSpec{given.kernel, given.launch, given.args};
  batch.cases.push_back(request);
  CaseRecord record;
  BatchSink sink;
  sink.environment = [](const std::string&, const std::string&) {};
  sink.finished = [&](CaseOutcome outcome) { record = std::move(outcome.record); };
  sink.progress = [](int, double) {};
  sink.cancelled = [] { return false; };
  Backend backend([](const CompileRequest& r) { return compile::nvrtc_compile(r); }, {});
  backend.run(batch, sink);
  return record;
}

/// kind and source line of each finding: "shared_race: out[i] = tile[63 - i];".
std::vector<std::string> summary(const CaseRecord& record) {
  std::vector<std::string> lines;
  for (const Finding& f : record.findings) {
    lines.push_back(std::string(name_of(f.kind)) + ": " + f.source);
  }
  return lines;
}
using Lines = std::vector<std::string>;

void expect_clean(const std::string& source, const Given& given) {
  const CaseRecord record = run(source, given);
  EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
  EXPECT_EQ(summary(record), Lines{});
  EXPECT_EQ(record.notes.at("checkers"), "full");
}

/// Replaces the one `what` in `text`.
std::string with(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

const std::string kReverse = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  tile[i] = in[i];
  __syncthreads();
  out[i] = tile[63 - i];
}
)";

TEST(Planted, MissingBarrierIsARaceOfBothLines) {
  const Given given{.args = {out_f32(64), in_f32(64)}};
  expect_clean(kReverse, given);
  const CaseRecord record = run(with(kReverse, "__syncthreads();", ""), given);
  EXPECT_EQ(record.status, CaseStatus::kFinding);
  // Warp 0 writes words 0..31 and reads 32..63, which warp 1 writes later; warp 1 then reads what
  // warp 0 has written. That is one mistake: 32 + 32 words, and none that nobody writes.
  EXPECT_EQ(summary(record), (Lines{"shared_race: out[i] = tile[63 - i];"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].message,
            "race at byte 128 of shared memory: line 5 writes, line 7 reads in another warp, with "
            "no __syncthreads() between");
  // Word 32 is read by thread 31.
  EXPECT_EQ(record.findings[0].thread, (Dim3{31, 0, 0}));
  EXPECT_EQ(record.findings[0].address, 128U);
  EXPECT_EQ(record.findings[0].count, 64U);
}

TEST(Planted, WhatNobodyWritesIsAMistakeBesideTheRace) {
  // Word 63 has no writer: a barrier would not help it.
  const std::string source = with(with(kReverse, "__syncthreads();", ""), "tile[i] = in[i];",
                                  "if (i < 63) tile[i] = in[i];");
  EXPECT_EQ(
      summary(run(source, {.args = {out_f32(64), in_f32(64)}})),
      (Lines{"uninitialised: out[i] = tile[63 - i];", "shared_race: out[i] = tile[63 - i];"}));
}

TEST(Planted, OneMissingBarrierIsOneFinding) {
  // A tiled product: 2 stores and 2 * 8 loads race with each other in one place.
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float a[8][8], b[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  a[y][x] = in[y * 8 + x];
  b[y][x] = in[x * 8 + y];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    sum += a[y][k] *
           b[k][x];
  }
  out[y * 8 + x] = sum;
}
)";
  const Given given{.launch = {{1, 1, 1}, {8, 8, 1}, 0}, .args = {out_f32(64), in_f32(64)}};
  expect_clean(source, given);
  const CaseRecord record = run(with(source, "__syncthreads();", ""), given);
  ASSERT_EQ(record.findings.size(), 1U);
  // a's rows are of one warp (rows 0 to 3) or the other: only b is read across. All of a's are
  // read by their own warp's other lanes.
  EXPECT_NE(record.findings[0].message.find(": line 6 writes, line 11 reads in another warp, with "
                                            "no __syncthreads() between. The same orders lines "),
            std::string::npos)
      << record.findings[0].message;
  EXPECT_NE(record.findings[0].message.find("5 and 10"), std::string::npos)
      << record.findings[0].message;
}

TEST(Planted, ASecondBarrierIsMissingInALoop) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  float sum = 0;
  for (int step = 0; step < 4; ++step) {
    tile[i] = in[step * 64 + i];
    __syncthreads();
    sum += tile[63 - i];
    __syncthreads();
  }
  out[i] = sum;
}
)";
  const Given given{.args = {out_f32(64), in_f32(256)}};
  expect_clean(source, given);
  const std::string broken =
      with(source, "sum += tile[63 - i];\n    __syncthreads();", "sum += tile[63 - i];");
  // The next round's write is not ordered with this round's read, though there is a barrier between
  // the two lines.
  for (const std::string& source_text :
       {broken, with(broken, "for (int", "#pragma unroll 1\n  for (int")}) {
    const CaseRecord record = run(source_text, given);
    EXPECT_EQ(summary(record), (Lines{"shared_race: tile[i] = in[step * 64 + i];"}));
    ASSERT_EQ(record.findings.size(), 1U);
    const int first = source_text == broken ? 7 : 8;
    EXPECT_NE(record.findings[0].message.find(
                  "line " + std::to_string(first + 2) + " reads, line " + std::to_string(first) +
                  " writes in another warp in the loop's next round, with no __syncthreads() "
                  "between (that of line " +
                  std::to_string(first + 1) + " orders them within one round)"),
              std::string::npos)
        << record.findings[0].message;
  }
}

Given blocks(std::uint32_t count, std::vector<ArgSpec> args) {
  return {.launch = {{count, 1, 1}, {64, 1, 1}, 0}, .args = std::move(args), .threads = 1};
}
BufferSpec zeroed_i32(const std::string& name, std::uint64_t count) {
  return {name, ElementType::kI32, count, Direction::kInOut, {Fill::Kind::kZero}};
}

TEST(Planted, BlocksThatWriteDifferentValuesToOneWord) {
  const std::string source = R"(
extern "C" __global__ void k(int* out) {
  if (threadIdx.x == 0) out[1] = blockIdx.x;
}
)";
  const CaseRecord record = run(source, blocks(3, {zeroed_i32("out", 2)}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].kind, FindingKind::kGlobalRace);
  EXPECT_EQ(record.findings[0].message,
            "race at byte 4 of 'out': line 3 writes different values in several blocks at once");
  EXPECT_EQ(record.findings[0].count, 2U);  // blocks 1 and 2
  // One value from all of them is not a mistake, and neither are atomics.
  expect_clean(with(source, "= blockIdx.x", "= 7"), blocks(3, {zeroed_i32("out", 2)}));
  expect_clean(with(source, "out[1] = blockIdx.x", "atomicAdd(&out[1], blockIdx.x)"),
               blocks(3, {zeroed_i32("out", 2)}));
}

TEST(Planted, ABlockReadsWhatAnotherWrites) {
  const std::string source = R"(
extern "C" __global__ void k(int* out, int* tmp) {
  int i = blockIdx.x * 64 + threadIdx.x;
  tmp[i] = i;
  __syncthreads();
  out[i] = tmp[(i + 64) % 256];
}
)";
  const CaseRecord record =
      run(source, blocks(4, {zeroed_i32("out", 256), zeroed_i32("tmp", 256)}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_NE(
      record.findings[0].message.find(
          "of 'tmp': line 4 writes, line 6 reads in another block, and nothing orders the two"),
      std::string::npos)
      << record.findings[0].message;
  EXPECT_EQ(record.findings[0].count, 256U);
  // Within a block the barrier orders them.
  const std::string own = with(source, "(i + 64) % 256", "i ^ 63");
  expect_clean(own, blocks(4, {zeroed_i32("out", 256), zeroed_i32("tmp", 256)}));
  const CaseRecord without = run(with(own, "__syncthreads();", ""),
                                 blocks(4, {zeroed_i32("out", 256), zeroed_i32("tmp", 256)}));
  ASSERT_EQ(without.findings.size(), 1U);
  EXPECT_EQ(without.findings[0].message,
            "race at byte 128 of 'tmp': line 4 writes, line 6 reads in another warp, with no "
            "__syncthreads() between");
}

// The last block to finish adds what all blocks have left: a fence, then a ticket.
TEST(Planted, AFenceAndATicketOrderBlocks) {
  const std::string source = R"(
extern "C" __global__ void k(int* out, int* part, int* ticket) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    last = atomicAdd(ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x > 0) return;
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += part[i];
  out[0] = sum;
}
)";
  const auto given = [] {
    return blocks(8, {zeroed_i32("out", 1), zeroed_i32("part", 8), zeroed_i32("ticket", 1)});
  };
  expect_clean(source, given());
  const CaseRecord record = run(with(source, "__threadfence();", ""), given());
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_NE(record.findings[0].message.find("line 5 writes, line 12 reads in another block"),
            std::string::npos)
      << record.findings[0].message;
}

TEST(Planted, OffByOneStore) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1.0f;
}
)";
  const Given given{.launch = {{2, 1, 1}, {64, 1, 1}, 0}, .args = {out_f32(100), scalar_i32(100)}};
  expect_clean(source, given);
  const CaseRecord record = run(with(source, "i < n", "i <= n"), given);
  EXPECT_EQ(summary(record), (Lines{"out_of_bounds: if (i <= n) out[i] = 1.0f;"}));
  ASSERT_EQ(record.findings.size(), 1U);
  // Element 100 is byte 400; thread 36 of block 1.
  EXPECT_EQ(record.findings[0].block, (Dim3{1, 0, 0}));
  EXPECT_EQ(record.findings[0].thread, (Dim3{36, 0, 0}));
  EXPECT_NE(record.findings[0].message.find("it begins at byte 400 of 'out' (400 bytes)"),
            std::string::npos)
      << record.findings[0].message;
  EXPECT_EQ(record.findings[0].kernel, "k");
}

TEST(Planted, OffByOneInSharedAndLocalMemory) {
  const CaseRecord shared = run(with(kReverse, "tile[i] = in[i];", "tile[i + 1] = in[i];"),
                                {.args = {out_f32(64), in_f32(64)}});
  ASSERT_FALSE(shared.findings.empty());
  EXPECT_EQ(shared.findings[0].message,
            "out-of-bounds write of 4 bytes in shared memory: byte 256 of the block's 256");
  const std::string source = R"(
extern "C" __global__ void k(int* out, int n, int at) {
  volatile int own[16];
  for (int i = 0; i < n; ++i) own[i] = i;
  out[threadIdx.x] = own[at];
}
)";
  const Given fits{.args = {BufferSpec{"out", ElementType::kI32, 64, Direction::kOut},
                            scalar_i32(16), scalar_i32(3)}};
  expect_clean(source, fits);
  Given beyond = fits;
  beyond.args[1] = scalar_i32(17);
  EXPECT_EQ(summary(run(source, beyond)),
            (Lines{"out_of_bounds: for (int i = 0; i < n; ++i) own[i] = i;"}));
}

TEST(Planted, DivergentBarrier) {
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

TEST(Planted, MisalignedFloat4) {
  const std::string source = R"(
extern "C" __global__ void k(float4* out, const float* in) {
  out[threadIdx.x] = *(const float4*)(in + 4 * threadIdx.x);
}
)";
  const Given given{.launch = {{1, 1, 1}, {32, 1, 1}, 0}, .args = {out_f32(128), in_f32(132)}};
  expect_clean(source, given);
  const CaseRecord record = run(with(source, "in + 4 *", "in + 1 + 4 *"), given);
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].kind, FindingKind::kMisaligned);
  EXPECT_EQ(record.findings[0].line, 3);
  EXPECT_EQ(record.findings[0].count, 32U);
  EXPECT_EQ(record.findings[0].address % 16, 4U);
}

TEST(Planted, UninitialisedTile) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* in) {
  extern __shared__ float tile[];
  int i = threadIdx.x;
  if (i < 48) tile[i] = in[i];
  __syncthreads();
  out[i] = tile[i];
}
)";
  const Given given{.launch = {{3, 1, 1}, {64, 1, 1}, 256}, .args = {out_f32(64), in_f32(64)}};
  expect_clean(with(source, "if (i < 48) ", ""), given);
  const CaseRecord record = run(source, given);
  EXPECT_EQ(summary(record), (Lines{"uninitialised: out[i] = tile[i];"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].thread, (Dim3{48, 0, 0}));
  EXPECT_EQ(record.findings[0].block, (Dim3{0, 0, 0}));
  EXPECT_EQ(record.findings[0].count, 3U * 16U);  // every block's tile is a new one
}

TEST(Planted, UninitialisedGlobalBuffer) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = i;
  out[i] += 1.0f;
}
)";
  expect_clean(source, {.args = {out_f32(64), scalar_i32(64)}});
  const CaseRecord record = run(source, {.args = {out_f32(64), scalar_i32(60)}});
  EXPECT_EQ(summary(record), (Lines{"uninitialised: out[i] += 1.0f;"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].message,
            "read of 4 bytes at byte 240 of 'out', which nobody has written");
  EXPECT_EQ(record.findings[0].count, 4U);
}

TEST(Planted, AtomicsReadWhatTheyUpdate) {
  const std::string source = R"(
extern "C" __global__ void k(int* out) {
  atomicAdd(out, 1);
}
)";
  const BufferSpec poisoned{"out", ElementType::kI32, 1, Direction::kOut};
  BufferSpec zeroed = poisoned;
  zeroed.fill.kind = Fill::Kind::kZero;
  expect_clean(source, {.args = {zeroed}});
  const CaseRecord record = run(source, {.args = {poisoned}});
  EXPECT_EQ(summary(record), (Lines{"uninitialised: atomicAdd(out, 1);"}));
  expect_clean(with(source, "atomicAdd(out, 1)", "atomicExch(out, 1)"), {.args = {poisoned}});
}

TEST(Planted, SpinLockWithinAWarpRunsToItsEnd) {
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

TEST(Planted, WaitingForWhatNobodyDoesMakesNoProgress) {
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

const std::string kWarpSum = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float part[32];
  int i = threadIdx.x;
  part[i] = in[i];
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    float other = part[(i + half) % 32];
    __syncwarp();
    part[i] += other;
    __syncwarp();
  }
  out[i] = part[i];
}
)";

TEST(Planted, MissingSyncwarp) {
  const Given given{.launch = {{1, 1, 1}, {32, 1, 1}, 0}, .args = {out_f32(32), in_f32(32)}};
  expect_clean(kWarpSum, given);
  const CaseRecord record =
      run(with(kWarpSum, "part[i] = in[i];\n  __syncwarp();", "part[i] = in[i];"), given);
  // The first round reads what other lanes wrote just before.
  EXPECT_EQ(summary(record), (Lines{"shared_race: float other = part[(i + half) % 32];"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].message,
            "race at byte 64 of shared memory: line 5 writes, line 7 reads in another lane of the "
            "warp, with neither __syncwarp() nor __syncthreads() between");
}

TEST(Planted, SyncwarpOfHalfAWarp) {
  // Each half reverses its own 16 words: __syncwarp() of the half is enough.
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float part[32];
  int i = threadIdx.x;
  part[i] = in[i];
  unsigned half = i < 16 ? 0xffffu : 0xffff0000u;
  if (i < 16) __syncwarp(half); else __syncwarp(half);
  out[i] = part[i ^ 15];
}
)";
  const Given given{.launch = {{1, 1, 1}, {32, 1, 1}, 0}, .args = {out_f32(32), in_f32(32)}};
  expect_clean(source, given);
  // Reversing all 32 needs all of them.
  EXPECT_EQ(summary(run(with(source, "i ^ 15", "i ^ 31"), given)),
            (Lines{"shared_race: out[i] = part[i ^ 31];"}));
}

TEST(Planted, LanesThatWriteDifferentValuesToOneWord) {
  const std::string source = R"(
extern "C" __global__ void k(int* out) {
  __shared__ int flag;
  flag = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = flag;
}
)";
  const Given given{.launch = {{1, 1, 1}, {32, 1, 1}, 0},
                    .args = {BufferSpec{"out", ElementType::kI32, 32, Direction::kOut}}};
  const CaseRecord record = run(source, given);
  EXPECT_EQ(summary(record), (Lines{"shared_race: flag = threadIdx.x;"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].message,
            "race at byte 0 of shared memory: line 4 writes different values in several threads at "
            "once");
  // One value from all of them is not a mistake, within a warp or across warps.
  expect_clean(with(source, "flag = threadIdx.x", "flag = 7"), given);
  Given wide = given;
  wide.launch.block = {128, 1, 1};
  wide.args = {BufferSpec{"out", ElementType::kI32, 128, Direction::kOut}};
  expect_clean(with(source, "flag = threadIdx.x", "flag = 7"), wide);
}

TEST(Planted, NeighbouringBytesAreNoRace) {
  const std::string source = R"(
extern "C" __global__ void k(unsigned char* out) {
  __shared__ unsigned char tile[128];
  int i = threadIdx.x;
  tile[i ^ 32] = (unsigned char)i;
  __syncthreads();
  out[i] = tile[i];
}
)";
  expect_clean(source, {.launch = {{1, 1, 1}, {128, 1, 1}, 0},
                        .args = {BufferSpec{"out", ElementType::kU8, 128, Direction::kOut}}});
}

TEST(Planted, ShuffleInADivergentBranchNamesAbsentLanes) {
  const std::string source = R"(
extern "C" __global__ void k(int* out) {
  int i = threadIdx.x;
  int v = i;
  if (i < 16) v = __shfl_xor_sync(0xffffffff, v, 1);
  out[i] = v;
}
)";
  const Given given{.launch = {{1, 1, 1}, {32, 1, 1}, 0},
                    .args = {BufferSpec{"out", ElementType::kI32, 32, Direction::kOut}}};
  const CaseRecord record = run(source, given);
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].kind, FindingKind::kInvalidWarpOperation);
  EXPECT_EQ(record.findings[0].line, 5);
  EXPECT_EQ(record.findings[0].message,
            "the mask of a warp-wide operation names lane 16, which does not execute it with the "
            "others");
  expect_clean(with(source, "0xffffffff", "0xffff"), given);
}

TEST(Planted, ACallThroughAPointerThatIsNoFunction) {
  const std::string source = R"(
typedef float (*Function)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ Function table[1] = {twice};
extern "C" __global__ void k(float* out, Function given) {
  Function f = threadIdx.x == 5 ? given : table[0];
  out[threadIdx.x] = f(1.0f);
}
)";
  // What the host has for a function's address is none of the kernel's.
  const CaseRecord record =
      run(source, {.args = {out_f32(64), ScalarSpec{ElementType::kU64, 0x1234}}});
  EXPECT_EQ(summary(record), (Lines{"invalid_call: out[threadIdx.x] = f(1.0f);"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].line, 7);
  EXPECT_EQ(record.findings[0].thread, (Dim3{5, 0, 0}));
  EXPECT_EQ(
      record.findings[0].message,
      "a call through the pointer 0x1234, which is not a function with this call's parameters "
      "and results");
}

// Another kernel of the file does what cannot run: that is not this one's matter.
TEST(Planted, WhatOtherKernelsDoIsNotRefused) {
  const std::string source = R"(
__device__ __noinline__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
extern "C" __global__ void recursive(float* out) { out[threadIdx.x] = f(threadIdx.x); }
extern "C" __global__ void k(float* out) { out[threadIdx.x] = 1; }
)";
  expect_clean(source, {.args = {out_f32(64)}});
}

// What cannot run is refused before anything runs, by name, with the line of the source.
TEST(Planted, WhatIsNotModelledIsRefusedAtItsLine) {
  const auto reason = [](const std::string& source) {
    const CaseRecord record = run(source, {.args = {out_f32(64)}});
    EXPECT_EQ(record.status, CaseStatus::kRefused);
    EXPECT_EQ(summary(record), Lines{});
    // The folder is the test's; the line in the PTX is the compiler's choice, the source's is not.
    const std::size_t from = record.reason.find("planted.cu");
    EXPECT_NE(from, std::string::npos) << record.reason;
    return record.reason.substr(from, record.reason.find(" (in '") - from);
  };
  EXPECT_EQ(reason(R"(
__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
extern "C" __global__ void k(float* out) { out[threadIdx.x] = f(threadIdx.x); }
)"),
            "planted.cu:2: '_Z1fi' calls itself: recursion is not modelled");
  EXPECT_EQ(reason(R"(
extern "C" __global__ void k(float* out) {
  float* own = static_cast<float*>(malloc(16));
  own[1] = 1;
  out[threadIdx.x] = own[1];
  free(own);
}
)"),
            "planted.cu:3: 'malloc' is not defined: a call of it is not modelled");
  EXPECT_EQ(reason(R"(
extern "C" __global__ void k(unsigned* out) {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  out[threadIdx.x] = rank;
}
)"),
            "planted.cu:4: registers of clusters and of performance monitors are not modelled");
  EXPECT_EQ(reason(R"(
extern "C" __global__ void k(unsigned* out) {
  unsigned d0, d1, z = 0;
#define MMA "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16"
  asm volatile(MMA " {%0,%1,%0,%1}, {%2,%2}, {%2,%2}, {%2,%2,%2,%2};" : "=r"(d0), "=r"(d1) : "r"(z));
  out[threadIdx.x] = d0 + d1;
}
)"),
            "planted.cu:5: the instruction 'mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 "
            "{%r1,%r2,%r1,%r2}, {%r3,%r3}, {%r3,%r3}, {%r3,%r3,%r3,%r3};' is not modelled: not in "
            "this shape with these types");
}

TEST(Planted, AHistogramWithAtomicsIsClean) {
  const std::string source = R"(
extern "C" __global__ void k(int* out, const float* in) {
  __shared__ int bins[16];
  int i = threadIdx.x;
  if (i < 16) bins[i] = 0;
  __syncthreads();
  atomicAdd(&bins[(int)in[i] % 16], 1);
  __syncthreads();
  if (i < 16) out[i] = bins[i];
}
)";
  expect_clean(source,
               {.launch = {{1, 1, 1}, {256, 1, 1}, 0},
                .args = {BufferSpec{"out", ElementType::kI32, 16, Direction::kOut}, in_f32(256)}});
}

TEST(Planted, CheckersThatCostAreLeftOutOfLargeLaunches) {
#ifdef LAB_SANITIZED
  GTEST_SKIP() << "a large launch takes a sanitizer 16 s";
#endif
  const std::string source = R"(
extern "C" __global__ void k(float* out, int n) {
  float x = 0;
  for (int i = 0; i < n; ++i) x = x * 0.5f + out[threadIdx.x];
  if (x == 123.0f) out[0] = x;
}
)";
  // 400 blocks of 1 warp, 500 rounds of at least 2 instructions: some 1e6, then 5e7 and more.
  Given given{.launch = {{400, 1, 1}, {32, 1, 1}, 0}, .args = {out_f32(32), scalar_i32(500)}};
  EXPECT_EQ(run(source, given).notes.at("checkers"), "full");
  given.args[1] = scalar_i32(60000);
  EXPECT_EQ(run(source, given).notes.at("checkers"), "basic");
  given.args[1] = scalar_i32(500);
  given.checks = Checks::kOff;
  EXPECT_EQ(run(source, given).notes.at("checkers"), "basic");
  EXPECT_EQ(run(source, given).findings.size(), 0U);
}

}  // namespace
}  // namespace lab::model
