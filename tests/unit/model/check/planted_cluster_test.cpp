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

// The model runs the first block first: here the second owns the table, and has not ended yet when
// it is read.
TEST_F(PlantedCluster, ABlockMayEndBeforeItIsRead) {
  const std::string source = R"(
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(float* out) {
  __shared__ float table[64];
  unsigned t = threadIdx.x, rank = blockIdx.x & 1;
  if (rank == 1) table[t] = t;
  sync();
  if (rank == 0) out[t] = get(of(&table[63 - t], 1));
  sync();  // the second outlives the first
}
)";
  const Given given = blocks(2, 64, {out_f32(64)});
  clean(source, given);
  EXPECT_EQ(found(with(source, "sync();  // the second outlives the first", ""), given),
            (Lines{"out_of_bounds: " + kGets}));
}

// Functions by which a block of a cluster sets a flag of its own and another waits for it.
const std::string kFlags = R"(
__device__ __forceinline__ void tell(unsigned flag) {
  asm volatile("red.release.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(flag) : "memory");
}
__device__ __forceinline__ void hear(const unsigned* flag, unsigned count) {
  unsigned seen = 0;
  while (seen < count) {
    asm volatile("ld.acquire.cluster.shared.u32 %0, [%1];" : "=r"(seen) : "r"(at(flag)) : "memory");
  }
}
)";

TEST_F(PlantedCluster, AFlagTellsWhatCameBeforeIt) {
  const std::string source = kFlags + R"(
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(float* out) {
  __shared__ float s[32];
  __shared__ unsigned flag;
  unsigned t = threadIdx.x, rank = blockIdx.x & 1;
  if (t == 0) flag = 0;
  sync();
  if (rank == 0) {
    s[t] = t;
    __syncthreads();
    if (t == 0) tell(of(&flag, 1));
  } else {
    hear(&flag, 1);
    out[t] = get(of(&s[t], 0));
  }
  sync();
}
)";
  const Given given = blocks(2, 32, {out_f32(32)});
  clean(source, given);
  const Lines race = {"cluster_race: " + kGets};
  EXPECT_EQ(found(with(source, "red.release.cluster", "red.relaxed.cluster"), given), race);
  // Told before it is there.
  EXPECT_EQ(found(with(with(source, "    s[t] = t;\n    __syncthreads();\n", ""),
                       "if (t == 0) tell(of(&flag, 1));",
                       "if (t == 0) tell(of(&flag, 1));\n    s[t] = t;"),
                  given),
            race);
}

// Two blocks read what the first then writes anew: it has to hear of both.
TEST_F(PlantedCluster, EachReaderIsHeard) {
  const std::string source = kFlags + R"(
extern "C" __global__ void __cluster_dims__(3, 1, 1) k(float* out) {
  __shared__ float s[32];
  __shared__ unsigned flag;
  unsigned t = threadIdx.x, rank = blockIdx.x;
  if (t == 0) flag = 0;
  s[t] = t;
  sync();
  if (rank > 0) {
    out[rank * 32 + t] = get(of(&s[t], 0));
    __syncthreads();
    if (t == 0 && rank <= 2) tell(of(&flag, 0));
  } else {
    hear(&flag, 2);
    s[t] = 2 * t;
    out[t] = s[t];
  }
  sync();
}
)";
  const Given given = blocks(3, 32, {out_f32(96)});
  clean(source, given);
  for (const char* told : {"rank <= 1", "rank == 2"}) {
    EXPECT_EQ(
        found(with(with(source, "rank <= 2", told), "hear(&flag, 2)", "hear(&flag, 1)"), given),
        (Lines{"cluster_race: s[t] = 2 * t;"}))
        << told;
  }
}

// Both others store into the first block.
TEST_F(PlantedCluster, StoresOfOneValueAreHarmless) {
  const std::string source = R"(
extern "C" __global__ void __cluster_dims__(3, 1, 1) k(float* out) {
  __shared__ float s[32];
  unsigned t = threadIdx.x, rank = blockIdx.x;
  sync();
  if (rank > 0) put(of(&s[t], 0), 7);
  sync();
  if (rank == 0) out[t] = s[t];
}
)";
  const Given given = blocks(3, 32, {out_f32(32)});
  clean(source, given);
  EXPECT_EQ(found(with(source, "0), 7)", "0), rank)"), given).at(0).substr(0, 13), "cluster_race:");
}

TEST_F(PlantedCluster, WhatTheOwnerHasReadIsNotOverwritten) {
  const std::string source = R"(
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(float* out) {
  __shared__ float s[64];
  unsigned t = threadIdx.x, rank = blockIdx.x & 1;
  s[t] = t;
  sync();
  __syncthreads();  // between two of these a block's reads race with nothing of its own
  float own = s[63 - t];
  __syncthreads();
  sync();  // both have read
  if (rank == 1) put(of(&s[t], 0), own);  // the first block runs first in the model
  sync();
  out[blockIdx.x * 64 + t] = s[t] + own;
}
)";
  const Given given = blocks(2, 64, {out_f32(128)});
  clean(source, given);
  const Lines none = found(with(source, "sync();  // both have read", ""), given);
  ASSERT_FALSE(none.empty());
  EXPECT_EQ(none[0].substr(0, 13), "cluster_race:");
}

TEST_F(PlantedCluster, ABlockThatHasEndedHasArrived) {
  const std::string source = R"(
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(float* out) {
  __shared__ float s[32];
  unsigned t = threadIdx.x, rank = blockIdx.x;
  sync();
  if (rank == 1) {
    put(of(&s[t], 0), t);
    return;
  }
  sync();
  out[t] = s[t];
}
)";
  const Given given = blocks(2, 32, {out_f32(32)});
  clean(source, given);
  // Without it the first block may end before it is written to.
  EXPECT_EQ(found(with(source, "  sync();\n  out", "  out"), given).at(0).substr(0, 14),
            "out_of_bounds:");
}

// Two warps of one block store to one place of another.
TEST_F(PlantedCluster, WarpsOfOneBlockRaceInAnother) {
  const std::string source = R"(
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(float* out) {
  __shared__ float s[32];
  unsigned t = threadIdx.x, rank = blockIdx.x;
  sync();
  if (rank == 1 && t < 32) put(of(&s[t], 0), 1);
  __syncthreads();
  if (rank == 1 && t >= 32) put(of(&s[t - 32], 0), 2);
  sync();
  if (rank == 0 && t < 32) out[t] = s[t];
}
)";
  const Given given = blocks(2, 64, {out_f32(32)});
  clean(source, given);
  EXPECT_EQ(found(with(source, "__syncthreads();", ""), given).at(0).substr(0, 13),
            "cluster_race:");
}

}  // namespace
}  // namespace lab::model::planted
