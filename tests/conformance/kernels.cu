// Kernels whose results and costs are known; kernels_test.cpp derives each number.
#include <cassert>
#include <cstdio>

extern "C" __global__ void copy_strided(float* out, const float* in, int stride, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride + offset];
}

extern "C" __global__ void copy_float4(float4* out, const float4* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

extern "C" __global__ void copy_bytes(unsigned char* out, const unsigned char* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// Each thread reads word threadIdx.x * stride of shared memory.
extern "C" __global__ void bank_stride(unsigned* out, int stride) {
  __shared__ volatile unsigned words[1024];
  for (int i = threadIdx.x; i < 1024; i += 32) words[i] = i;
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x * stride];
}

template <int kPitch>
__device__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][kPitch];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void transpose_plain(float* out, const float* in, int n) {
  transpose<32>(out, in, n);
}
extern "C" __global__ void transpose_padded(float* out, const float* in, int n) {
  transpose<33>(out, in, n);
}

extern "C" __global__ void multiply(float* c, const float* a, const float* b, int n) {
  __shared__ float as[32][32];
  __shared__ float bs[32][32];
  int row = blockIdx.y * 32 + threadIdx.y;
  int col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int m = 0; m < n / 32; ++m) {
    as[threadIdx.y][threadIdx.x] = a[row * n + m * 32 + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(m * 32 + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// 32 consecutive words per thread, in shared memory.
extern "C" __global__ void consecutive_stores(unsigned* out) {
  __shared__ unsigned words[32 * 32];
  for (int k = 0; k < 32; ++k) words[threadIdx.x * 32 + k] = threadIdx.x + k;
  __syncthreads();
  out[threadIdx.x] = words[(threadIdx.x * 33) % 1024];
}

extern "C" __global__ void add_to_one(float* sum) { atomicAdd(sum, 1.0f); }
extern "C" __global__ void count_in_one(unsigned* sum) { atomicAdd(sum, 1u); }
extern "C" __global__ void histogram(unsigned* bins, const unsigned* in) {
  __shared__ unsigned mine[32];
  if (threadIdx.x < 32) mine[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&mine[in[blockIdx.x * blockDim.x + threadIdx.x] % 32], 1u);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

extern "C" __global__ void sum_by_shuffle(float* out, const float* in) {
  float value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}

extern "C" __global__ void warp_words(unsigned* out) {
  unsigned lane = threadIdx.x % 32;
  unsigned odd = __ballot_sync(0xffffffffu, lane & 1);
  unsigned same = __match_any_sync(0xffffffffu, lane / 8);
  unsigned total = __reduce_add_sync(0xffffffffu, lane);
  unsigned any = __any_sync(0xffffffffu, lane == 31);
  unsigned all = __all_sync(0xffffffffu, lane < 31);
  out[threadIdx.x * 4] = odd;
  out[threadIdx.x * 4 + 1] = same;
  out[threadIdx.x * 4 + 2] = total;
  out[threadIdx.x * 4 + 3] = any * 2 + all;
}

__constant__ int table[8] = {1, 1, 2, 3, 5, 8, 13, 21};
__device__ int counter = 40;
extern "C" __global__ void variables(int* out) {
  int i = threadIdx.x;
  out[i] = table[i % 8];
  if (i == 0) out[32] = atomicAdd(&counter, 2);
  if (i == 0) out[33] = counter;
}

extern "C" __global__ void dynamic_reverse(int* out, const int* in) {
  extern __shared__ int words[];
  words[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}

__device__ __noinline__ int collatz(int value) {
  int steps = 0;
  while (value != 1) {
    value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    ++steps;
  }
  return steps;
}
extern "C" __global__ void call_function(int* out) {
  int i = threadIdx.x;
  out[i] = i == 0 ? -1 : collatz(i);
}

extern "C" __global__ void local_array(int* out, const int* order) {
  int own[64];
  for (int i = 0; i < 64; ++i) own[i] = i * i;
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += own[order[i]] * (i & 1);
  out[threadIdx.x] = sum + own[(threadIdx.x + order[0]) % 64];
}

extern "C" __global__ void doubles(double* out, const double* in) {
  double x = in[threadIdx.x];
  out[threadIdx.x] = sqrt(x) * sqrt(x) + fma(x, x, -x * x) + x / 4;
}

extern "C" __global__ void speak(int n) {
  if (threadIdx.x == 1) printf("thread %d of %d: %.1f %s\n", threadIdx.x, n, 1.5, "ok");
}

extern "C" __global__ void assert_small(const int* in) { assert(in[threadIdx.x] < 20); }

extern "C" __global__ void lock_each(int* lock, int* sum) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *(volatile int*)sum += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// A product of 64 x 64 tiles in steps of 8, of which each thread computes eight results of a column.
extern "C" __global__ void tiled_in_one_dimension(float* c, const float* a, const float* b, int k) {
  __shared__ float tile_a[64 * 8];
  __shared__ float tile_b[8 * 64];
  int column = threadIdx.x % 64, row = threadIdx.x / 64;
  float results[8] = {0};
  for (int step = 0; step < k; step += 8) {
    tile_a[threadIdx.x] = a[threadIdx.x / 8 * k + step + threadIdx.x % 8];
    tile_b[threadIdx.x] = b[(step + row) * 64 + column];
    __syncthreads();
    for (int dot = 0; dot < 8; ++dot) {
      float right = tile_b[dot * 64 + column];
      for (int i = 0; i < 8; ++i) results[i] += tile_a[(row * 8 + i) * 8 + dot] * right;
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i) c[(row * 8 + i) * 64 + column] = results[i];
}
