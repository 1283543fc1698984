// Kernels that copy beside their threads, as cuda_pipeline.h, cuda::pipeline, cuda::barrier and cooperative groups have it.
// The line above a kernel says how it is launched; `finding: KIND` stands at the line where it has to be told, and kernels
// without one are right.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// launch: --grid 1 --block 32,8 --arg f32[256]=iota --arg f32[32]=iota --arg f32[256]=zero
extern "C" __global__ void async_no_wait(const float* in, const float* b, float* out) {
  __shared__ float s[32];
  int x = threadIdx.x, y = threadIdx.y;
  if (y == 0) {
    __pipeline_memcpy_async(&s[x], &b[x], 4);
    __pipeline_commit();
  }
  __syncthreads();
  out[y * 32 + x] = in[y * 32 + x] + s[x];  // finding: unwaited_copy
}

// launch: --grid 1 --block 32,8 --arg f32[256]=iota --arg f32[32]=iota --arg f32[256]=zero
extern "C" __global__ void async_waits(const float* in, const float* b, float* out) {
  __shared__ float s[32];
  int x = threadIdx.x, y = threadIdx.y;
  if (y == 0) {
    __pipeline_memcpy_async(&s[x], &b[x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  __syncthreads();
  out[y * 32 + x] = in[y * 32 + x] + s[x];
}

// launch: --grid 1 --block 128 --arg f32[512]=iota --arg f32[512]=zero --arg 4
extern "C" __global__ void async_commit_late(const float* in, float* out, int n) {
  __shared__ float s[2][128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) __pipeline_memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], 4);
    out[i * 128 + t] = s[i & 1][t];  // finding: unwaited_copy
    __pipeline_wait_prior(0);
    __pipeline_commit();
  }
}

// launch: --grid 1 --block 128 --arg f32[512]=iota --arg f32[512]=zero --arg 4
extern "C" __global__ void async_commit_early(const float* in, float* out, int n) {
  __shared__ float s[2][128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) __pipeline_memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], 4);
    __pipeline_commit();
    out[i * 128 + t] = s[i & 1][t];
    __pipeline_wait_prior(0);
  }
}

// launch: --grid 1 --block 256 --arg f32[256]=iota --arg f32[256]=zero
extern "C" __global__ void bulk_no_wait(const float* in, float* out) {
  __shared__ alignas(16) float s[256];
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0) cuda::memcpy_async(s, in, cuda::aligned_size_t<16>(1024), bar);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];  // finding: unwaited_copy
}

// launch: --grid 1 --block 256 --arg f32[256]=iota --arg f32[256]=zero
extern "C" __global__ void bulk_waits(const float* in, float* out) {
  __shared__ alignas(16) float s[256];
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0) cuda::memcpy_async(s, in, cuda::aligned_size_t<16>(1024), bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = s[threadIdx.x];
}

// launch: --grid 1 --block 128 --arg f32[128]=zero --arg f32[1024]=iota --arg 8
extern "C" __global__ void thread_pipeline(float* out, const float* in, int n) {
  __shared__ float s[2][128];
  const int t = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&s[0][t], &in[t], cuda::aligned_size_t<4>(4), pipe);
  pipe.producer_commit();
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], cuda::aligned_size_t<4>(4), pipe);
      pipe.producer_commit();
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    } else {
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    __syncthreads();
    sum += s[i & 1][127 - t];
    __syncthreads();
    pipe.consumer_release();
  }
  out[t] = sum;
}

// launch: --grid 1 --block 128 --arg f32[128]=zero --arg f32[1024]=iota --arg 8
extern "C" __global__ void thread_pipeline_one_too_many(float* out, const float* in, int n) {
  __shared__ float s[2][128];
  const int t = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&s[0][t], &in[t], cuda::aligned_size_t<4>(4), pipe);
  pipe.producer_commit();
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], cuda::aligned_size_t<4>(4), pipe);
      pipe.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<1>(pipe);  // the last round's copy is the newest
    __syncthreads();
    sum += s[i & 1][127 - t];  // finding: unwaited_copy
    __syncthreads();
    pipe.consumer_release();
  }
  out[t] = sum;
}

// launch: --grid 1 --block 128 --arg f32[128]=zero --arg f32[1024]=iota --arg 8
extern "C" __global__ void block_pipeline(float* out, const float* in, int n) {
  __shared__ alignas(16) float s[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int t = threadIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(block, s[0], in, cuda::aligned_size_t<16>(512), pipe);
  pipe.producer_commit();
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[(i + 1) & 1], in + (i + 1) * 128, cuda::aligned_size_t<16>(512), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += s[i & 1][127 - t];
    pipe.consumer_release();
  }
  out[t] = sum;
}

// launch: --grid 1 --block 128 --arg f32[128]=zero --arg f32[1024]=iota --arg 8
extern "C" __global__ void block_pipeline_no_wait(float* out, const float* in, int n) {
  __shared__ alignas(16) float s[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int t = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, s[i & 1], in + i * 128, cuda::aligned_size_t<16>(512), pipe);
    pipe.producer_commit();
    block.sync();
    sum += s[i & 1][127 - t];  // finding: unwaited_copy
    pipe.consumer_wait();
    pipe.consumer_release();
  }
  out[t] = sum;
}

// launch: --grid 1 --block 256 --arg f32[128]=zero --arg f32[1024]=iota --arg 8
extern "C" __global__ void specialised_pipeline(float* out, const float* in, int n) {
  __shared__ alignas(16) float s[3][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
  auto block = cg::this_thread_block();
  const auto role = threadIdx.x < 128 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int i = 0; i < n; ++i) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[i % 3][threadIdx.x], &in[i * 128 + threadIdx.x], cuda::aligned_size_t<4>(4), pipe);
      pipe.producer_commit();
    }
  } else {
    const int t = threadIdx.x - 128;
    float sum = 0;
    for (int i = 0; i < n; ++i) {
      pipe.consumer_wait();
      sum += s[i % 3][127 - t];
      pipe.consumer_release();
    }
    out[t] = sum;
  }
}

// launch: --grid 1 --block 256 --arg f32[128]=zero --arg f32[1024]=iota --arg 8
extern "C" __global__ void specialised_pipeline_released_early(float* out, const float* in, int n) {
  __shared__ alignas(16) float s[3][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
  auto block = cg::this_thread_block();
  const auto role = threadIdx.x < 128 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int i = 0; i < n; ++i) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[i % 3][threadIdx.x], &in[i * 128 + threadIdx.x], cuda::aligned_size_t<4>(4), pipe);  // finding: shared_race
      pipe.producer_commit();
    }
  } else {
    const int t = threadIdx.x - 128;
    float sum = 0;
    for (int i = 0; i < n; ++i) {
      pipe.consumer_wait();
      pipe.consumer_release();
      sum += s[i % 3][127 - t];
    }
    out[t] = sum;
  }
}

// launch: --grid 1 --block 128 --arg f32[128]=zero --arg f32[1024]=iota --arg 8
extern "C" __global__ void group_copies(float* out, const float* in, int n) {
  __shared__ float s[128];
  auto block = cg::this_thread_block();
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    cg::memcpy_async(block, s, in + i * 128, cuda::aligned_size_t<4>(512));
    cg::wait(block);
    sum += s[127 - threadIdx.x];
    block.sync();
  }
  out[threadIdx.x] = sum;
}

// launch: --grid 1 --block 128 --arg f32[128]=zero --arg f32[1024]=iota --arg 8
extern "C" __global__ void group_copies_no_wait(float* out, const float* in, int n) {
  __shared__ float s[128];
  auto block = cg::this_thread_block();
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    cg::memcpy_async(block, s, in + i * 128, cuda::aligned_size_t<4>(512));
    block.sync();
    sum += s[127 - threadIdx.x];  // finding: unwaited_copy
    cg::wait(block);
  }
  out[threadIdx.x] = sum;
}

// launch: --grid 1 --block 128 --arg f32[128]=zero --arg f32[1024]=iota --arg 8
extern "C" __global__ void barrier_copies(float* out, const float* in, int n) {
  __shared__ float s[128];
  __shared__ block_barrier bar;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, 128);
  block.sync();
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    cuda::memcpy_async(block, s, in + i * 128, cuda::aligned_size_t<4>(512), bar);
    bar.arrive_and_wait();
    sum += s[127 - threadIdx.x];
    block.sync();
  }
  out[threadIdx.x] = sum;
}

// launch: --grid 1 --block 128 --arg f32[128]=zero --arg f32[1024]=iota --arg 8
extern "C" __global__ void barrier_copies_read_early(float* out, const float* in, int n) {
  __shared__ float s[128];
  __shared__ block_barrier bar;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, 128);
  block.sync();
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    cuda::memcpy_async(block, s, in + i * 128, cuda::aligned_size_t<4>(512), bar);
    auto token = bar.arrive();
    sum += s[127 - threadIdx.x];  // finding: unwaited_copy
    bar.wait(std::move(token));
    block.sync();
  }
  out[threadIdx.x] = sum;
}

// launch: --grid 1 --block 128 --arg f32[1024]=zero --arg 8
extern "C" __global__ void bulk_stores(float* out, int n) {
  __shared__ alignas(128) float s[2][128];
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    if (t == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
    __syncthreads();
    s[i & 1][t] = i * 128 + t;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t != 0) continue;
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + i * 128, s[i & 1], 512);
    ptx::cp_async_bulk_commit_group();
  }
  if (t == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// launch: --grid 1 --block 128 --arg f32[1024]=zero --arg 8
extern "C" __global__ void bulk_stores_two_behind(float* out, int n) {
  __shared__ alignas(128) float s[2][128];
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    if (t == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<2>());
    __syncthreads();
    s[i & 1][t] = i * 128 + t;  // finding: unwaited_copy
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t != 0) continue;
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + i * 128, s[i & 1], 512);
    ptx::cp_async_bulk_commit_group();
  }
  if (t == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
