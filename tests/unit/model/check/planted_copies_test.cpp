// Copies that run beside the threads (cp.async, cp.async.bulk): what is used before they are
// complete, and what waits for them as it must.
#include <string>

#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

// As cuda_pipeline.h and cuda/ptx have them.
const std::string kCopies = R"(
__device__ __forceinline__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void copy4(void* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ __forceinline__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
__device__ __forceinline__ void wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }
using Barrier = unsigned long long;
__device__ __forceinline__ void init(Barrier* b, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(count) : "memory");
}
__device__ __forceinline__ void arrive(Barrier* b) {
  asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at(b)) : "memory");
}
__device__ __forceinline__ void expect(Barrier* b, int bytes) {
  asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(at(b)),
               "r"(bytes) : "memory");
}
__device__ __forceinline__ void copies_arrive(Barrier* b) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(b)) : "memory");
}
__device__ __forceinline__ void wait_for(Barrier* b, int parity) {
  int done = 0;
  while (!done) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
  }
}
__device__ __forceinline__ void load(void* to, const float* from, int bytes, Barrier* b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               ::"r"(at(to)), "l"(from), "r"(bytes), "r"(at(b)) : "memory");
}
__device__ __forceinline__ void store(float* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ __forceinline__ void bulk_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ __forceinline__ void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
)";

Given threads(std::uint32_t count, std::vector<ArgSpec> args) {
  return {.launch = {{1, 1, 1}, {count, 1, 1}, 0}, .args = std::move(args)};
}
class PlantedCopies : public testing::Test {
 protected:
  static Lines found(const std::string& source, const Given& given) {
    return summary(run(kCopies + source, given));
  }
  static void clean(const std::string& source, const Given& given) {
    expect_clean(kCopies + source, given);
  }
};

const std::string kTwoStages = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float s[2][128];
  int t = threadIdx.x;
  copy4(&s[0][t], &in[t]);
  commit();
  float sum = 0;
  for (int i = 0; i < 8; ++i) {
    if (i < 7) copy4(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t]);
    commit();
    wait<1>();
    __syncthreads();  // all have come
    sum += s[i & 1][127 - t];
    __syncthreads();  // all have read
  }
  out[t] = sum;
}
)";
const std::string kReadsStage = "sum += s[i & 1][127 - t];";

TEST_F(PlantedCopies, TwoStages) {
  const Given given = threads(128, {out_f32(128), in_f32(1024)});
  clean(kTwoStages, given);
  // One group too many is left under way: the one that is read.
  EXPECT_EQ(found(with(kTwoStages, "wait<1>", "wait<2>"), given),
            (Lines{"unwaited_copy: " + kReadsStage}));
  EXPECT_EQ(found(with(kTwoStages, "wait<1>();", ""), given),
            (Lines{"unwaited_copy: " + kReadsStage}));
  // Threads wait for their own copies alone.
  EXPECT_EQ(found(with(kTwoStages, "__syncthreads();  // all have come", ""), given),
            (Lines{"shared_race: " + kReadsStage}));
  // The stage is copied to while slow warps still read it.
  const Lines overwritten =
      found(with(kTwoStages, "__syncthreads();  // all have read", ""), given);
  ASSERT_EQ(overwritten.size(), 1U);
  EXPECT_EQ(overwritten[0].substr(0, 12), "shared_race:");
  // The copy is committed only behind the wait, which leaves the one before under way.
  EXPECT_EQ(
      found(with(kTwoStages, "commit();\n    wait<1>();", "wait<1>();\n    commit();"), given),
      (Lines{"unwaited_copy: " + kReadsStage}));
}

const std::string kThreeStages = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float s[3][128];
  int t = threadIdx.x;
  for (int i = 0; i < 2; ++i) {
    copy4(&s[i][t], &in[i * 128 + t]);
    commit();
  }
  float sum = 0;
  for (int i = 0; i < 8; ++i) {
    wait<1>();
    __syncthreads();
    if (i < 6) copy4(&s[(i + 2) % 3][t], &in[(i + 2) * 128 + t]);
    commit();
    sum += s[i % 3][127 - t];
  }
  out[t] = sum;
}
)";

TEST_F(PlantedCopies, ThreeStagesNeedOneBarrierPerRound) {
  const Given given = threads(128, {out_f32(128), in_f32(1024)});
  clean(kThreeStages, given);
  // Others have waited, but behind the barrier.
  for (const std::string& one : found(with(kThreeStages, "wait<1>();\n    __syncthreads();",
                                           "__syncthreads();\n    wait<1>();"),
                                      given)) {
    EXPECT_EQ(one, "shared_race: sum += s[i % 3][127 - t];");
  }
  // The stage that this round reads.
  const Lines stage = found(with(kThreeStages, "s[(i + 2) % 3]", "s[(i + 3) % 3]"), given);
  EXPECT_EQ(stage, (Lines{"unwaited_copy: sum += s[i % 3][127 - t];"}));
}

TEST_F(PlantedCopies, AThreadSeesItsOwnCopyBehindItsWait) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, float* in) {
  __shared__ float s[32];
  int t = threadIdx.x;
  copy4(&s[t], &in[t]);
  wait_all();
  in[t] = 0;
  out[t] = s[t];
}
)";
  const Given given = threads(
      32, {out_f32(32),
           BufferSpec{"in", ElementType::kF32, 32, Direction::kInOut, {Fill::Kind::kIota}}});
  clean(source, given);
  // Of what is in no group, wait_group says nothing.
  EXPECT_EQ(found(with(source, "wait_all();", "wait<0>();"), given),
            (Lines{"unwaited_copy: out[t] = s[t];"}));
  // The source changes while it is copied.
  EXPECT_EQ(found(with(source, "wait_all();\n  in[t] = 0;", "in[t] = 0;\n  wait_all();"), given),
            (Lines{"unwaited_copy: in[t] = 0;"}));
  // And the destination.
  EXPECT_EQ(found(with(source, "wait_all();", "s[t] = 1; wait_all();"), given),
            (Lines{"unwaited_copy: s[t] = 1; wait_all();"}));
}

TEST_F(PlantedCopies, LanesWaitForThemselves) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float s[32];
  int t = threadIdx.x;
  copy4(&s[t], &in[t]);
  commit();
  if (t < 16) wait<0>();
  if (t < 16) out[t] = s[t];
}
)";
  const Given given = threads(32, {out_f32(32), in_f32(32)});
  clean(source, given);
  EXPECT_EQ(found(with(source, "if (t < 16) out", "out"), given),
            (Lines{"unwaited_copy: out[t] = s[t];"}));
}

const std::string kArriving = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float s[2][128];
  __shared__ Barrier full[2], empty[2];
  int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 2; ++i) {
      init(&full[i], 128);
      init(&empty[i], 128);
    }
  }
  __syncthreads();
  if (t < 128) {
    for (int i = 0; i < 8; ++i) {
      if (i >= 2) wait_for(&empty[i & 1], (i / 2 - 1) & 1);
      copy4(&s[i & 1][t], &in[i * 128 + t]);
      copies_arrive(&full[i & 1]);
    }
  } else {
    float sum = 0;
    for (int i = 0; i < 8; ++i) {
      wait_for(&full[i & 1], i / 2 & 1);
      sum += s[i & 1][255 - t];
      arrive(&empty[i & 1]);
    }
    out[t - 128] = sum;
  }
}
)";

TEST_F(PlantedCopies, ProducersAndConsumersMeetAtMbarriers) {
  const Given given = threads(256, {out_f32(128), in_f32(1024)});
  clean(kArriving, given);
  const std::string reads = "sum += s[i & 1][255 - t];";
  // The arrival does not wait for the copy.
  EXPECT_EQ(found(with(kArriving, "copies_arrive", "arrive"), given).at(0),
            "unwaited_copy: " + reads);
  // Nobody waits for the consumers.
  EXPECT_FALSE(
      found(with(kArriving, "if (i >= 2) wait_for(&empty[i & 1], (i / 2 - 1) & 1);", ""), given)
          .empty());
  // Read before the wait.
  EXPECT_EQ(found(with(kArriving, "wait_for(&full[i & 1], i / 2 & 1);\n      " + reads,
                       reads + "\n      wait_for(&full[i & 1], i / 2 & 1);"),
                  given)
                .size(),
            1U);
}

const std::string kBulk = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ alignas(128) float s[3][128];
  __shared__ Barrier full[3], empty[3];
  int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 3; ++i) {
      init(&full[i], 1);
      init(&empty[i], 128);
    }
  }
  __syncthreads();
  if (t == 128) {
    for (int i = 0; i < 8; ++i) {
      if (i >= 3) wait_for(&empty[i % 3], (i / 3 - 1) & 1);
      expect(&full[i % 3], 512);
      load(s[i % 3], in + i * 128, 512, &full[i % 3]);
    }
  } else if (t < 128) {
    float sum = 0;
    for (int i = 0; i < 8; ++i) {
      wait_for(&full[i % 3], i / 3 & 1);
      sum += s[i % 3][127 - t];
      arrive(&empty[i % 3]);
    }
    out[t] = sum;
  }
}
)";

TEST_F(PlantedCopies, AWarpThatLoadsForTheOthers) {
  const Given given = threads(160, {out_f32(128), in_f32(1024)});
  clean(kBulk, given);
  const std::string reads = "sum += s[i % 3][127 - t];";
  EXPECT_FALSE(found(with(kBulk, "wait_for(&full[i % 3], i / 3 & 1);", ""), given).empty());
  // The first stage's mbarrier says nothing of the others.
  EXPECT_FALSE(found(with(kBulk, "wait_for(&full[i % 3], i / 3 & 1);",
                          "if (i % 3 == 0) wait_for(&full[0], i / 3 & 1);"),
                     given)
                   .empty());
  // Nor does the phase before.
  EXPECT_EQ(found(with(kBulk, "wait_for(&full[i % 3], i / 3 & 1);\n      " + reads,
                       "if (i < 3) wait_for(&full[i], 0); wait_for(&full[2], 0);\n      " + reads),
                  given)
                .size(),
            1U);
  // The next copy is made before the stage was read.
  EXPECT_FALSE(
      found(with(kBulk, "if (i >= 3) wait_for(&empty[i % 3], (i / 3 - 1) & 1);", ""), given)
          .empty());
}

TEST_F(PlantedCopies, OneThreadWaitsAndABarrierTellsTheOthers) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ alignas(128) float s[128];
  __shared__ Barrier full;
  int t = threadIdx.x;
  if (t == 0) {
    init(&full, 1);
    expect(&full, 512);
    load(s, in, 512, &full);
    wait_for(&full, 0);
  }
  __syncthreads();
  out[t] = s[t];
}
)";
  const Given given = threads(128, {out_f32(128), in_f32(128)});
  clean(source, given);
  EXPECT_EQ(found(with(source, "wait_for(&full, 0);", ""), given),
            (Lines{"unwaited_copy: out[t] = s[t];"}));
  EXPECT_EQ(found(with(source, "__syncthreads();", ""), given),
            (Lines{"unwaited_copy: out[t] = s[t];"}));
}

TEST_F(PlantedCopies, OneLaneWaitsAndTellsItsWarp) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ alignas(128) float s[32];
  __shared__ Barrier full;
  int t = threadIdx.x;
  if (t == 0) {
    init(&full, 1);
    expect(&full, 128);
    load(s, in, 128, &full);
    wait_for(&full, 0);
  }
  __syncwarp();
  out[t] = s[t];
}
)";
  const Given given = threads(32, {out_f32(32), in_f32(32)});
  clean(source, given);
  EXPECT_EQ(found(with(source, "__syncwarp();", ""), given),
            (Lines{"unwaited_copy: out[t] = s[t];"}));
}

TEST_F(PlantedCopies, BulkStoresReadWhatIsNotOverwrittenYet) {
  const std::string source = R"(
extern "C" __global__ void k(float* out) {
  __shared__ alignas(128) float s[128];
  int t = threadIdx.x;
  for (int i = 0; i < 8; ++i) {
    s[t] = i * 128 + t;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();  // all is there
    if (t == 0) {
      store(out + i * 128, s, 512);
      bulk_commit();
      bulk_read();
    }
    __syncthreads();  // all was read
  }
}
)";
  const Given given = threads(128, {out_f32(1024)});
  clean(source, given);
  EXPECT_EQ(found(with(source, "bulk_read();", ""), given),
            (Lines{"unwaited_copy: s[t] = i * 128 + t;"}));
  EXPECT_EQ(found(with(source, "bulk_commit();\n      bulk_read();",
                       "bulk_read();\n      bulk_commit();"),
                  given),
            (Lines{"unwaited_copy: s[t] = i * 128 + t;"}));
  // One missing barrier each.
  EXPECT_EQ(found(with(source, "__syncthreads();  // all was read", ""), given).size(), 1U);
  EXPECT_EQ(found(with(source, "__syncthreads();  // all is there", ""), given).size(), 1U);
}

TEST_F(PlantedCopies, WhatABulkStoreWritesIsThereBehindTheWholeWait) {
  const std::string source = R"(
extern "C" __global__ void k(float* out) {
  __shared__ alignas(128) float s[32];
  int t = threadIdx.x;
  s[t] = t;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    store(out, s, 128);
    bulk_commit();
    bulk_wait();
    out[0] = out[1];
  }
}
)";
  const Given given = threads(32, {out_f32(32)});
  clean(source, given);
  // .read: only that the source has been read.
  EXPECT_EQ(found(with(source, "bulk_wait();", "bulk_read();"), given),
            (Lines{"unwaited_copy: out[0] = out[1];"}));
  // To read it is as wrong as to write it.
  EXPECT_EQ(found(with(with(source, "bulk_wait();", "bulk_read();"), "out[0] = out[1];",
                       "out[40] = out[1];"),
                  threads(32, {out_f32(64)})),
            (Lines{"unwaited_copy: out[40] = out[1];"}));
  // Groups of cp.async are others: a wait for them says nothing of bulk copies.
  EXPECT_EQ(found(with(source, "bulk_wait();", "bulk_read();\n    wait<0>();"), given),
            (Lines{"unwaited_copy: out[0] = out[1];"}));
}

// Half of the lanes leave their copies to the mbarrier; the others' are in no group.
TEST_F(PlantedCopies, LanesLeaveTheirOwnCopiesToAnMbarrier) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float s[32];
  __shared__ Barrier full;
  int t = threadIdx.x;
  if (t == 0) init(&full, 32);
  __syncthreads();
  copy4(&s[t], &in[t]);
  if (t < 32) copies_arrive(&full);
  wait_for(&full, 0);
  out[t] = s[t];
}
)";
  const Given given = threads(32, {out_f32(32), in_f32(32)});
  clean(source, given);
  EXPECT_EQ(found(with(with(source, "(&full, 32)", "(&full, 16)"), "t < 32", "t < 16"), given),
            (Lines{"unwaited_copy: out[t] = s[t];"}));
}

// The second phase has two copies; behind a wait for the first, which is over, neither is complete.
TEST_F(PlantedCopies, AWaitForAPhaseBeforeEndsNoCopyOfTheNext) {
  const std::string source = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ alignas(128) float s[96];
  __shared__ Barrier full;
  int t = threadIdx.x;
  if (t == 0) init(&full, 1);
  __syncthreads();
  if (t == 0) {
    expect(&full, 128);
    load(s, in, 128, &full);
  }
  wait_for(&full, 0);
  if (t == 0) {
    expect(&full, 256);
    load(s + 32, in + 32, 128, &full);
  }
  __syncthreads();
  wait_for(&full, 0);
  float early = s[t];
  __syncthreads();
  if (t == 0) load(s + 64, in + 64, 128, &full);
  wait_for(&full, 1);
  out[t] = early + s[32 + t] + s[64 + t];
}
)";
  const Given given = threads(32, {out_f32(32), in_f32(96)});
  clean(source, given);
  EXPECT_EQ(found(with(source, "early = s[t]", "early = s[32 + t]"), given),
            (Lines{"unwaited_copy: float early = s[32 + t];"}));
}

}  // namespace
}  // namespace lab::model::planted
