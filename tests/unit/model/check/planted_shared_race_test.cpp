// Races in shared memory: barriers and __syncwarp() that are missing, and what is no race.
#include <string>

#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

TEST(PlantedSharedRace, MissingBarrierIsARaceOfBothLines) {
  const Given given{.args = {out_f32(64), in_f32(64)}};
  expect_clean(kReverse, given);
  const CaseRecord record = run(with(kReverse, "__syncthreads();", ""), given);
  EXPECT_EQ(record.status, CaseStatus::kFinding);
  // Warp 0 writes words 0..31 and reads 32..63, which warp 1 writes later; warp 1 then reads what
  // warp 0 has written. That is one mistake: 32 + 32 words, and none that nobody writes.
  EXPECT_EQ(summary(record), (Lines{"shared_race: out[i] = tile[63 - i];"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].message,
            "race at tile[32]: line 5 writes, line 7 reads in another warp, with "
            "no __syncthreads() between");
  // Word 32 is read by thread 31.
  EXPECT_EQ(record.findings[0].thread, (Dim3{31, 0, 0}));
  EXPECT_EQ(record.findings[0].address, 128U);
  EXPECT_EQ(record.findings[0].count, 64U);
}

TEST(PlantedSharedRace, WhatNobodyWritesIsAMistakeBesideTheRace) {
  // Word 63 has no writer: a barrier would not help it.
  const std::string source = with(with(kReverse, "__syncthreads();", ""), "tile[i] = in[i];",
                                  "if (i < 63) tile[i] = in[i];");
  EXPECT_EQ(
      summary(run(source, {.args = {out_f32(64), in_f32(64)}})),
      (Lines{"uninitialised: out[i] = tile[63 - i];", "shared_race: out[i] = tile[63 - i];"}));
}

TEST(PlantedSharedRace, OneMissingBarrierIsOneFinding) {
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
    sum += a[y][k] * b[k][x];
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
  EXPECT_NE(record.findings[0].message.find(": line 6 writes, line 10 reads in another warp, with "
                                            "no __syncthreads() between. The same orders lines "),
            std::string::npos)
      << record.findings[0].message;
  EXPECT_NE(record.findings[0].message.find("5 and 10"), std::string::npos)
      << record.findings[0].message;
}

TEST(PlantedSharedRace, ASecondBarrierIsMissingInALoop) {
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

TEST(PlantedSharedRace, MissingSyncwarp) {
  const Given given{.launch = {{1, 1, 1}, {32, 1, 1}, 0}, .args = {out_f32(32), in_f32(32)}};
  expect_clean(kWarpSum, given);
  const CaseRecord record =
      run(with(kWarpSum, "part[i] = in[i];\n  __syncwarp();", "part[i] = in[i];"), given);
  // The first round reads what other lanes wrote just before.
  EXPECT_EQ(summary(record), (Lines{"shared_race: float other = part[(i + half) % 32];"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].message,
            "race at part[16]: line 5 writes, line 7 reads in another lane of the "
            "warp, with neither __syncwarp() nor __syncthreads() between");
}

TEST(PlantedSharedRace, SyncwarpOfHalfAWarp) {
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

TEST(PlantedSharedRace, LanesThatWriteDifferentValuesToOneWord) {
  const std::string source = R"(
extern "C" __global__ void k(int* out) {
  __shared__ int flag;
  flag = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = flag;
}
)";
  const Given given{.launch = {{1, 1, 1}, {32, 1, 1}, 0}, .args = {out_i32(32)}};
  const CaseRecord record = run(source, given);
  EXPECT_EQ(summary(record), (Lines{"shared_race: flag = threadIdx.x;"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].message,
            "race at flag: line 4 writes different values in several threads at "
            "once");
  // C++ mangles the names of a kernel's own variables.
  const CaseRecord mangled = run(with(source, "extern \"C\" ", ""), given);
  ASSERT_EQ(mangled.findings.size(), 1U);
  EXPECT_TRUE(mangled.findings[0].message.starts_with("race at flag: "))
      << mangled.findings[0].message;
  // One value from all of them is not a mistake, within a warp or across warps.
  expect_clean(with(source, "flag = threadIdx.x", "flag = 7"), given);
  Given wide = given;
  wide.launch.block = {128, 1, 1};
  wide.args = {out_i32(128)};
  expect_clean(with(source, "flag = threadIdx.x", "flag = 7"), wide);
}

TEST(PlantedSharedRace, NeighbouringBytesAreNoRace) {
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

TEST(PlantedSharedRace, AHistogramWithAtomicsIsClean) {
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
  expect_clean(source, {.launch = {{1, 1, 1}, {256, 1, 1}, 0}, .args = {out_i32(16), in_f32(256)}});
}

}  // namespace
}  // namespace lab::model::planted
