// Kernels with a fault each whose cure was tried: what advice says it saves is what the same kernel in
// cures_4.cu counts, to the digit.
#include <cuda_fp16.h>

// launch: --grid 4 --block 32 --arg f32[4096]=iota --arg f32[128]=zero
__global__ void fragmentOfRows(const float* in, float* out) {
  __shared__ float a[8][128];
  int t = threadIdx.x;
  for (int i = t; i < 1024; i += 32) a[i / 128][i % 128] = in[blockIdx.x * 1024 + i];
  __syncthreads();
  int g = t / 4, k = t % 4;
  float s = 0;
  for (int m = 0; m < 128; m += 16)
    s += a[k][m + g] * a[k][m + g + 8] + a[k + 4][m + g] * a[k + 4][m + g + 8];  // fault: shared_conflicts
  out[blockIdx.x * 32 + t] = s;
}

// launch: --grid 4 --block 32 --arg f32[4096]=iota --arg f32[4096]=zero
__global__ void rowsOfFour(const float* in, float4* out) {
  __shared__ __align__(16) float tile[32][32];
  int t = threadIdx.x;
  for (int i = 0; i < 32; ++i) tile[i][t] = in[blockIdx.x * 1024 + i * 32 + t];
  __syncthreads();
  for (int i = 0; i < 8; ++i) out[blockIdx.x * 256 + i * 32 + t] = *(const float4*)&tile[t][4 * i];  // fault: shared_conflicts
}

// launch: --grid 4 --block 32 --arg f16[1024]=iota --arg u32[256]=zero
__global__ void matrixRows(const half* in, unsigned* out) {
  __shared__ __align__(16) half b[16][16];
  int t = threadIdx.x;
  for (int i = t; i < 128; i += 32) ((unsigned*)b)[i] = ((const unsigned*)in)[blockIdx.x * 128 + i];
  __syncthreads();
  unsigned r0 = 0, r1 = 0;
  for (int k = 0; k < 8; ++k) {
    unsigned x, y, at = (unsigned)__cvta_generic_to_shared(&b[(t + k) % 16][0]);
    asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at));  // fault: shared_conflicts
    r0 += x;
    r1 += y;
  }
  out[blockIdx.x * 64 + t] = r0;
  out[blockIdx.x * 64 + t + 32] = r1;
}

// launch: --grid 4,4 --block 16,16 --arg f32[4096]=iota --arg f32[4096]=zero
__global__ void tileOfSixteen(const float* in, float* out) {
  __shared__ float s[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = in[(blockIdx.y * 16 + y) * 64 + blockIdx.x * 16 + x];
  __syncthreads();
  out[(blockIdx.x * 16 + y) * 64 + blockIdx.y * 16 + x] = s[x][y];  // fault: shared_conflicts
}

// launch: --grid 64 --block 256 --arg u8[16384]=random:1 --arg u32[256]=zero --arg i32=16384
__global__ void histogramOfBytes(const unsigned char* x, unsigned* h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&h[x[i]], 1);  // fault: histogram
}

// launch: --grid 64 --block 128 --arg i32[8192]=random:2 --arg f32[8192]=ones --arg f32[64]=zero
__global__ void weightsByKey(const int* key, const float* w, float* sums) {
  int i = blockIdx.x * 128 + threadIdx.x;
  atomicAdd(&sums[key[i] & 63], w[i]);  // fault: histogram
}

// launch: --grid 128 --block 64 --arg i32[8192]=random:3 --arg i32[16]=zero
__global__ void largestOfClass(const int* v, int* best) {
  int i = blockIdx.x * 64 + threadIdx.x;
  atomicMax(&best[v[i] & 15], v[i]);  // fault: histogram
}

// launch: --grid 32 --block 256 --arg u32[8192]=random:4 --arg u32[512]=zero
__global__ void digits(const unsigned* keys, unsigned* counts) {
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned digit = keys[i] >> 3 & 511;
  atomicAdd(counts + digit, 1u);  // fault: histogram
}

// launch: --grid 4,4 --block 32,32 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128 --arg i32=128
__global__ void tileReadBack(const float* in, float* out, int k, int m) {
  __shared__ float tile[32][33];
  int i = threadIdx.x, j = threadIdx.y;
  int gi = blockIdx.x * 32 + i, gj = blockIdx.y * 32 + j;
  tile[i][j] = in[gj * k + gi];
  __syncthreads();
  out[gi * m + gj] = tile[i][j];  // fault: private_tile
}

// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=iota --arg f32[4096]=zero
__global__ void addThroughTiles(const float* a, const float* b, float* c) {
  __shared__ float sa[256], sb[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  sa[t] = a[i];
  sb[t] = b[i];
  __syncthreads();
  c[i] = sa[t] + sb[t];  // fault: private_tile
}

// launch: --grid 16 --block 128 --arg f32[8192]=iota --arg f32[2048]=zero
__global__ void fourOfItsOwn(const float* in, float* out) {
  __shared__ float s[4][128];
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) s[k][t] = in[k * 2048 + blockIdx.x * 128 + t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += s[k][t] * (k + 1);  // fault: private_tile
  out[blockIdx.x * 128 + t] = sum;
}

// launch: --grid 8 --block 256 --arg f32[16384]=iota --arg f32[2048]=zero --arg i32=8
__global__ void scaledInALoop(const float* in, float* out, int rounds) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    s[t] = in[(r * 8 + blockIdx.x) * 256 + t];
    __syncthreads();
    sum += s[t] * 2;  // fault: private_tile
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sum;
}

// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=4096
__global__ void blurBesideItsTile(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = in[i];
  __syncthreads();
  float left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;  // fault: tile_reloads
  out[i] = (left + s[t] + right) / 3;
}

// launch: --grid 16 --block 128 --arg f32[2048]=iota --arg f32[2048]=zero
__global__ void differenceBesideItsTile(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  s[t] = in[i];
  __syncthreads();
  out[i] = s[127 - t] - in[blockIdx.x * 128 + (t ^ 1)];  // fault: tile_reloads
}

// launch: --grid 4,4 --block 16,16 --arg f32[4096]=iota --arg f32[4096]=zero
__global__ void columnsBesideItsTile(const float* in, float* out) {
  __shared__ float s[16][17];
  int x = threadIdx.x, y = threadIdx.y, at = blockIdx.y * 16 * 64 + blockIdx.x * 16;
  s[y][x] = in[at + y * 64 + x];
  __syncthreads();
  out[at + y * 64 + x] = s[15 - y][x] + in[at + y * 64 + (15 - x)];  // fault: tile_reloads
}

// launch: --grid 8 --block 64 --arg i32[512]=iota --arg i32[512]=zero
__global__ void sumsBesideItsTile(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, b = blockIdx.x * 64;
  s[t] = in[b + t];
  __syncthreads();
  int sum = s[63 - t];
  for (int d = 1; d < 4; ++d) sum += in[b + (t + d) % 64];  // fault: tile_reloads
  out[b + t] = sum;
}

// launch: --grid 4,4 --block 16,16 --arg f32[4096]=iota --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=64
__global__ void productWithABarrierPerStep(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    ta[ty][tx] = a[row * n + t + tx];
    tb[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      sum += ta[ty][k] * tb[k][tx];
      __syncthreads();  // fault: needless_waits
    }
  }
  c[row * n + col] = sum;
}

// launch: --grid 8 --block 128 --arg f32[1024]=iota --arg f32[1024]=zero
__global__ void windowWithBarriers(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  float sum = 0;
  for (int d = 1; d < 8; ++d) {
    sum += s[(t + d) % 128];
    __syncthreads();  // fault: needless_waits
  }
  out[blockIdx.x * 128 + t] = sum;
}

// launch: --grid 4 --block 128 --arg f32[4096]=iota --arg f32[512]=zero --arg i32=8
__global__ void gathersWithBarriers(const float* in, float* out, int rounds) {
  int t = blockIdx.x * 128 + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    sum += in[r * 512 + t];
    __syncthreads();  // fault: needless_waits
  }
  out[t] = sum;
}

// launch: --grid 4 --block 64 --arg f32[64]=iota --arg f32[256]=zero
__global__ void horner(const float* coefficient, float* out) {
  __shared__ float c[64];
  int t = threadIdx.x;
  c[t] = coefficient[t];
  __syncthreads();
  float x = t * 0.01f, y = 0;
#pragma unroll 1
  for (int k = 0; k < 64; ++k) {
    __syncthreads();  // fault: needless_waits
    y = y * x + c[k];
  }
  out[blockIdx.x * 64 + t] = y;
}
