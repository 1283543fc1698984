// Accesses beyond their memory, and misaligned ones.
#include <string>

#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

TEST(PlantedBounds, OffByOneStore) {
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
  // Element 100 of 100; thread 36 of block 1.
  EXPECT_EQ(record.findings[0].block, (Dim3{1, 0, 0}));
  EXPECT_EQ(record.findings[0].thread, (Dim3{36, 0, 0}));
  EXPECT_EQ(record.findings[0].message, "writes out[100]: out has 100 elements");
  EXPECT_EQ(record.findings[0].kernel, "k");
}

TEST(PlantedBounds, OffByOneInSharedAndLocalMemory) {
  const CaseRecord shared = run(with(kReverse, "tile[i] = in[i];", "tile[i + 1] = in[i];"),
                                {.args = {out_f32(64), in_f32(64)}});
  ASSERT_FALSE(shared.findings.empty());
  EXPECT_EQ(shared.findings[0].message, "writes tile[64]: tile has 64 elements");
  const std::string source = R"(
extern "C" __global__ void k(int* out, int n, int at) {
  volatile int own[16];
  for (int i = 0; i < n; ++i) own[i] = i;
  out[threadIdx.x] = own[at];
}
)";
  const Given fits{.args = {out_i32(64), scalar_i32(16), scalar_i32(3)}};
  expect_clean(source, fits);
  Given beyond = fits;
  beyond.args[1] = scalar_i32(17);
  EXPECT_EQ(summary(run(source, beyond)),
            (Lines{"out_of_bounds: for (int i = 0; i < n; ++i) own[i] = i;"}));
}

TEST(PlantedBounds, MisalignedFloat4) {
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

}  // namespace
}  // namespace lab::model::planted
