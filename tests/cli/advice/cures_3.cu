// The kernels of faults_3.cu after the advice was taken, as in cures.cu.
#include <cuda_fp16.h>

#define TILE_DIM 32
#define BLOCK_ROWS 8
#define WIDTH 128

// same: two neighbours at once
// launch: --grid 4 --block 256 --arg f16[2048]=iota --arg f16[2048]=zero --arg i32=1024
__global__ void scaleHalf(const __half2* __restrict__ x, __half2* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = __hmul2(x[i], __float2half2_rn(2.0f));
}

// an array for each colour
__global__ void rgb_to_gray(const unsigned char* rgb, unsigned char* gray, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned char r = rgb[i];
    unsigned char g = rgb[n + i];
    unsigned char b = rgb[2 * n + i];
    gray[i] = (unsigned char)(0.21f * r + 0.72f * g + 0.07f * b);
  }
}

template <typename T, int N>
__device__ void transposed(const T* in, T* out, int width, int height) {
  __shared__ T tile[N][N + 1];
  int x = blockIdx.x * N + threadIdx.x, y = blockIdx.y * N + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * N + threadIdx.x;
  y = blockIdx.x * N + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

// same: through a tile
// as: transposeNaive<float>
template <typename T>
__global__ void transposeNaive(const T* in, T* out, int width, int height) {
  transposed<T, 32>(in, out, width, height);
}

// same: through a tile
__global__ void transpose_double(const double* A, double* B, unsigned n) {
  transposed<double, 16>(A, B, n, n);
}

// same: rows padded by one element
__global__ void transposeCoalesced(const float* idata, float* odata) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  int width = gridDim.x * TILE_DIM;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}

// same: the last dimension padded
__global__ void transposeWrongPad(float* in, float* out, int n) {
  __shared__ float smem[TILE_DIM][TILE_DIM + 1];
  int r = blockIdx.y * TILE_DIM + threadIdx.y, c = blockIdx.x * TILE_DIM + threadIdx.x;
  smem[threadIdx.x][threadIdx.y] = in[r * n + c];
  __syncthreads();
  int r2 = blockIdx.x * TILE_DIM + threadIdx.y, c2 = blockIdx.y * TILE_DIM + threadIdx.x;
  out[r2 * n + c2] = smem[threadIdx.y][threadIdx.x];
}

__device__ void reduceInPlace(int* g_idata, int* g_odata) {
  unsigned int tid = threadIdx.x;
  int* idata = g_idata + blockIdx.x * blockDim.x;
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) idata[tid] += idata[tid + stride];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// same: the first threads work
__global__ void reduceNeighbored(int* g_idata, int* g_odata, unsigned int n) {
  reduceInPlace(g_idata, g_odata);
}

// same: neighbouring lanes, neighbouring elements
__global__ void reduceNeighboredLess(int* g_idata, int* g_odata) {
  reduceInPlace(g_idata, g_odata);
}

// same: neighbouring lanes, neighbouring words
// as: reduceBad<256>
template <unsigned blockSize>
__global__ void reduceBad(const float* g, float* o) {
  __shared__ float sdata[blockSize];
  sdata[threadIdx.x] = g[blockIdx.x * blockSize + threadIdx.x];
  __syncthreads();
  for (unsigned s = blockSize / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) sdata[threadIdx.x] += sdata[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) o[blockIdx.x] = sdata[0];
}

// a structure of arrays
__global__ void integrate(float* bodies, float dt, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    bodies[i] += bodies[3 * n + i] * dt;
    bodies[n + i] += bodies[4 * n + i] * dt;
    bodies[2 * n + i] += bodies[5 * n + i] * dt;
  }
}

// same: both at once
__global__ void magnitude(const double2* z, double* m) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  double2 v = z[i];
  m[i] = v.x * v.x + v.y * v.y;
}

// a structure of arrays
__global__ void luminance(const float* image, float* out, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += stride)
    out[i] = 0.3f * image[i] + 0.6f * image[n + i] + 0.1f * image[2 * n + i];
}

// the matrix by columns
__global__ void matVec(const float* __restrict__ A, const float* __restrict__ x, float* y, int rows,
                       int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float acc = 0.0f;
  for (int c = 0; c < cols; c++) acc += A[c * rows + row] * x[c];
  y[row] = acc;
}

// same: threadIdx.x runs along the rows
__global__ void matMulSwapped(const float* A, const float* B, float* C, int N) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < N && col < N) {
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

template <int N>
__device__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float As[N][N], Bs[N][N];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * N + ty, col = blockIdx.x * N + tx;
  float acc = 0;
  for (int m = 0; m < n; m += N) {
    As[ty][tx] = a[row * n + m + tx];
    Bs[ty][tx] = b[(m + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < N; ++k) acc += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = acc;
}

// same: tiles in shared memory
__global__ void matmul_global(float* a, float* b, float* c, int width) {
  product<16>(a, b, c, width);
}

// same: rows of one tile padded
// as: matmulTiled<32>
template <int B>
__global__ void matmulTiled(const float* a, const float* b, float* c, int n) {
  __shared__ float As[B][B], Bs[B][B + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * B + ty, col = blockIdx.x * B + tx;
  float acc = 0;
  for (int m = 0; m < n / B; ++m) {
    As[ty][tx] = a[row * n + m * B + tx];
    Bs[tx][ty] = b[(m * B + ty) * n + col];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < B; ++k) acc += As[ty][k] * Bs[tx][k];
    __syncthreads();
  }
  c[row * n + col] = acc;
}

// same: tiles loaded by rows
__global__ void matmulLoadsColumns(const float* a, const float* b, float* c) {
  product<16>(a, b, c, 64);
}

// neighbouring lanes, neighbouring elements
// launch: --grid 8 --block 256 --arg f32[2048]=zero --arg f32[2048]=iota --arg i32=1
__global__ void strideCopy(float* odata, const float* idata, int stride) {
  int xid = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  odata[xid] = idata[xid];
}

// literals of floats
__global__ void sigmoid(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + x[i] * x[i]);
}

__device__ inline float square_plus(float v) { return v * v + 0.1f; }
// literals of floats
__global__ void polynomial_helper(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = square_plus(x[i]);
}

// same: in shared memory
__global__ void sumsOfWindow(const int* in, int* out) {
  __shared__ int window[9][128];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  for (int k = 0; k < 9; ++k) window[k][t] = in[(i + k) & 1023];
  int n = in[i] & 7;
#pragma unroll 1
  for (int a = 0; a < n; ++a) window[a][t] += window[a + 1][t];
  out[i] = window[in[i] & 3][t];
}

// same: summed in a register
__global__ void matmulAccumulates(const float* A, const float* B, float* C, size_t N) {
  size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N || col >= N) return;
  float sum = 0;
  for (size_t k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col];
  C[row * N + col] = sum;
}

// same: all threads of the block
__global__ void serialSum(const float* v, float* result, int n) {
  float s = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += v[i];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffff, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(result, s);
}

// enough blocks
// launch: --grid 4 --block 256 --arg f32[1000]=iota --arg f32[1000]=ones --arg f32[1000]=zero --arg i32=1000
__global__ void vectorAddTruncated(const float* a, const float* b, float* c, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) c[i] = a[i] + b[i];
}

// enough blocks
// launch: --grid 7,7 --block 16,16 --arg f32[10000]=iota --arg f32[10000]=zero --arg i32=100 --arg i32=100
__global__ void invertImage(const float* src, float* dst, int w, int h) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < w && y < h) dst[y * w + x] = 1.0f - src[y * w + x];
}

// same: every thread reaches the barrier
__global__ void blurShared(const float* in, float* out, int n) {
  __shared__ float t[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  bool inside = x < n && y < n;
  if (inside) t[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  if (!inside) return;
  float left = threadIdx.x > 0 ? t[threadIdx.y][threadIdx.x - 1] : 0.f;
  out[y * n + x] = 0.5f * (left + t[threadIdx.y][threadIdx.x]);
}

// same: counted by the block
__global__ void countEven(const int* v, unsigned int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int even = __syncthreads_count(i < n && v[i] % 2 == 0);
  if (threadIdx.x == 0) atomicAdd(count, even);
}

// same: combined within the block
__global__ void findMax(const int* v, int* best, int n) {
  __shared__ int of_warps[8];
  int most = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    most = max(most, v[i]);
  }
  most = __reduce_max_sync(0xffffffff, most);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < 8; ++w) most = max(most, of_warps[w]);
  atomicMax(best, most);
}

__device__ float filter2d[32 * 32];
// same: the table in global memory
__global__ void weightByConstant(const float* in, float* out) {
  int t = threadIdx.y * 32 + threadIdx.x + blockIdx.x * 256;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += in[t] * filter2d[k * 32 + threadIdx.x];
  out[t] = sum;
}

// same: whole warps
// launch: --grid 25 --block 64 --arg f32[1600]=iota --arg f32[1600]=zero
__global__ void hundredThreads(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1.f;
}

// same: blocks 32 wide
// launch: --grid 5,20 --block 32,8 --arg f32[25600]=iota --arg f32[25600]=zero
__global__ void tenByTen(const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * 160 + x] = in[y * 160 + x] + 1.f;
}

// same: threadIdx.x runs along the rows
// launch: --grid 1,128 --block 128,1 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
__global__ void blockIsAColumn(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = in[y * n + x] * 2.f;
}

// same: blocks 32 wide
// launch: --grid 4,16 --block 32,8 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
// large: --grid 128,512 --block 32,8 --arg f32[16777216]=iota --arg f32[16777216]=zero --arg i32=4096
__global__ void fourWide(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = in[y * n + x] * 2.f;
}

// same: whole warps take the even ones, and others the odd ones
__global__ void evenOdd(const float* a, const float* b, float* c) {
  int t = threadIdx.x, odd = t / 128;
  int i = blockIdx.x * blockDim.x + 2 * (t % 128) + odd;
  if (odd == 0) {
    c[i] = a[i] / b[i];
  } else {
    float x = a[i];
    for (int k = 0; k < 4; ++k) x = x * x + b[i];
    c[i] = x;
  }
}

// same: neighbouring lanes take the block's elements in the order of memory
__global__ void volumeWrongOrder(const float* in, float* out) {
  int t = (threadIdx.z * 8 + threadIdx.y) * 8 + threadIdx.x;
  int z = blockIdx.z * 4 + t % 4, y = blockIdx.y * 8 + t / 4 % 8, x = blockIdx.x * 8 + t / 32;
  int id = (x * 16 + y) * 64 + z;
  out[id] = in[id] + 1.f;
}

// same: a word free behind every 32
__global__ void blelloch(const float* g_in, float* g_out) {
  __shared__ float temp[512 + 16];
  const auto at = [](int i) { return i + i / 32; };
  int thid = threadIdx.x, base = blockIdx.x * 512, offset = 1;
  temp[at(thid)] = g_in[base + thid];
  temp[at(thid + 256)] = g_in[base + thid + 256];
  for (int d = 256; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
      temp[at(bi)] += temp[at(ai)];
    }
    offset *= 2;
  }
  __syncthreads();
  if (thid == 0) temp[at(511)] = 0;
  for (int d = 1; d < 512; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
      float t = temp[at(ai)];
      temp[at(ai)] = temp[at(bi)];
      temp[at(bi)] += t;
    }
  }
  __syncthreads();
  g_out[base + thid] = temp[at(thid)];
  g_out[base + thid + 256] = temp[at(thid + 256)];
}

// same: neighbouring lanes, neighbouring words
__global__ void sharedFloat4(const float4* in, float4* out) {
  __shared__ float s[4][128];
  int t = threadIdx.x;
  volatile float* mine = s[0] + t;
  float4 v = in[blockIdx.x * 128 + t];
  mine[0] = v.x;
  mine[128] = v.y;
  mine[256] = v.z;
  mine[384] = v.w;
  __syncthreads();
  float4 w;
  volatile float* other = s[0] + 127 - t;
  w.x = other[0];
  w.y = other[128];
  w.z = other[256];
  w.w = other[384];
  out[blockIdx.x * 128 + t] = w;
}

// same: rows padded by a word
__global__ void halfTile(const __half* in, __half* out) {
  __shared__ __half tile[32][34];
  int t = threadIdx.x;
  for (int r = 0; r < 32; ++r) tile[r][t] = in[blockIdx.x * 1024 + r * 32 + t];
  __syncthreads();
#pragma unroll 1
  for (int r = 0; r < 32; ++r) {
    __half v = tile[t][r];
    out[blockIdx.x * 1024 + r * 32 + t] = v;
  }
}

// same: added up in a register
__global__ void addsInALoop(const float* x, float* sums, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) sum += x[i] * r;
  atomicAdd(&sums[threadIdx.x], sum);
}

// same: neighbouring words
__global__ void perThreadSlice(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// same: as many threads as there is work for
// launch: --grid 4 --block 256 --arg f32[1024]=iota --arg f32[1024]=zero --arg i32=1024
__global__ void launchedByBytes(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = sqrtf(in[i]);
}

// same: every lane works
__global__ void onlyFirstLaneOfEachWarp(const float* in, float* out) {
  int i = (blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x;
  out[i] = in[i] * 2;
}

// same: both at once
__global__ void pairsOfShorts(const ushort2* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ushort2 p = in[i];
  out[i] = p.x + p.y;
}

// a structure of arrays
__global__ void wideStructure(const float* atoms, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int n = gridDim.x * blockDim.x;
  float sum = 0;
  for (int field = 0; field < 12; ++field) sum += atoms[field * n + i];
  out[i] = sum;
}

// same: an array for each part
__global__ void interleavedComplexInShared(const float2* in, float2* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float2 z = in[blockIdx.x * 128 + t];
  volatile float* v = s;
  v[t] = z.x;
  v[128 + t] = z.y;
  __syncthreads();
  float2 w;
  w.x = v[127 - t];
  w.y = v[128 + 127 - t];
  out[blockIdx.x * 128 + t] = w;
}

// same: rows padded by one element
// launch: --grid 4,4 --block 32,32 --shared 4224 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
// large: --grid 128,128 --block 32,32 --shared 4224 --arg f32[16777216]=iota --arg f32[16777216]=zero --arg i32=4096
__global__ void transposeDynamic(const float* in, float* out, int n) {
  extern __shared__ float s[];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  s[threadIdx.y * 33 + threadIdx.x] = in[y * n + x];
  __syncthreads();
  float v = s[threadIdx.x * 33 + threadIdx.y];
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = v;
}

// same: rows padded by one element
__global__ void doubleTileOfSixteen(const double* in, double* out, int n) {
  __shared__ double s[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  s[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  double v = s[threadIdx.x][threadIdx.y];
  out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = v;
}

// same: combined within the warp
__global__ void imageSum(const float* im, float* total) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float v = im[y * WIDTH + x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0) atomicAdd(total, v);
}

// literals and functions of floats
__global__ void gaussian(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = expf(-0.5f * x[i] * x[i]);
}

// literals of floats
__global__ void greyInDouble(const uchar4* rgb, float* grey) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uchar4 p = rgb[i];
  grey[i] = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
}

// literals of floats
__global__ void percent(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 0.15f;
}

// same: every row works
__global__ void onlyFirstRow(const float* in, float* out) {
  int i = (blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x;
  out[i] = in[i] + 1;
}

// enough blocks
// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=4096
__global__ void oneBlock(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i] * in[i];
  }
}

// enough blocks
// launch: --grid 8 --block 128 --arg f32[1000]=iota --arg i32=1000
__global__ void scaleInPlace(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 3.0f;
}

// same: two neighbours at once
// launch: --grid 4,8 --block 16,16 --arg f16[16384]=iota --arg f16[16384]=zero
__global__ void halfImage(const __half2* in, __half2* out) {
  int i = (blockIdx.y * 16 + threadIdx.y) * (WIDTH / 2) + blockIdx.x * 16 + threadIdx.x;
  out[i] = __hadd2(in[i], in[i]);
}

// the matrix by columns
__global__ void dotOfRows(const float* a, float* out, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int rows = gridDim.x * blockDim.x;
  float norm = 0;
  for (int k = 0; k < d; ++k) {
    norm += a[k * rows + i] * a[k * rows + i];
  }
  out[i] = norm;
}

// same: through a tile
__global__ void rotate90(const float* in, float* out) {
  __shared__ float tile[8][36];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * WIDTH + x];
  __syncthreads();
  int t = threadIdx.y * 32 + threadIdx.x, row = t / 8, column = t % 8;
  out[(blockIdx.x * 32 + row) * WIDTH + (WIDTH - 8 - blockIdx.y * 8 + column)] =
      tile[7 - column][row];
}

// same: shuffles
__global__ void lastThreadSums(const float* in, float* out) {
  __shared__ float s[8];
  float v = in[blockIdx.x * 256 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < 8 ? s[threadIdx.x] : 0;
    for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}

// same: in shared memory
__global__ void bigStack(const int* in, int* out, int n) {
  __shared__ int stack[64][64];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t, top = 0;
  if (i >= n) return;
  for (int v = in[i]; v > 0; v /= 2) stack[top++][t] = v;
  int sum = 0;
  while (top > 0) sum += stack[--top][t];
  out[i] = sum;
}

// same: counted by the block
__global__ void countSigns(const int* in, int* counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int some = __syncthreads_count((in[i] & 3) != 0);
  if (threadIdx.x == 0) atomicAdd(&counts[0], some);
  if (threadIdx.x == 1) atomicAdd(&counts[1], static_cast<int>(blockDim.x) - some);
}

// same: summed in a register
__global__ void rowBiasAccumulate(const float* a, const float* b, const float* w, float* c) {
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = a[y * 128 + x];
  for (int k = 0; k < 32; ++k) sum = sum + b[y * 128 + x] * w[k];
  c[y * 128 + x] = sum;
}

// same: both at once
__global__ void upsample(const float* in, float2* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  out[i] = make_float2(v, v);
}

// same: all warps work
__global__ void halfTheWarps(const float* in, float* out) {
  int i = blockIdx.x * 1024 + threadIdx.x;
  out[i] = in[i] * 2.f;
}

// same: rows padded by one element
__global__ void bankOfFilters(const float* a, const float* b, float* c, int taps) {
  __shared__ float w[64][17];
  for (int k = threadIdx.y; k < 16; k += 4) w[threadIdx.x][k] = a[(threadIdx.x * 16 + k) & 2047];
  __syncthreads();
  float sum = 0;
  int i = (blockIdx.y * 4 + threadIdx.y) * 128 + blockIdx.x * 64 + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < taps; ++k) sum += w[threadIdx.x][k] * b[i];
  c[i] = sum;
}

// same: threadIdx.x runs along the rows
__global__ void interiorByColumns(const float* u, float* v, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  float sum = u[(i - 1) * n + j] + u[(i + 1) * n + j];
  v[i * n + j] = 0.5f * sum;
}

// same: rows padded by one element
__global__ void laterWarpsConflict(const float* in, float* out) {
  __shared__ float s[32 * 33];
  int i = blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) s[k * 33 + threadIdx.x] = in[(i + k) & 2047];
  __syncthreads();
  float sum = in[i];
  if (threadIdx.y > 0) {
    for (int k = 0; k < 8; ++k) sum += s[threadIdx.x * 33 + ((k + threadIdx.y) & 31)];
  }
  out[i] = sum;
}

// enough blocks
// launch: --grid 7,7 --block 16,16 --arg f32[10000]=iota --arg f32[10000]=zero --arg i32=100 --arg i32=100
__global__ void gridTooLow(const float* src, float* dst, int w, int h) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < w && y < h) dst[y * w + x] = 1.0f - src[y * w + x];
}

// same: loaded once
__global__ void powersOfEach(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 16; ++k) y[k * n + i] = v * k;
}
