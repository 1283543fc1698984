// The kernels of faults_4.cu, cured by hand as advice says.
#include <cuda_fp16.h>
__global__ void fragmentOfRows(const float* in, float* out) {
  __shared__ float a[8][136];
  int t = threadIdx.x;
  for (int i = t; i < 1024; i += 32) a[i / 128][i % 128] = in[blockIdx.x * 1024 + i];
  __syncthreads();
  int g = t / 4, k = t % 4;
  float s = 0;
  for (int m = 0; m < 128; m += 16)
    s += a[k][m + g] * a[k][m + g + 8] + a[k + 4][m + g] * a[k + 4][m + g + 8];
  out[blockIdx.x * 32 + t] = s;
}

__global__ void rowsOfFour(const float* in, float4* out) {
  __shared__ __align__(16) float tile[32][36];
  int t = threadIdx.x;
  for (int i = 0; i < 32; ++i) tile[i][t] = in[blockIdx.x * 1024 + i * 32 + t];
  __syncthreads();
  for (int i = 0; i < 8; ++i) out[blockIdx.x * 256 + i * 32 + t] = *(const float4*)&tile[t][4 * i];
}

__global__ void matrixRows(const half* in, unsigned* out) {
  __shared__ __align__(16) half b[16][16];
  int t = threadIdx.x;
  for (int i = t; i < 128; i += 32) *(unsigned*)&b[i / 8][i % 8 * 2 ^ i / 8 / 4 % 2 * 8] = ((const unsigned*)in)[blockIdx.x * 128 + i];
  __syncthreads();
  unsigned r0 = 0, r1 = 0;
  for (int k = 0; k < 8; ++k) {
    unsigned x, y, at = (unsigned)__cvta_generic_to_shared(&b[(t + k) % 16][(t + k) % 16 / 4 % 2 * 8]);
    asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at));
    r0 += x;
    r1 += y;
  }
  out[blockIdx.x * 64 + t] = r0;
  out[blockIdx.x * 64 + t + 32] = r1;
}

__global__ void tileOfSixteen(const float* in, float* out) {
  __shared__ float s[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x ^ y] = in[(blockIdx.y * 16 + y) * 64 + blockIdx.x * 16 + x];
  __syncthreads();
  out[(blockIdx.x * 16 + y) * 64 + blockIdx.y * 16 + x] = s[x][y ^ x];
}

// launch: --grid 4 --block 256 --arg u8[16384]=random:1 --arg u32[256]=zero --arg i32=16384
__global__ void histogramOfBytes(const unsigned char* x, unsigned* h, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[x[i]], 1);
  __syncthreads();
  atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}

// launch: --grid 64 --block 128 --arg i32[8192]=random:2 --arg f32[8192]=ones --arg f32[64]=zero
__global__ void weightsByKey(const int* key, const float* w, float* sums) {
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (t < 64) s[t] = 0;
  __syncthreads();
  atomicAdd(&s[key[i] & 63], w[i]);
  __syncthreads();
  if (t < 64) atomicAdd(&sums[t], s[t]);
}

__global__ void largestOfClass(const int* v, int* best) {
  __shared__ int s[16];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (t < 16) s[t] = 0;
  __syncthreads();
  atomicMax(&s[v[i] & 15], v[i]);
  __syncthreads();
  if (t < 16) atomicMax(&best[t], s[t]);
}

// launch: --grid 2 --block 256 --arg u32[8192]=random:4 --arg u32[512]=zero
__global__ void digits(const unsigned* keys, unsigned* counts) {
  __shared__ unsigned s[512];
  int t = threadIdx.x;
  s[t] = s[t + 256] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + t; i < 8192; i += gridDim.x * 256) atomicAdd(&s[keys[i] >> 3 & 511], 1u);
  __syncthreads();
  for (int i = t; i < 512; i += 256) atomicAdd(counts + i, s[i]);
}

__global__ void tileReadBack(const float* in, float* out, int k, int m) {
  __shared__ float tile[32][33];
  int i = threadIdx.x, j = threadIdx.y;
  int bi = blockIdx.x * 32, bj = blockIdx.y * 32;
  tile[i][j] = in[(bj + j) * k + bi + i];
  __syncthreads();
  out[(bi + j) * m + bj + i] = tile[j][i];
}

__global__ void addThroughTiles(const float* a, const float* b, float* c) {
  int i = blockIdx.x * 256 + threadIdx.x;
  c[i] = a[i] + b[i];
}

__global__ void fourOfItsOwn(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += in[k * 2048 + i] * (k + 1);
  out[i] = sum;
}

__global__ void scaledInALoop(const float* in, float* out, int rounds) {
  int t = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) sum += in[(r * 8 + blockIdx.x) * 256 + t] * 2;
  out[blockIdx.x * 256 + t] = sum;
}

__global__ void blurBesideItsTile(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = in[i];
  __syncthreads();
  float left = 0, right = 0;
  if (i > 0) left = t > 0 ? s[t - 1] : in[i - 1];
  if (i + 1 < n) right = t < 255 ? s[t + 1] : in[i + 1];
  out[i] = (left + s[t] + right) / 3;
}

__global__ void differenceBesideItsTile(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  s[t] = in[i];
  __syncthreads();
  out[i] = s[127 - t] - s[t ^ 1];
}

__global__ void columnsBesideItsTile(const float* in, float* out) {
  __shared__ float s[16][17];
  int x = threadIdx.x, y = threadIdx.y, at = blockIdx.y * 16 * 64 + blockIdx.x * 16;
  s[y][x] = in[at + y * 64 + x];
  __syncthreads();
  out[at + y * 64 + x] = s[15 - y][x] + s[y][15 - x];
}

__global__ void sumsBesideItsTile(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, b = blockIdx.x * 64;
  s[t] = in[b + t];
  __syncthreads();
  int sum = s[63 - t];
  for (int d = 1; d < 4; ++d) sum += s[(t + d) % 64];
  out[b + t] = sum;
}

__global__ void productWithABarrierPerStep(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    ta[ty][tx] = a[row * n + t + tx];
    tb[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void windowWithBarriers(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  float sum = 0;
  for (int d = 1; d < 8; ++d) sum += s[(t + d) % 128];
  out[blockIdx.x * 128 + t] = sum;
}

__global__ void gathersWithBarriers(const float* in, float* out, int rounds) {
  int t = blockIdx.x * 128 + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) sum += in[r * 512 + t];
  out[t] = sum;
}

__global__ void horner(const float* coefficient, float* out) {
  __shared__ float c[64];
  int t = threadIdx.x;
  c[t] = coefficient[t];
  __syncthreads();
  float x = t * 0.01f, y = 0;
#pragma unroll 1
  for (int k = 0; k < 64; ++k) y = y * x + c[k];
  out[blockIdx.x * 64 + t] = y;
}
