// Races in shared memory that blocks of a cluster reach of each other.
#include <algorithm>
#include <string>

#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

const std::string kCluster = R"(
__device__ __forceinline__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ unsigned of(const void* p, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(p)), "r"(rank));
  return there;
}
__device__ __forceinline__ float get(unsigned p) {
  float x;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(x) : "r"(p) : "memory");
  return x;
}
__device__ __forceinline__ void put(unsigned p, float x) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(p), "f"(x) : "memory");
}
__device__ __forceinline__ void add(unsigned p, unsigned x) {
  asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(p), "r"(x) : "memory");
}
__device__ __forceinline__ void arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
__device__ __forceinline__ void wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
__device__ __forceinline__ void sync() { arrive(); wait(); }
)";

Given blocks(std::uint32_t count, std::uint32_t threads, std::vector<ArgSpec> args) {
  return {.launch = {{count, 1, 1}, {threads, 1, 1}, 0}, .args = std::move(args)};
}
// The line of get() above.
const std::string kGets =
    "asm volatile(\"ld.shared::cluster.f32 %0, [%1];\" : \"=f\"(x) : \"r\"(p) : \"memory\");";

class PlantedCluster : public testing::Test {
 protected:
  static Lines found(const std::string& source, const Given& given) {
    return summary(run(kCluster + source, given));
  }
  static void clean(const std::string& source, const Given& given) {
    expect_clean(kCluster + source, given);
  }
};

const std::string kExchange = R"(
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(float* out) {
  __shared__ float s[64];
  unsigned t = threadIdx.x, rank = blockIdx.x & 1;
  s[t] = -1;
  sync();  // all have begun
  put(of(&s[t], rank ^ 1), 100 * rank + t);
  sync();  // all is there
  out[blockIdx.x * 64 + t] = s[t];
}
)";

TEST_F(PlantedCluster, AStoreToAnotherBlock) {
  const Given given = blocks(4, 64, {out_f32(256)});
  clean(kExchange, given);
  // Whichever store comes first in the text, it is one mistake; the owner's may come last.
  const CaseRecord early =
      run(kCluster + with(kExchange, "sync();  // all have begun", "__syncthreads();"), given);
  ASSERT_EQ(early.findings.size(), 1U);
  EXPECT_EQ(early.findings[0].kind, FindingKind::kClusterRace);
  EXPECT_NE(early.findings[0].message.find(
                "writes in another block of the cluster, with no cluster.sync() between"),
            std::string::npos)
      << early.findings[0].message;
  const Lines late = found(with(kExchange, "sync();  // all is there", "__syncthreads();"), given);
  EXPECT_NE(std::find(late.begin(), late.end(), "cluster_race: out[blockIdx.x * 64 + t] = s[t];"),
            late.end());
}

TEST_F(PlantedCluster, RacesWithinABlockAsEver) {
  const std::string source = R"(
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(float* out, const float* in) {
  __shared__ float s[128], mail[128];
  unsigned t = threadIdx.x, rank = blockIdx.x & 1;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  float own = s[127 - t];
  sync();
  put(of(&mail[t], rank ^ 1), own);
  sync();
  out[blockIdx.x * 128 + t] = mail[t];
}
)";
  const Given given = blocks(2, 128, {out_f32(256), in_f32(256)});
  clean(source, given);
  EXPECT_EQ(found(with(source, "__syncthreads();", ""), given),
            (Lines{"shared_race: float own = s[127 - t];"}));
  // Nobody writes what is read.
  EXPECT_EQ(found(with(source, "= mail[t]", "= mail[t] + s[t] + mail[0]"), given), Lines{});
  EXPECT_EQ(found(with(source, "put(of(&mail[t]", "if (t < 64) put(of(&mail[t]"), given),
            (Lines{"uninitialised: out[blockIdx.x * 128 + t] = mail[t];"}));
}

// Two buffers: in each step a block reads what its neighbour wrote in the last.
const std::string kSteps = R"(
extern "C" __global__ void __cluster_dims__(4, 1, 1) k(float* out) {
  __shared__ float s[2][32];
  unsigned t = threadIdx.x, rank = blockIdx.x & 3;
  s[0][t] = rank;
  sync();
  for (int i = 0; i < 6; ++i) {
    s[(i + 1) & 1][t] = get(of(&s[i & 1][t], (rank + 1) & 3)) + 1;
    sync();
  }
  out[blockIdx.x * 32 + t] = s[0][t];
}
)";

TEST_F(PlantedCluster, TwoBuffersNeedOneBarrierPerStep) {
  const Given given = blocks(8, 32, {out_f32(256)});
  clean(kSteps, given);
  const std::string step = "s[(i + 1) & 1][t] = get(of(&s[i & 1][t], (rank + 1) & 3)) + 1;";
  // One buffer: a neighbour overwrites what is being read.
  const Lines one =
      found(with(kSteps, step, "s[0][t] = get(of(&s[0][t], (rank + 1) & 3)) + 1;"), given);
  ASSERT_FALSE(one.empty());
  EXPECT_EQ(one[0].substr(0, 13), "cluster_race:");
  const Lines none = found(with(kSteps, "sync();\n  }", "__syncthreads();\n  }\n  sync();"), given);
  ASSERT_FALSE(none.empty());
  EXPECT_EQ(none[0].substr(0, 13), "cluster_race:");
}

TEST_F(PlantedCluster, WhatIsDoneBetweenArrivalAndWaitIsNotPublished) {
  const std::string source = R"(
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(float* out) {
  __shared__ float s[32], own[32];
  unsigned t = threadIdx.x, rank = blockIdx.x & 1;
  s[t] = t;
  arrive();
  own[t] = 2 * t;
  wait();
  out[blockIdx.x * 32 + t] = get(of(&s[t], rank ^ 1)) + own[t];
  sync();
}
)";
  const Given given = blocks(2, 32, {out_f32(64)});
  clean(source, given);
  EXPECT_EQ(
      found(with(with(source, "s[t] = t;", "own[t] = t;"), "own[t] = 2 * t;", "s[t] = 2 * t;"),
            given),
      (Lines{"cluster_race: " + kGets}));
}

TEST_F(PlantedCluster, AHistogramOfManyBlocks) {
  const std::string source = R"(
extern "C" __global__ void __cluster_dims__(4, 1, 1) k(int* out) {
  __shared__ unsigned bins[64];
  unsigned t = threadIdx.x, rank = blockIdx.x & 3;
  bins[t] = 0;
  sync();
  add(of(&bins[t * 7 % 64], t % 4), 1);
  atomicAdd(&bins[t], rank);
  sync();
  out[blockIdx.x * 64 + t] = bins[t];
}
)";
  const Given given = blocks(4, 64, {out_i32(256)});
  clean(source, given);
  EXPECT_EQ(
      found(with(source, "bins[t] = 0;\n  sync();", "bins[t] = 0;\n  __syncthreads();"), given)
          .at(0)
          .substr(0, 13),
      "cluster_race:");
  // Neither within the block nor between two.
  const Lines plain = found(with(source, "atomicAdd(&bins[t], rank);", "bins[t] += rank;"), given);
  EXPECT_NE(std::find(plain.begin(), plain.end(), "shared_race: bins[t] += rank;"), plain.end());
  EXPECT_TRUE(std::any_of(plain.begin(), plain.end(), [](const std::string& line) {
    return line.starts_with("cluster_race");
  }));
}

TEST_F(PlantedCluster, EveryoneReadsATableOfTheFirst) {
  const std::string source = R"(
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(float* out) {
  __shared__ float table[64];
  unsigned t = threadIdx.x, rank = blockIdx.x & 1;
  if (rank == 0) table[t] = t;
  sync();
  float sum = get(of(&table[63 - t], 0));
  if (rank == 0) sum += table[t];
  out[blockIdx.x * 64 + t] = sum;
  sync();  // the first outlives the others
}
)";
  const Given given = blocks(2, 64, {out_f32(128)});
  clean(source, given);
  EXPECT_EQ(found(with(source, "sync();  // the first outlives the others", ""), given),
            (Lines{"out_of_bounds: " + kGets}));
}

}  // namespace
}  // namespace lab::model::planted
