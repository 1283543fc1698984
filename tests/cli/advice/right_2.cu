// More kernels that are right as they are: scans that look back, locks, warps with tasks of their own, ragged edges.

#include <cooperative_groups.h>

// A scan whose blocks look back at those before them.
// launch: --grid 8 --block 128 --arg i32[1024]=ones --arg i32[1024]=zero --arg i32[8]=zero --arg i32[8]=zero --arg i32[8]=zero
__global__ void looksBack(const int* in, int* out, volatile int* state, volatile int* sum, volatile int* prefix) {
  __shared__ int s[128];
  __shared__ int before;
  int t = threadIdx.x, b = blockIdx.x;
  s[t] = in[b * 128 + t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (t == 0) {
    int all = s[127], x = 0;
    sum[b] = all;
    __threadfence();
    state[b] = 1;
    for (int k = b - 1; k >= 0; --k) {
      int is;
      while ((is = state[k]) == 0) {}
      __threadfence();
      if (is == 2) {
        x += prefix[k];
        break;
      }
      x += sum[k];
    }
    prefix[b] = x + all;
    __threadfence();
    state[b] = 2;
    before = x;
  }
  __syncthreads();
  out[b * 128 + t] = s[t] + before;
}

// launch: --grid 16 --block 32 --arg i32[1]=zero --arg i32[1]=zero --arg f32[16]=ones --arg f32[1]=zero
__global__ void ticketLock(int* next, volatile int* serving, const float* in, volatile float* total) {
  if (threadIdx.x == 0) {
    int mine = atomicAdd(next, 1);
    while (*serving != mine) {}
    __threadfence();
    *total = *total + in[blockIdx.x];
    __threadfence();
    *serving = mine + 1;
  }
}

// launch: --grid 4 --block 64 --arg f32[256]=iota --arg f32[4]=zero --arg i32[1]=zero --arg f32[1]=zero
__global__ void lastBlockAdds(const float* in, volatile float* part, unsigned* arrived, float* out) {
  __shared__ float s[64];
  __shared__ bool last;
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    float sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += part[b];
    *out = sum;
  }
}

// Warp 0 loads for the others, by named barriers.
// launch: --grid 4 --block 96 --arg f32[2048]=iota --arg f32[2048]=zero
__global__ void producerAndConsumers(const float* in, float* out) {
  __shared__ float s[2][64];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, b = blockIdx.x * 512;
  for (int k = 0; k < 8; ++k) {
    if (warp == 0) {
      if (k >= 2) asm volatile("bar.sync %0, 96;" ::"r"(3 + k % 2) : "memory");
      s[k % 2][lane] = in[b + k * 64 + lane];
      s[k % 2][lane + 32] = in[b + k * 64 + 32 + lane];
      asm volatile("bar.arrive %0, 96;" ::"r"(1 + k % 2) : "memory");
    } else {
      asm volatile("bar.sync %0, 96;" ::"r"(1 + k % 2) : "memory");
      out[b + k * 64 + threadIdx.x - 32] = s[k % 2][(threadIdx.x - 31) % 64] * 2;
      if (k < 6) asm volatile("bar.arrive %0, 96;" ::"r"(3 + k % 2) : "memory");
    }
  }
}

// launch: --grid 4 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero
__global__ void stagedCopies(const float* in, float* out) {
  __shared__ float s[2][128];
  int t = threadIdx.x, b = blockIdx.x * 1024;
  auto fetch = [&](int k) {
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[k & 1][t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + b + k * 128 + t) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fetch(0);
  for (int k = 0; k < 8; ++k) {
    if (k < 7) fetch(k + 1);
    if (k < 7) asm volatile("cp.async.wait_group 1;" ::: "memory");
    else asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[b + k * 128 + t] = s[k & 1][127 - t];
    __syncthreads();
  }
}

// launch: --grid 7,7 --block 16,16 --arg f32[10000]=iota --arg f32[10000]=zero --arg i32=100
__global__ void raggedFivePoint(const float* u, float* v, int n) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  v[y * n + x] = 0.25f * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x]);
}

// launch: --grid 4,4,8 --block 32,8 --arg f32[32768]=iota --arg f32[32768]=zero
__global__ void sevenPoint(const float* u, float* v) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z, n = 128, m = 32;
  int i = (z * m + y) * n + x;
  float c = u[i] * -6.f;
  if (x > 0) c += u[i - 1];
  if (x < n - 1) c += u[i + 1];
  if (y > 0) c += u[i - n];
  if (y < m - 1) c += u[i + n];
  if (z > 0) c += u[i - n * m];
  if (z < 7) c += u[i + n * m];
  v[i] = c;
}

// launch: --grid 4,4 --block 16,16 --arg f32[3600]=iota --arg f32[3600]=zero --arg i32=60
__global__ void turnsRagged(const float* in, float* out, int n) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

// launch: --grid 2 --block 256 --arg i32[512]=random:3 --arg i32[512]=zero
__global__ void bitonic(const int* in, int* out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  for (int k = 2; k <= 256; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      int other = t ^ j, a = s[t], b = s[other];
      __syncthreads();
      s[t] = (t < other) == ((t & k) == 0) ? min(a, b) : max(a, b);
    }
  }
  out[blockIdx.x * 256 + t] = s[t];
}

// launch: --grid 8 --block 128 --arg f32[1024]=random:4 --arg f32[32]=zero
__global__ void largestOfWarps(const float* in, float* out) {
  float v = in[blockIdx.x * 128 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * 128 + threadIdx.x) / 32] = v;
}

// launch: --grid 4 --block 256 --arg f32[1024]=iota --arg f32[1024]=zero
__global__ void scanOfWarps(const float* in, float* out) {
  __shared__ float sums[8];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  float v = in[blockIdx.x * 256 + t];
  for (int d = 1; d < 32; d *= 2) {
    float o = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += o;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    float s = lane < 8 ? sums[lane] : 0;
    for (int d = 1; d < 8; d *= 2) {
      float o = __shfl_up_sync(0xffffffff, s, d);
      if (lane >= d) s += o;
    }
    if (lane < 8) sums[lane] = s;
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = v + (warp > 0 ? sums[warp - 1] : 0);
}

// launch: --grid 4 --block 128 --arg i32[17]=@rows.bin --arg i32[2048]=iota --arg f32[2048]=ones --arg f32[16]=zero
__global__ void rowsByWarps(const int* first, const int* column, const float* value, float* out) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int k = first[row] + lane; k < first[row + 1]; k += 32) sum += value[k] * (column[k] & 3);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (lane == 0) out[row] = sum;
}

// launch: --grid 4 --block 256 --arg u8[4096]=random:2 --arg u32[256]=zero --arg i32=1024
__global__ void histogramPerBlock(const uchar4* in, unsigned* bins, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    uchar4 v = in[i];
    atomicAdd(&s[v.x], 1);
    atomicAdd(&s[v.y], 1);
    atomicAdd(&s[v.z], 1);
    atomicAdd(&s[v.w], 1);
  }
  __syncthreads();
  if (s[threadIdx.x]) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

// launch: --grid 4,4 --block 16,16 --arg f32[4096]=iota --arg f32[4096]=iota --arg f32[4096]=zero
__global__ void productOfTiles(const float* a, const float* b, float* c) {
  __shared__ float ta[16][16], tb[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int m = 0; m < 64; m += 16) {
    ta[ty][tx] = a[y * 64 + m + tx];
    tb[ty][tx] = b[(m + ty) * 64 + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[y * 64 + x] = sum;
}

// launch: --grid 8 --block 128 --arg f32[1024]=iota --arg f32[1024]=zero --arg i32=3
__global__ void roundsInPlace(const float* in, float* out, int rounds) {
  __shared__ float s[2][130];
  int t = threadIdx.x + 1, i = blockIdx.x * 128 + threadIdx.x;
  s[0][t] = in[i];
  if (t == 1) s[0][0] = s[1][0] = 0;
  if (t == 128) s[0][129] = s[1][129] = 0;
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    s[~k & 1][t] = (s[k & 1][t - 1] + s[k & 1][t] + s[k & 1][t + 1]) / 3;
    __syncthreads();
  }
  out[i] = s[rounds & 1][t];
}

// launch: --grid 2 --block 128 --arg f32[256]=random:9 --arg f32[1]=zero
__global__ void largestByBits(const float* in, int* most) {
  float v = fabsf(in[blockIdx.x * 128 + threadIdx.x]);
  for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
  if (threadIdx.x % 32 == 0) atomicMax(most, __float_as_int(v));
}

// launch: --grid 4 --block 64 --arg f32[4096]=iota --arg f32[4096]=zero --arg f32[64]=ones
__global__ void rowTimesDiagonal(const float* in, float* out, const float* d) {
  for (int r = 0; r < 16; ++r) {
    int row = blockIdx.x * 16 + r;
    out[row * 64 + threadIdx.x] = in[row * 64 + threadIdx.x] * d[row];
  }
}

// launch: --grid 8 --block 64 --arg f32[2048]=iota --arg f32[512]=zero
__global__ void meanOfFour(const float4* in, float* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 v = in[i];
  out[i] = (v.x + v.y + v.z + v.w) / 4;
}

// launch: --grid 2 --block 64 --arg i32[128]=iota --arg i32[256]=zero
__global__ void walksOpen(const int* key, int* table) {
  int k = key[blockIdx.x * 64 + threadIdx.x] + 1, at = k * 7 & 255;
  while (true) {
    int was = atomicCAS(&table[at], 0, k);
    if (was == 0 || was == k) return;
    at = (at + 1) & 255;
  }
}

// launch: --grid 3 --block 96 --arg f32[288]=iota --arg f32[288]=zero --arg i32=277
__global__ void threeWarps(const float* in, float* out, int n) {
  int i = blockIdx.x * 96 + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

// launch: --grid 4 --block 128 --arg f32[512]=iota --arg f32[512]=zero
__global__ void reversedByShared(const float* in, float* out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[(gridDim.x - 1 - blockIdx.x) * 128 + threadIdx.x] = s[127 - threadIdx.x];
}

// launch: --grid 4,2 --block 32,4 --arg f32[4096]=iota --arg f32[128]=zero
__global__ void sumsOfManyRows(const float* in, float* out) {
  __shared__ float s[4][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int y = blockIdx.y * 16 + threadIdx.y; y < blockIdx.y * 16 + 16; y += 4) sum += in[y * 128 + x];
  s[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0) return;
  for (int k = 1; k < 4; ++k) sum += s[k][threadIdx.x];
  atomicAdd(&out[x], sum);
}

// All blocks wait for each other.
// launch: --grid 4 --block 64 --arg f32[256]=iota --arg f32[256]=zero
__global__ void twoPhases(float* a, float* b) {
  cooperative_groups::grid_group all = cooperative_groups::this_grid();
  int i = blockIdx.x * 64 + threadIdx.x;
  a[i] = a[i] + 1;
  all.sync();
  b[i] = a[(i + 64) % 256];
}

// launch: --grid 4 --block 128 --arg f32[512]=iota --arg f32[512]=zero
__global__ void polynomialPinned(const float* in, float* out) {
  float x = in[blockIdx.x * 128 + threadIdx.x], y = 1;
#pragma unroll 1
  for (int k = 0; k < 16; ++k) y = fmaf(y, x, 0.5f);
  out[blockIdx.x * 128 + threadIdx.x] = y;
}
