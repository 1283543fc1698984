// Kernels whose blocks reach each other's shared memory. How to read it: copies.cu.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// launch: --grid 2 --block 128 --arg f32[256]=iota --arg f32[256]=zero
extern "C" __global__ void __cluster_dims__(2, 1, 1) plain_race(const float* in, float* out) {
  __shared__ float s[128], mail[128];
  auto c = cg::this_cluster();
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  float own = s[127 - t];  // finding: shared_race
  c.sync();
  c.map_shared_rank(mail, c.block_rank() ^ 1)[t] = own;
  c.sync();
  out[blockIdx.x * 128 + t] = mail[t];
}

// launch: --grid 2 --block 128 --arg f32[256]=iota --arg f32[256]=zero
extern "C" __global__ void __cluster_dims__(2, 1, 1) plain_ordered(const float* in, float* out) {
  __shared__ float s[128], mail[128];
  auto c = cg::this_cluster();
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  float own = s[127 - t];
  c.sync();
  c.map_shared_rank(mail, c.block_rank() ^ 1)[t] = own;
  c.sync();
  out[blockIdx.x * 128 + t] = mail[t];
}

// launch: --grid 2 --block 64 --arg f32[128]=zero
extern "C" __global__ void __cluster_dims__(2, 1, 1) store_early(float* out) {
  __shared__ float s[64];
  auto c = cg::this_cluster();
  s[threadIdx.x] = -1;
  __syncthreads();
  float* other = c.map_shared_rank(s, c.block_rank() ^ 1);
  other[threadIdx.x] = 100 * c.block_rank() + threadIdx.x;  // finding: cluster_race
  c.sync();
  out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

// launch: --grid 2 --block 64 --arg f32[128]=zero
extern "C" __global__ void __cluster_dims__(2, 1, 1) store_ordered(float* out) {
  __shared__ float s[64];
  auto c = cg::this_cluster();
  s[threadIdx.x] = -1;
  c.sync();
  float* other = c.map_shared_rank(s, c.block_rank() ^ 1);
  other[threadIdx.x] = 100 * c.block_rank() + threadIdx.x;
  c.sync();
  out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

// Two buffers: rows of a stencil pass between neighbours.
// launch: --grid 4 --block 64 --arg f32[256]=iota --arg f32[256]=zero --arg 4
extern "C" __global__ void __cluster_dims__(4, 1, 1) halo(const float* in, float* out, int steps) {
  __shared__ float s[2][66];
  auto c = cg::this_cluster();
  const int t = threadIdx.x, rank = c.block_rank();
  s[0][t + 1] = in[blockIdx.x * 64 + t];
  if (t < 2) s[0][t * 65] = s[1][t * 65] = 0;
  c.sync();
  for (int i = 0; i < steps; ++i) {
    float* now = s[i & 1];
    if (t == 0 && rank > 0) c.map_shared_rank(now, rank - 1)[65] = now[1];
    if (t == 63 && rank < 3) c.map_shared_rank(now, rank + 1)[0] = now[64];
    c.sync();
    s[(i + 1) & 1][t + 1] = now[t] + now[t + 1] + now[t + 2];
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = s[steps & 1][t + 1];
  c.sync();
}

// One buffer: a neighbour's next row comes while this block still reads the last.
// launch: --grid 4 --block 64 --arg f32[256]=iota --arg f32[256]=zero --arg 4
extern "C" __global__ void __cluster_dims__(4, 1, 1) halo_one_buffer(const float* in, float* out, int steps) {
  __shared__ float s[66];
  auto c = cg::this_cluster();
  const int t = threadIdx.x, rank = c.block_rank();
  s[t + 1] = in[blockIdx.x * 64 + t];
  if (t < 2) s[t * 65] = 0;
  c.sync();
  for (int i = 0; i < steps; ++i) {
    if (t == 0 && rank > 0) c.map_shared_rank(s, rank - 1)[65] = s[1];  // finding: cluster_race
    if (t == 63 && rank < 3) c.map_shared_rank(s, rank + 1)[0] = s[64];  // finding: cluster_race
    c.sync();
    const float sum = s[t] + s[t + 1] + s[t + 2];
    __syncthreads();
    s[t + 1] = sum;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = s[t + 1];
  c.sync();
}

// launch: --grid 4 --block 128 --arg i32[64]=zero --arg i32[4096]=iota --arg 4096
extern "C" __global__ void __cluster_dims__(2, 1, 1) histogram(int* out, const int* in, int n) {
  __shared__ int bins[32];
  auto c = cg::this_cluster();
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  c.sync();
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
    const int bin = in[i] % 64;
    atomicAdd(&c.map_shared_rank(bins, bin / 32)[bin % 32], 1);
  }
  c.sync();
  if (threadIdx.x < 32) atomicAdd(&out[c.block_rank() * 32 + threadIdx.x], bins[threadIdx.x]);
}

// launch: --grid 4 --block 128 --arg i32[64]=zero --arg i32[4096]=iota --arg 4096
extern "C" __global__ void __cluster_dims__(2, 1, 1) histogram_not_synchronised(int* out, const int* in, int n) {
  __shared__ int bins[32];
  auto c = cg::this_cluster();
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  c.sync();
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
    const int bin = in[i] % 64;
    atomicAdd(&c.map_shared_rank(bins, bin / 32)[bin % 32], 1);
  }
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&out[c.block_rank() * 32 + threadIdx.x], bins[threadIdx.x]);  // finding: cluster_race
  c.sync();
}

// launch: --grid 2 --block 64 --arg f32[128]=zero
extern "C" __global__ void __cluster_dims__(2, 1, 1) reads_the_first(float* out) {
  __shared__ float table[64];
  auto c = cg::this_cluster();
  table[threadIdx.x] = threadIdx.x;
  c.sync();
  out[blockIdx.x * 64 + threadIdx.x] = c.map_shared_rank(table, 0)[63 - threadIdx.x];  // finding: out_of_bounds
}

// launch: --grid 2 --block 64 --arg f32[128]=zero
extern "C" __global__ void __cluster_dims__(2, 1, 1) reads_the_last(float* out) {
  __shared__ float table[64];
  auto c = cg::this_cluster();
  table[threadIdx.x] = threadIdx.x;
  c.sync();
  out[blockIdx.x * 64 + threadIdx.x] = c.map_shared_rank(table, 1)[63 - threadIdx.x];
  c.sync();
}
