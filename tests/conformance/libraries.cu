// CUDA's C++ libraries, which compilers of any architecture turn into ordinary instructions;
// libraries_test.cpp has what each gives.
#include <cub/cub.cuh>  // of which kernels get the parts for blocks and warps
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/tuple>

extern "C" __global__ void sorted(unsigned* out, const unsigned* in) {
  using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
  using Load = cub::BlockLoad<unsigned, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  __shared__ union {
    Sort::TempStorage sort;
    Load::TempStorage load;
  } shared;
  unsigned keys[4];
  Load(shared.load).Load(in, keys);
  __syncthreads();
  Sort(shared.sort).Sort(keys);
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = keys[k];
}

extern "C" __global__ void scanned(int* out, int* most, const int* in) {
  using Scan = cub::BlockScan<int, 128>;
  using Reduce = cub::WarpReduce<int>;
  __shared__ Scan::TempStorage scan;
  __shared__ Reduce::TempStorage reduce[4];
  int sum;
  Scan(scan).ExclusiveSum(in[threadIdx.x], sum);
  out[threadIdx.x] = sum;
  int warp = threadIdx.x / 32;
  int greatest = Reduce(reduce[warp]).Reduce(in[threadIdx.x], [](int a, int b) {
    return a > b ? a : b;
  });
  if (threadIdx.x % 32 == 0) most[warp] = greatest;
}

extern "C" __global__ void counted(unsigned* out, const int* in) {
  using Histogram = cub::BlockHistogram<int, 128, 1, 16>;
  __shared__ Histogram::TempStorage shared;
  __shared__ unsigned bins[16];
  int keys[1] = {in[threadIdx.x] % 16};
  Histogram(shared).Histogram(keys, bins);
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}

__device__ cuda::atomic<int, cuda::thread_scope_device> tickets{100};
extern "C" __global__ void atomics(int* sum, float* total, unsigned char* narrow, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> a(sum[0]);
  a.fetch_add(2, cuda::memory_order_relaxed);
  cuda::atomic_ref<int> b(sum[1]);
  b.fetch_max(threadIdx.x);
  cuda::atomic_ref<float> c(total[0]);
  c.fetch_add(0.5f);
  cuda::atomic_ref<unsigned char> d(narrow[1]);
  d.fetch_add(3);
  int expected = 0;
  cuda::atomic_ref<int> e(sum[2]);
  if (e.compare_exchange_strong(expected, 7)) atomicAdd(&sum[3], 1);
  out[tickets.fetch_add(1) - 100] = 1;
}

extern "C" __global__ void values(float* out, const float* in) {
  int t = threadIdx.x;
  cuda::std::complex<float> z(in[t], 1.0f);
  z = z * z / cuda::std::conj(z);
  cuda::std::array<float, 3> parts{z.real(), z.imag(), 0};
  cuda::std::optional<int> odd;
  if (t % 2 == 1) odd = t;
  auto pair = cuda::std::make_tuple(odd.value_or(-1), 2.5f);
  parts[2] = cuda::std::get<0>(pair) * cuda::std::get<1>(pair);
  for (int k = 0; k < 3; ++k) out[3 * t + k] = parts[k];
}

#include <cooperative_groups.h>
#include <cuda_fp8.h>

// Each block is a cluster. A thread reads its neighbour's number through the cluster's addresses.
extern "C" __global__ void clustered(int* out) {
  __shared__ int numbers[32];
  auto cluster = cooperative_groups::this_cluster();
  numbers[threadIdx.x] = threadIdx.x;
  cluster.sync();
  int* first = cluster.map_shared_rank(numbers, 0);
  out[blockIdx.x * 32 + threadIdx.x] = first[threadIdx.x ^ 1] + 100 * cluster.num_blocks() +
                                       1000 * cluster.block_rank() + 10000 * cluster.query_shared_rank(first);
  cluster.sync();
}

// Clusters of four blocks pass 32 numbers on around a ring, three times: from rank r to rank r + 1.
extern "C" __global__ void __cluster_dims__(4, 1, 1) around(int* out) {
  __shared__ int numbers[2][32];
  auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank(), t = threadIdx.x;
  numbers[0][t] = 1000 * blockIdx.x + t;
  cluster.sync();
  for (int step = 0; step < 3; ++step) {
    int* next = cluster.map_shared_rank(&numbers[(step + 1) % 2][0], (rank + 1) % cluster.num_blocks());
    next[t] = numbers[step % 2][t] + 1;
    cluster.sync();
  }
  out[blockIdx.x * 32 + t] = numbers[1][t];
}

// A histogram whose bins are spread over the shared memory of two blocks, 16 each. Its sum over
// clusters is in global memory.
extern "C" __global__ void __cluster_dims__(2, 1, 1) spread(unsigned* bins, const unsigned* in, int n) {
  __shared__ unsigned mine[16];
  auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned bin = in[i] % 32;
    atomicAdd(cluster.map_shared_rank(mine, bin / 16) + bin % 16, 1u);
  }
  cluster.sync();
  if (threadIdx.x < 16) atomicAdd(&bins[16 * cluster.block_rank() + threadIdx.x], mine[threadIdx.x]);
}

// Where a block is in a grid of clusters of 2 x 3 blocks.
extern "C" __global__ void __cluster_dims__(2, 3, 1) places(unsigned* out) {
  auto cluster = cooperative_groups::this_cluster();
  __shared__ unsigned rank;
  rank = cluster.block_rank();
  cluster.sync();
  const unsigned other = *cluster.map_shared_rank(&rank, 5 - cluster.block_rank());
  unsigned x, y, nx, ny;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(y));
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(nx));
  asm("mov.u32 %0, %%nclusterid.y;" : "=r"(ny));
  unsigned* mine = out + 8 * (blockIdx.y * gridDim.x + blockIdx.x);
  const dim3 at = cluster.block_index(), size = cluster.dim_blocks();
  mine[0] = x, mine[1] = y, mine[2] = 10 * nx + ny;
  mine[3] = at.x, mine[4] = at.y, mine[5] = 100 * size.x + 10 * size.y + size.z;
  mine[6] = cluster.block_rank(), mine[7] = other;
  cluster.sync();
}

// Blocks of a cluster pass a number on in global memory.
extern "C" __global__ void __cluster_dims__(2, 1, 1) handed(int* out, int* between) {
  auto cluster = cooperative_groups::this_cluster();
  between[blockIdx.x * 32 + threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] = between[(blockIdx.x ^ 1) * 32 + (threadIdx.x ^ 1)];
}

extern "C" __global__ void dependent(int* out) {
  cudaGridDependencySynchronize();
  out[threadIdx.x] = threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
}

// A float to 8 bits and back, and a half of another format.
extern "C" __global__ void tiny(float* out, const float* in) {
  float x = in[threadIdx.x] * 16.0f;
  out[threadIdx.x] = float(__nv_fp8_e4m3(x));
  out[32 + threadIdx.x] = float(__nv_fp8_e5m2(x));
  __nv_fp8x2_e4m3 pair(float2{x, -x});
  float2 both = float2(pair);
  out[64 + threadIdx.x] = both.x - both.y;
}
