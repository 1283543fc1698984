// Planted faults as students write them: with names, types, guards and shapes of their own. As in
// faults.cu; cures_3.cu has each kernel without its fault.
#include <cuda_fp16.h>

#define TILE_DIM 32
#define BLOCK_ROWS 8
#define WIDTH 128
#define IDX(row, col, ld) ((row) * (ld) + (col))

// launch: --grid 8 --block 256 --arg f16[2048]=iota --arg f16[2048]=zero --arg i32=2048
__global__ void scaleHalf(const __half* __restrict__ x, __half* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = __hmul(x[i], __float2half(2.0f));  // fault: narrow
}

// launch: --grid 16 --block 256 --arg u8[12288]=iota --arg u8[4096]=zero --arg i32=4096
__global__ void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned char r = rgb[3 * i];  // fault: structures
    unsigned char g = rgb[3 * i + 1];
    unsigned char b = rgb[3 * i + 2];
    gray[i] = (unsigned char)(0.21f * r + 0.72f * g + 0.07f * b);
  }
}

// as: transposeNaive<float>
// launch: --grid 4,4 --block 32,32 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128 --arg i32=128
// large: --grid 128,128 --block 32,32 --arg f32[16777216]=iota --arg f32[16777216]=zero --arg i32=4096 --arg i32=4096
template <typename T>
__global__ void transposeNaive(const T* __restrict__ idata, T* __restrict__ odata, int width,
                               int height) {
  int xIndex = blockIdx.x * blockDim.x + threadIdx.x;
  int yIndex = blockIdx.y * blockDim.y + threadIdx.y;
  if (xIndex < width && yIndex < height) {
    odata[xIndex * height + yIndex] = idata[yIndex * width + xIndex];  // fault: strided
  }
}

// launch: --grid 8,8 --block 16,16 --arg f64[16384]=iota --arg f64[16384]=zero --arg u32=128
__global__ void transpose_double(const double* A, double* B, unsigned n) {
  size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n) return;
  B[IDX(col, row, (size_t)n)] = A[IDX(row, col, (size_t)n)];  // fault: strided
}

// launch: --grid 4,4 --block 32,8 --arg f32[16384]=iota --arg f32[16384]=zero
// large: --grid 128,128 --block 32,8 --arg f32[16777216]=iota --arg f32[16777216]=zero
__global__ void transposeCoalesced(const float* idata, float* odata) {
  __shared__ float tile[TILE_DIM][TILE_DIM];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  int width = gridDim.x * TILE_DIM;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];  // fault: shared_conflicts
}

// launch: --grid 4,4 --block 32,32 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
// large: --grid 128,128 --block 32,32 --arg f32[16777216]=iota --arg f32[16777216]=zero --arg i32=4096
__global__ void transposeWrongPad(float* in, float* out, int n) {
  __shared__ float smem[TILE_DIM + 1][TILE_DIM];
  int r = blockIdx.y * TILE_DIM + threadIdx.y, c = blockIdx.x * TILE_DIM + threadIdx.x;
  smem[threadIdx.x][threadIdx.y] = in[r * n + c];  // fault: shared_conflicts
  __syncthreads();
  int r2 = blockIdx.x * TILE_DIM + threadIdx.y, c2 = blockIdx.y * TILE_DIM + threadIdx.x;
  out[r2 * n + c2] = smem[threadIdx.y][threadIdx.x];
}

// launch: --grid 8 --block 256 --arg i32[2048]=ones --arg i32[8]=zero --arg u32=2048
__global__ void reduceNeighbored(int* g_idata, int* g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int* idata = g_idata + blockIdx.x * blockDim.x;
  if (idx >= n) return;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if ((tid % (2 * stride)) == 0) {
      idata[tid] += idata[tid + stride];  // fault: partial_warps
    }
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// launch: --grid 8 --block 256 --arg i32[2048]=ones --arg i32[8]=zero
__global__ void reduceNeighboredLess(int* g_idata, int* g_odata) {
  unsigned int tid = threadIdx.x;
  int* idata = g_idata + blockIdx.x * blockDim.x;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    int index = 2 * stride * tid;
    if (index < blockDim.x) idata[index] += idata[index + stride];  // fault: strided
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// as: reduceBad<256>
// launch: --grid 8 --block 256 --arg f32[2048]=ones --arg f32[8]=zero
template <unsigned blockSize>
__global__ void reduceBad(const float* g, float* o) {
  __shared__ float sdata[blockSize];
  sdata[threadIdx.x] = g[blockIdx.x * blockSize + threadIdx.x];
  __syncthreads();
  for (unsigned s = 1; s < blockSize; s <<= 1) {
    unsigned k = 2 * s * threadIdx.x;
    if (k < blockSize) {
      sdata[k] += sdata[k + s];  // fault: shared_conflicts
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) o[blockIdx.x] = sdata[0];
}

struct Body {
  float3 pos;
  float3 vel;
  float mass;
};
// launch: --grid 8 --block 128 --arg f32[7168]=iota --arg f32=0.5 --arg i32=1024
// large: --grid 65536 --block 128 --arg f32[58720256]=iota --arg f32=0.5 --arg i32=8388608
__global__ void integrate(Body* bodies, float dt, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    bodies[i].pos.x += bodies[i].vel.x * dt;  // fault: structures
    bodies[i].pos.y += bodies[i].vel.y * dt;
    bodies[i].pos.z += bodies[i].vel.z * dt;
  }
}

struct Complex {
  double re, im;
};
// launch: --grid 8 --block 128 --arg f64[2048]=iota --arg f64[1024]=zero
__global__ void magnitude(const Complex* z, double* m) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  m[i] = z[i].re * z[i].re + z[i].im * z[i].im;  // fault: vectors
}

struct Pixel {
  float r, g, b, a;
};
// launch: --grid 8 --block 128 --arg f32[4096]=iota --arg f32[1024]=zero --arg i32=1024
// large: --grid 65536 --block 128 --arg f32[33554432]=iota --arg f32[8388608]=zero --arg i32=8388608
__global__ void luminance(const Pixel* image, float* out, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += stride)
    out[i] = 0.3f * image[i].r + 0.6f * image[i].g + 0.1f * image[i].b;  // fault: structures
}

// launch: --grid 4 --block 64 --arg f32[16384]=iota --arg f32[64]=ones --arg f32[256]=zero --arg i32=256 --arg i32=64
// large: --grid 4096 --block 64 --arg f32[16777216]=iota --arg f32[64]=ones --arg f32[262144]=zero --arg i32=262144 --arg i32=64
__global__ void matVec(const float* __restrict__ A, const float* __restrict__ x, float* y, int rows,
                       int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float acc = 0.0f;
  for (int c = 0; c < cols; c++) acc += A[row * cols + c] * x[c];  // fault: strided
  y[row] = acc;
}

// launch: --grid 2,2 --block 32,32 --arg f32[4096]=iota --arg f32[4096]=ones --arg f32[4096]=zero --arg i32=64
// large: --grid 32,32 --block 32,32 --arg f32[1048576]=iota --arg f32[1048576]=ones --arg f32[1048576]=zero --arg i32=1024
__global__ void matMulSwapped(const float* A, const float* B, float* C, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < N && col < N) {
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col];  // fault: strided
    C[row * N + col] = sum;
  }
}

// launch: --grid 4,4 --block 16,16 --arg f32[4096]=iota --arg f32[4096]=ones --arg f32[4096]=zero --arg i32=64
__global__ void matmul_global(float* a, float* b, float* c, int width) {
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  float p = 0;
  for (int k = 0; k < width; ++k) {
    float m = a[r * width + k];  // fault: reuse
    float n = b[k * width + q];
    p += m * n;
  }
  c[r * width + q] = p;
}

// as: matmulTiled<32>
// launch: --grid 2,2 --block 32,32 --arg f32[4096]=iota --arg f32[4096]=ones --arg f32[4096]=zero --arg i32=64
// large: --grid 32,32 --block 32,32 --arg f32[1048576]=iota --arg f32[1048576]=ones --arg f32[1048576]=zero --arg i32=1024
template <int B>
__global__ void matmulTiled(const float* a, const float* b, float* c, int n) {
  __shared__ float As[B][B], Bs[B][B];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * B + ty, col = blockIdx.x * B + tx;
  float acc = 0;
  for (int m = 0; m < n / B; ++m) {
    As[ty][tx] = a[row * n + m * B + tx];
    Bs[tx][ty] = b[(m * B + ty) * n + col];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < B; ++k) {
      acc += As[ty][k] * Bs[tx][k];  // fault: shared_conflicts
    }
    __syncthreads();
  }
  c[row * n + col] = acc;
}

// launch: --grid 4,4 --block 16,16 --arg f32[4096]=iota --arg f32[4096]=ones --arg f32[4096]=zero
__global__ void matmulLoadsColumns(const float* a, const float* b, float* c) {
  __shared__ float As[16][17], Bs[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y, n = 64;
  float acc = 0;
  for (int m = 0; m < n; m += 16) {
    As[tx][ty] = a[(blockIdx.y * 16 + tx) * n + m + ty];  // fault: strided
    Bs[ty][tx] = b[(m + ty) * n + blockIdx.x * 16 + tx];
    __syncthreads();
    for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  c[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = acc;
}

// launch: --grid 8 --block 256 --arg f32[16384]=zero --arg f32[16384]=iota --arg i32=8
__global__ void strideCopy(float* odata, const float* idata, int stride) {
  int xid = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  odata[xid] = idata[xid];  // fault: strided
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[2048]=zero --arg i32=2048
__global__ void sigmoid(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0 / (1.0 + x[i] * x[i]);  // fault: double_arithmetic
}

__device__ float square_plus(float v);
// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[2048]=zero
__global__ void polynomial_helper(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = square_plus(x[i]);
}
__device__ inline float square_plus(float v) {
  return v * v + 0.1;  // fault: double_arithmetic
}

// launch: --grid 8 --block 128 --arg i32[1024]=random:9 --arg i32[1024]=zero
__global__ void sumsOfWindow(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int window[9];
  for (int k = 0; k < 9; ++k) window[k] = in[(i + k) & 1023];
  int n = in[i] & 7;
#pragma unroll 1
  for (int a = 0; a < n; ++a) window[a] += window[a + 1];  // fault: local_memory
  out[i] = window[in[i] & 3];
}

// launch: --grid 4,8 --block 16,8 --arg f32[4096]=iota --arg f32[4096]=ones --arg f32[4096]=zero --arg u64=64
__global__ void matmulAccumulates(const float* A, const float* B, float* C, size_t N) {
  size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N || col >= N) return;
  C[row * N + col] = 0;
  for (size_t k = 0; k < N; ++k) {
    C[row * N + col] += A[row * N + k] * B[k * N + col];  // fault: accumulates_in_memory
  }
}

// launch: --grid 1 --block 256 --arg f32[4096]=ones --arg f32[1]=zero --arg i32=4096
__global__ void serialSum(const float* v, float* result, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    float s = 0.f;
    for (int i = 0; i < n; i++) s += v[i];  // fault: idle_threads
    *result = s;
  }
}

// launch: --grid 3 --block 256 --arg f32[1000]=iota --arg f32[1000]=ones --arg f32[1000]=zero --arg i32=1000
__global__ void vectorAddTruncated(const float* a, const float* b, float* c, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) c[i] = a[i] + b[i];  // fault: unwritten
}

// launch: --grid 4,4 --block 16,16 --arg f32[10000]=iota --arg f32[10000]=zero --arg i32=100 --arg i32=100
__global__ void invertImage(const float* src, float* dst, int w, int h) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < w && y < h) dst[y * w + x] = 1.0f - src[y * w + x];  // fault: unwritten
}

// launch: --grid 8,8 --block 16,16 --arg f32[14400]=iota --arg f32[14400]=zero --arg i32=120
__global__ void blurShared(const float* in, float* out, int n) {
  __shared__ float t[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= n || y >= n) return;
  t[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();  // fault: return_before_barrier
  float left = threadIdx.x > 0 ? t[threadIdx.y][threadIdx.x - 1] : 0.f;
  out[y * n + x] = 0.5f * (left + t[threadIdx.y][threadIdx.x]);
}

// launch: --grid 8 --block 256 --arg i32[2048]=iota --arg u32[1]=zero --arg i32=2048
__global__ void countEven(const int* v, unsigned int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && v[i] % 2 == 0) atomicAdd(count, 1u);  // fault: per_block
}

// launch: --grid 8 --block 256 --arg i32[2048]=random:4 --arg i32[1]=zero --arg i32=2048
__global__ void findMax(const int* v, int* best, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicMax(best, v[i]);  // fault: per_block
  }
}

__constant__ float filter2d[32 * 32];
// launch: --grid 4 --block 32,8 --arg f32[1024]=iota --arg f32[1024]=zero --symbol filter2d=f32[1024]=iota
__global__ void weightByConstant(const float* in, float* out) {
  int t = threadIdx.y * 32 + threadIdx.x + blockIdx.x * 256;
  float sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += in[t] * filter2d[k * 32 + threadIdx.x];  // fault: constant_lanes
  out[t] = sum;
}

// launch: --grid 16 --block 100 --arg f32[1600]=iota --arg f32[1600]=zero
__global__ void hundredThreads(const float* in, float* out) {  // fault: partial_warps
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1.f;
}

// launch: --grid 16,16 --block 10,10 --arg f32[25600]=iota --arg f32[25600]=zero
__global__ void tenByTen(const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * 160 + x] = in[y * 160 + x] + 1.f;  // fault: block_shape
}

// launch: --grid 128,1 --block 1,128 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
__global__ void blockIsAColumn(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = in[y * n + x] * 2.f;  // fault: strided
}

// launch: --grid 32,2 --block 4,64 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
// large: --grid 1024,64 --block 4,64 --arg f32[16777216]=iota --arg f32[16777216]=zero --arg i32=4096
__global__ void fourWide(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = in[y * n + x] * 2.f;  // fault: block_shape
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[2048]=ones --arg f32[2048]=zero
__global__ void evenOdd(const float* a, const float* b, float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0) {
    c[i] = a[i] / b[i];  // fault: partial_warps
  } else {
    float x = a[i];
    for (int k = 0; k < 4; ++k) x = x * x + b[i];
    c[i] = x;
  }
}

// launch: --grid 2,2,16 --block 8,8,4 --arg f32[16384]=iota --arg f32[16384]=zero
__global__ void volumeWrongOrder(const float* in, float* out) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y,
      z = blockIdx.z * 4 + threadIdx.z;
  int id = (x * 16 + y) * 64 + z;
  out[id] = in[id] + 1.f;  // fault: strided
}

// launch: --grid 4 --block 256 --arg f32[2048]=ones --arg f32[2048]=zero
// large: --grid 32768 --block 256 --arg f32[16777216]=ones --arg f32[16777216]=zero
__global__ void blelloch(const float* g_in, float* g_out) {
  __shared__ float temp[512];
  int thid = threadIdx.x, base = blockIdx.x * 512, offset = 1;
  temp[thid] = g_in[base + thid];
  temp[thid + 256] = g_in[base + thid + 256];
  for (int d = 256; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
      temp[bi] += temp[ai];  // fault: shared_conflicts
    }
    offset *= 2;
  }
  __syncthreads();
  if (thid == 0) temp[511] = 0;
  for (int d = 1; d < 512; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
      float t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  __syncthreads();
  g_out[base + thid] = temp[thid];
  g_out[base + thid + 256] = temp[thid + 256];
}

// launch: --grid 8 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero
// large: --grid 65536 --block 128 --arg f32[33554432]=iota --arg f32[33554432]=zero
__global__ void sharedFloat4(const float4* in, float4* out) {
  __shared__ float s[128][4];
  int t = threadIdx.x;
  volatile float* mine = s[t];
  float4 v = in[blockIdx.x * 128 + t];
  mine[0] = v.x;  // fault: shared_conflicts
  mine[1] = v.y;
  mine[2] = v.z;
  mine[3] = v.w;
  __syncthreads();
  float4 w;
  volatile float* other = s[127 - t];
  w.x = other[0];
  w.y = other[1];
  w.z = other[2];
  w.w = other[3];
  out[blockIdx.x * 128 + t] = w;
}

// launch: --grid 8 --block 32 --arg f16[8192]=iota --arg f16[8192]=zero
// large: --grid 16384 --block 32 --arg f16[16777216]=iota --arg f16[16777216]=zero
__global__ void halfTile(const __half* in, __half* out) {
  __shared__ __half tile[32][32];
  int t = threadIdx.x;
  for (int r = 0; r < 32; ++r) tile[r][t] = in[blockIdx.x * 1024 + r * 32 + t];
  __syncthreads();
#pragma unroll 1
  for (int r = 0; r < 32; ++r) {
    __half v = tile[t][r];  // fault: shared_conflicts
    out[blockIdx.x * 1024 + r * 32 + t] = v;
  }
}

// launch: --grid 8 --block 256 --arg f32[2048]=ones --arg f32[256]=zero --arg i32=16
__global__ void addsInALoop(const float* __restrict__ x, float* sums, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) atomicAdd(&sums[threadIdx.x], x[i] * r);  // fault: same_address
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[2048]=zero
__global__ void perThreadSlice(const float* in, float* out) {
  __shared__ float s[2048];
  int t = threadIdx.x;
  for (int k = 0; k < 1; ++k) s[t * 8] = in[blockIdx.x * 256 + t];  // fault: shared_conflicts
  __syncthreads();
  out[blockIdx.x * 256 + t] = s[(255 - t) * 8];
}

// launch: --grid 16 --block 256 --arg f32[1024]=iota --arg f32[1024]=zero --arg i32=1024
__global__ void launchedByBytes(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = sqrtf(in[i]);  // fault: idle_threads
}

// launch: --grid 8 --block 32,8 --arg f32[2048]=iota --arg f32[2048]=zero
__global__ void onlyFirstLaneOfEachWarp(const float* in, float* out) {
  if (threadIdx.x == 0) {
    int first = (blockIdx.x * 8 + threadIdx.y) * 32;
    for (int k = 0; k < 32; ++k) {
      out[first + k] = in[first + k] * 2;  // fault: idle_threads
    }
  }
}

// launch: --grid 8 --block 256 --arg u16[4096]=iota --arg i32[2048]=zero
__global__ void pairsOfShorts(const unsigned short* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const volatile unsigned short* p = in;
  out[i] = p[2 * i] + p[2 * i + 1];  // fault: vectors
}

struct Atom {
  float x, y, z, vx, vy, vz, fx, fy, fz, q, m, r, e, s, a, b;
};
// launch: --grid 8 --block 128 --arg f32[16384]=iota --arg f32[1024]=zero
// large: --grid 32768 --block 128 --arg f32[67108864]=iota --arg f32[4194304]=zero
__global__ void wideStructure(const Atom* atoms, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const volatile Atom* p = &atoms[i];
  float sum = p->x;  // fault: structures
  sum += p->y;
  sum += p->z;
  sum += p->vx;
  sum += p->vy;
  sum += p->vz;
  sum += p->fx;
  sum += p->fy;
  sum += p->fz;
  sum += p->q;
  sum += p->m;
  sum += p->r;
  out[i] = sum;
}

// launch: --grid 8 --block 128 --arg f32[2048]=iota --arg f32[2048]=zero
__global__ void interleavedComplexInShared(const float2* in, float2* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float2 z = in[blockIdx.x * 128 + t];
  volatile float* v = s;
  v[2 * t] = z.x;  // fault: shared_conflicts
  v[2 * t + 1] = z.y;
  __syncthreads();
  float2 w;
  w.x = v[2 * (127 - t)];
  w.y = v[2 * (127 - t) + 1];
  out[blockIdx.x * 128 + t] = w;
}

// launch: --grid 4,4 --block 32,32 --shared 4096 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
// large: --grid 128,128 --block 32,32 --shared 4096 --arg f32[16777216]=iota --arg f32[16777216]=zero --arg i32=4096
__global__ void transposeDynamic(const float* in, float* out, int n) {
  extern __shared__ float s[];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  s[threadIdx.y * 32 + threadIdx.x] = in[y * n + x];
  __syncthreads();
  float v = s[threadIdx.x * 32 + threadIdx.y];  // fault: shared_conflicts
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = v;
}

// launch: --grid 8,8 --block 16,16 --arg f64[16384]=iota --arg f64[16384]=zero --arg i32=128
// large: --grid 256,256 --block 16,16 --arg f64[16777216]=iota --arg f64[16777216]=zero --arg i32=4096
__global__ void doubleTileOfSixteen(const double* in, double* out, int n) {
  __shared__ double s[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  s[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  double v = s[threadIdx.x][threadIdx.y];  // fault: shared_conflicts
  out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = v;
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=ones --arg f32[1]=zero
__global__ void imageSum(const float* im, float* total) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  atomicAdd(total, im[y * WIDTH + x]);  // fault: same_address
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[2048]=zero
__global__ void gaussian(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = exp(-0.5 * x[i] * x[i]);  // fault: double_arithmetic
}

// launch: --grid 16 --block 256 --arg u8[16384]=iota --arg f32[4096]=zero
__global__ void greyInDouble(const uchar4* rgb, float* grey) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uchar4 p = rgb[i];
  grey[i] = 0.299 * p.x + 0.587 * p.y + 0.114 * p.z;  // fault: double_arithmetic
}

// launch: --grid 16 --block 256 --arg i32[4096]=iota --arg i32[4096]=zero
__global__ void percent(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 0.15;  // fault: double_arithmetic
}

// launch: --grid 8 --block 32,8 --arg f32[2048]=iota --arg f32[2048]=zero
__global__ void onlyFirstRow(const float* in, float* out) {
  if (threadIdx.y == 0) {
    for (int k = 0; k < 8; ++k) {
      int i = (blockIdx.x * 8 + k) * 32 + threadIdx.x;
      out[i] = in[i] + 1;  // fault: idle_threads
    }
  }
}

// launch: --grid 1 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=4096
__global__ void oneBlock(const float* in, float* out, int n) {
  int i = threadIdx.x;
  if (i < n) {
    out[i] = in[i] * in[i];  // fault: unwritten
  }
}

// launch: --grid 7 --block 128 --arg f32[1000]=iota --arg i32=1000
__global__ void scaleInPlace(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 3.0f;  // fault: unwritten
}

// launch: --grid 8,8 --block 16,16 --arg f16[16384]=iota --arg f16[16384]=zero
__global__ void halfImage(const __half* in, __half* out) {
  int i = (blockIdx.y * 16 + threadIdx.y) * WIDTH + blockIdx.x * 16 + threadIdx.x;
  out[i] = __hadd(in[i], in[i]);  // fault: narrow
}

// launch: --grid 32 --block 64 --arg f32[32768]=iota --arg f32[2048]=zero --arg i32=16
// large: --grid 16384 --block 64 --arg f32[16777216]=iota --arg f32[1048576]=zero --arg i32=16
__global__ void dotOfRows(const float* a, float* out, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float norm = 0;
  for (int k = 0; k < d; ++k) {
    norm += a[i * d + k] * a[i * d + k];  // fault: strided
  }
  out[i] = norm;
}

// launch: --grid 4,16 --block 32,8 --arg f32[16384]=iota --arg f32[16384]=zero
__global__ void rotate90(const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * WIDTH + (WIDTH - 1 - y)] = in[y * WIDTH + x];  // fault: strided
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[8]=zero
__global__ void lastThreadSums(const float* in, float* out) {
  __shared__ float s[256];
  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    float sum = 0;
    for (int i = 0; i < 256; i++) sum += s[i];  // fault: partial_warps
    out[blockIdx.x] = sum;
  }
}

// launch: --grid 4 --block 64 --arg i32[256]=iota --arg i32[256]=zero --arg i32=200
__global__ void bigStack(const int* in, int* out, int n) {
  int stack[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x, top = 0;
  if (i >= n) return;
  for (int v = in[i]; v > 0; v /= 2) stack[top++] = v;  // fault: local_memory
  int sum = 0;
  while (top > 0) sum += stack[--top];
  out[i] = sum;
}

// launch: --grid 8 --block 256 --arg i32[2048]=random:3 --arg i32[2]=zero
__global__ void countSigns(const int* in, int* counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((in[i] & 3) != 0)
    atomicAdd(&counts[0], 1);  // fault: per_block
  else
    atomicAdd(&counts[1], 1);
}

// launch: --grid 2,8 --block 64,8 --arg f32[8192]=iota --arg f32[8192]=iota --arg f32[128]=ones --arg f32[8192]=zero
__global__ void rowBiasAccumulate(const float* a, const float* b, const float* w, float* c) {
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  c[y * 128 + x] = a[y * 128 + x];
  for (int k = 0; k < 32; ++k) {
    c[y * 128 + x] = c[y * 128 + x] + b[y * 128 + x] * w[k];  // fault: accumulates_in_memory
  }
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[4096]=zero
__global__ void upsample(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float* o = out;
  float v = in[i];
  o[2 * i] = v;  // fault: vectors
  o[2 * i + 1] = v;
}

// launch: --grid 8 --block 1024 --arg f32[8192]=iota --arg f32[8192]=zero
__global__ void halfTheWarps(const float* in, float* out) {
  int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (w < 8) {
    for (int k = 0; k < 4; ++k) {
      int i = blockIdx.x * 1024 + (w * 4 + k) * 32 + lane;
      out[i] = in[i] * 2.f;  // fault: idle_threads
    }
  }
}

// launch: --grid 2,4,1 --block 64,4,1 --arg f32[2048]=ones --arg f32[2048]=iota --arg f32[2048]=zero --arg i32=16
__global__ void bankOfFilters(const float* a, const float* b, float* c, int taps) {
  __shared__ float w[64][16];
  for (int k = threadIdx.y; k < 16; k += 4) w[threadIdx.x][k] = a[(threadIdx.x * 16 + k) & 2047];
  __syncthreads();
  float sum = 0;
  int i = (blockIdx.y * 4 + threadIdx.y) * 128 + blockIdx.x * 64 + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < taps; ++k) sum += w[threadIdx.x][k] * b[i];  // fault: shared_conflicts
  c[i] = sum;
}

// launch: --grid 4,16 --block 32,8 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
// large: --grid 128,512 --block 32,8 --arg f32[16777216]=iota --arg f32[16777216]=zero --arg i32=4096
__global__ void interiorByColumns(const float* u, float* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  float sum = u[(i - 1) * n + j] + u[(i + 1) * n + j];  // fault: strided
  v[i * n + j] = 0.5f * sum;
}

// launch: --grid 8 --block 32,8 --arg f32[2048]=iota --arg f32[2048]=zero
__global__ void laterWarpsConflict(const float* in, float* out) {
  __shared__ float s[32 * 32];
  int i = blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) s[k * 32 + threadIdx.x] = in[(i + k) & 2047];
  __syncthreads();
  float sum = in[i];
  if (threadIdx.y > 0) {
    for (int k = 0; k < 8; ++k)
      sum += s[threadIdx.x * 32 + ((k + threadIdx.y) & 31)];  // fault: shared_conflicts
  }
  out[i] = sum;
}

// launch: --grid 7,5 --block 16,16 --arg f32[10000]=iota --arg f32[10000]=zero --arg i32=100 --arg i32=100
__global__ void gridTooLow(const float* src, float* dst, int w, int h) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < w && y < h) dst[y * w + x] = 1.0f - src[y * w + x];  // fault: unwritten
}

// launch: --grid 4 --block 256 --arg f32[1024]=iota --arg f32[16384]=zero --arg i32=1024
__global__ void powersOfEach(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 16; ++k) y[k * n + i] = x[i] * k;  // fault: reloads
}
