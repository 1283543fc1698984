// Values that are read before anybody has written them.
#include <string>

#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

TEST(PlantedUninitialised, UninitialisedTile) {
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

TEST(PlantedUninitialised, UninitialisedGlobalBuffer) {
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
  EXPECT_EQ(record.findings[0].message, "read of out[60], which nobody has written");
  EXPECT_EQ(record.findings[0].count, 4U);
}

// The compiler loads first and selects later: nothing depends on what lies beyond n.
TEST(PlantedUninitialised, WhatIsNotUsedMayBeRead) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int i = threadIdx.x;
  if (i < n) s[i] = in[i];
  __syncthreads();
  float m = 0.0f;
  for (int j = 0; j < 64; ++j) m += (j < n) ? s[j] : 0.0f;
  out[i] = m;
}
)";
  const Given given{.args = {out_f32(64), in_f32(64), scalar_i32(40)}};
  expect_clean(source, given);
  const CaseRecord record = run(with(source, "(j < n)", "(j <= n)"), given);
  EXPECT_EQ(summary(record), (Lines{"uninitialised: for (int j = 0; j < 64; ++j) m += (j <= n) ? "
                                    "s[j] : 0.0f;"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].message,
            "read of s[40], which nobody has written; line 9 uses "
            "the value");
  EXPECT_EQ(record.findings[0].count, 64U);  // each thread's sum
}

TEST(PlantedUninitialised, AtomicsReadWhatTheyUpdate) {
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

}  // namespace
}  // namespace lab::model::planted
