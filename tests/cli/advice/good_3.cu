// Kernels at which there is nothing to gain, as students write them. As in good.cu.
#include <cuda_fp16.h>

#define N_BINS 256
#define RADIUS 3
#define BLOCK 256

// launch: --grid 4 --block 256 --arg f32[1000]=iota --arg f32[1000]=ones --arg f32[1000]=zero --arg i32=1000
__global__ void vectorAdd(const float* A, const float* B, float* C, int numElements) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < numElements) C[i] = A[i] + B[i];
}

// as: axpy<double>
// launch: --grid 16 --block 128 --arg u64=2000 --arg f64=2 --arg f64[2000]=iota --arg f64[2000]=ones
template <typename Real>
__global__ void axpy(size_t n, Real a, const Real* __restrict__ x, Real* __restrict__ y) {
  size_t tid = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (tid >= n) return;
  y[tid] += a * x[tid];
}

// launch: --grid 7,7 --block 16,16 --arg f32[10000]=iota --arg f32[10000]=ones --arg f32[10000]=zero --arg i32=100 --arg i32=100
__global__ void matrixAdd(const float* a, const float* b, float* c, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < w && row < h) {
    int id = row * w + col;
    c[id] = a[id] + b[id];
  }
}

// launch: --grid 4,13 --block 32,8 --arg f32[10000]=iota --arg f32[10000]=zero --arg u32=100
__global__ void scaleImage(const float* in, float* out, unsigned n) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  out[y * n + x] = in[y * n + x] * 0.5f;
}

// launch: --grid 16,16 --block 8,8 --arg f32[16384]=iota --arg f32[16384]=zero
__global__ void eightByEight(const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int n = gridDim.x * blockDim.x;
  out[y * n + x] = in[y * n + x] + 1.0f;
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
__global__ void jacobi(const float* u, float* v, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1) {
    v[i * n + j] =
        0.25f * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]);
  }
}

// launch: --grid 4,4,4 --block 8,8,8 --arg f32[32768]=iota --arg f32[32768]=zero --arg i32=32
__global__ void heat3d(const float* __restrict__ u, float* __restrict__ v, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  int c = (z * n + y) * n + x;
  v[c] = u[c] + 0.1f * (u[c - 1] + u[c + 1] + u[c - n] + u[c + n] + u[c - n * n] + u[c + n * n] -
                        6.0f * u[c]);
}

// launch: --grid 8 --block 256 --arg i32[2054]=iota --arg i32[2054]=zero
__global__ void stencil_1d(const int* in, int* out) {
  __shared__ int temp[BLOCK + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
  int lindex = threadIdx.x + RADIUS;
  temp[lindex] = in[gindex];
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = in[gindex - RADIUS];
    temp[lindex + BLOCK] = in[gindex + BLOCK];
  }
  __syncthreads();
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[lindex + offset];
  out[gindex] = result;
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
__global__ void stencil_tile_halo(const float* in, float* out, int n) {
  __shared__ float t[18][18];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  t[ty][tx] = in[y * n + x];
  if (threadIdx.x == 0) t[ty][0] = x > 0 ? in[y * n + x - 1] : 0.f;
  if (threadIdx.x == 15) t[ty][17] = x < n - 1 ? in[y * n + x + 1] : 0.f;
  if (threadIdx.y == 0) t[0][tx] = y > 0 ? in[(y - 1) * n + x] : 0.f;
  if (threadIdx.y == 15) t[17][tx] = y < n - 1 ? in[(y + 1) * n + x] : 0.f;
  __syncthreads();
  out[y * n + x] = 0.25f * (t[ty - 1][tx] + t[ty + 1][tx] + t[ty][tx - 1] + t[ty][tx + 1]);
}

// as: MatrixMulCUDA<16>
// launch: --grid 5,5 --block 16,16 --arg f32[6400]=ones --arg f32[6400]=iota --arg f32[6400]=zero --arg i32=80 --arg i32=80
template <int BLOCK_SIZE>
__global__ void MatrixMulCUDA(float* A, float* B, float* C, int wA, int wB) {
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int aBegin = wA * BLOCK_SIZE * by, aEnd = aBegin + wA - 1, aStep = BLOCK_SIZE;
  int bBegin = BLOCK_SIZE * bx, bStep = BLOCK_SIZE * wB;
  float Csub = 0;
  for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    As[ty][tx] = A[a + wA * ty + tx];
    Bs[ty][tx] = B[b + wB * ty + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k) Csub += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[wB * BLOCK_SIZE * by + BLOCK_SIZE * bx + wB * ty + tx] = Csub;
}

// launch: --grid 4,4 --block 32,32 --arg f32[10000]=ones --arg f32[10000]=iota --arg f32[10000]=zero --arg i32=100
__global__ void tiledWithEdges(const float* M, const float* N, float* P, int width) {
  __shared__ float Mds[32][32];
  __shared__ float Nds[32][32];
  int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float value = 0;
  for (int ph = 0; ph < (width + 31) / 32; ++ph) {
    int mc = ph * 32 + threadIdx.x, nr = ph * 32 + threadIdx.y;
    Mds[threadIdx.y][threadIdx.x] = (row < width && mc < width) ? M[row * width + mc] : 0.f;
    Nds[threadIdx.y][threadIdx.x] = (nr < width && col < width) ? N[nr * width + col] : 0.f;
    __syncthreads();
    for (int k = 0; k < 32; ++k) value += Mds[threadIdx.y][k] * Nds[k][threadIdx.x];
    __syncthreads();
  }
  if (row < width && col < width) P[row * width + col] = value;
}

__device__ void warpReduce(volatile float* s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}
template <typename T>
__inline__ __device__ T warpReduceSum(T val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    val += __shfl_down_sync(0xffffffff, val, offset);
  return val;
}
// launch: --grid 8 --block 256 --arg f32[8192]=ones --arg f32[1]=zero --arg i32=8192
__global__ void deviceReduce(const float* in, float* out, int n) {
  static __shared__ float shared[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
  sum = warpReduceSum(sum);
  if (lane == 0) shared[wid] = sum;
  __syncthreads();
  sum = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
  if (wid == 0) sum = warpReduceSum(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

// launch: --grid 8 --block 256 --arg f32[4096]=ones --arg f32[4096]=iota --arg f32[8]=zero --arg i32=4096
__global__ void dot(const float* a, const float* b, float* c, int n) {
  __shared__ float cache[256];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  int cacheIndex = threadIdx.x;
  float temp = 0;
  while (tid < n) {
    temp += a[tid] * b[tid];
    tid += blockDim.x * gridDim.x;
  }
  cache[cacheIndex] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
    __syncthreads();
    i /= 2;
  }
  if (cacheIndex == 0) c[blockIdx.x] = cache[0];
}

// launch: --grid 8 --block 256 --arg f32[4096]=ones --arg f32[8]=zero
__global__ void reduceTwoPerThread(const float* g, float* o) {
  __shared__ float s[256];
  unsigned tid = threadIdx.x, i = blockIdx.x * 512 + threadIdx.x;
  s[tid] = g[i] + g[i + 256];
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (tid < k) s[tid] += s[tid + k];
    __syncthreads();
  }
  if (tid == 0) o[blockIdx.x] = s[0];
}

// launch: --grid 16 --block 256 --arg u8[16384]=random:3 --arg u32[256]=zero --arg u64=4096
__global__ void histogram_uchar4(const uchar4* data, unsigned* bins, size_t n) {
  __shared__ unsigned local[N_BINS];
  for (int b = threadIdx.x; b < N_BINS; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)blockDim.x * gridDim.x) {
    uchar4 v = data[i];
    atomicAdd(&local[v.x], 1u);
    atomicAdd(&local[v.y], 1u);
    atomicAdd(&local[v.z], 1u);
    atomicAdd(&local[v.w], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < N_BINS; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

// launch: --grid 16 --block 256 --arg i32[16384]=random:3 --arg u32[64]=zero --arg i32=16384
__global__ void histogram64(const int* data, unsigned* bins, int n) {
  __shared__ unsigned local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i] & 63], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__constant__ float mask[7];
// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[2048]=zero --arg i32=2048 --symbol mask=f32[7]=ones
__global__ void convolution1D(const float* in, float* out, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width) return;
  float value = 0;
  int start = i - 3;
  for (int j = 0; j < 7; ++j)
    if (start + j >= 0 && start + j < width) value += in[start + j] * mask[j];
  out[i] = value;
}

__constant__ float kernel2d[5][5];
// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128 --symbol kernel2d=f32[25]=ones
__global__ void convolution2D(const float* in, float* out, int n) {
  __shared__ float s[20][20];
  int x0 = blockIdx.x * 16 - 2, y0 = blockIdx.y * 16 - 2;
  for (int y = threadIdx.y; y < 20; y += 16)
    for (int x = threadIdx.x; x < 20; x += 16) {
      int gx = x0 + x, gy = y0 + y;
      s[y][x] = (gx >= 0 && gx < n && gy >= 0 && gy < n) ? in[gy * n + gx] : 0.f;
    }
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) sum += s[threadIdx.y + j][threadIdx.x + i] * kernel2d[j][i];
  out[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x] = sum;
}

// launch: --grid 16 --block 256 --arg u8[16384]=iota --arg u8[4096]=zero --arg i32=4096
__global__ void rgba_to_grey(const uchar4* rgba, unsigned char* grey, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 p = rgba[i];
  grey[i] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

// launch: --grid 4,16 --block 32,8 --arg i32[16384]=zero --arg i32=128
__global__ void mandelbrot(int* iterations, int n) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  float cx = -2.0f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n, x = 0, y = 0;
  int k = 0;
  while (k < 50 && x * x + y * y < 4.0f) {
    float t = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = t;
    ++k;
  }
  iterations[py * n + px] = k;
}

// launch: --grid 8,8 --block 16,16 --arg i32[16384]=random:2 --arg i32[16384]=zero --arg i32=128
__global__ void gameOfLife(const int* cells, int* next, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) alive += cells[((y + dy + n) % n) * n + (x + dx + n) % n] & 1;
  next[y * n + x] = alive == 3 || (alive == 2 && (cells[y * n + x] & 1));
}

// launch: --grid 8 --block 128 --arg f32[16384]=random:8 --arg f32[16384]=zero --arg i32=128
__global__ void softmaxRows(const float* x, float* y, int cols) {
  __shared__ float s[128];
  int row = blockIdx.x * 16, t = threadIdx.x;
  for (int r = row; r < row + 16; ++r) {
    float v = x[r * cols + t];
    s[t] = v;
    __syncthreads();
    for (int d = 64; d > 0; d >>= 1) {
      if (t < d) s[t] = fmaxf(s[t], s[t + d]);
      __syncthreads();
    }
    float m = s[0];
    __syncthreads();
    float e = expf(v - m);
    s[t] = e;
    __syncthreads();
    for (int d = 64; d > 0; d >>= 1) {
      if (t < d) s[t] += s[t + d];
      __syncthreads();
    }
    y[r * cols + t] = e / s[0];
    __syncthreads();
  }
}

// launch: --grid 8 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero
__global__ void complexScale(const float2* in, float2* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 z = in[i];
  out[i] = make_float2(z.x * 2.f, z.y * -2.f);
}

struct __align__(16) Vec4 {
  float x, y, z, w;
};
// launch: --grid 8 --block 128 --arg f32[4096]=iota --arg f32[4096]=iota --arg f32=0.1 --arg i32=1024
__global__ void moveParticles(Vec4* pos, const Vec4* vel, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Vec4 p = pos[i], v = vel[i];
  p.x += v.x * dt;
  p.y += v.y * dt;
  p.z += v.z * dt;
  p.w += v.w * dt;
  pos[i] = p;
}

// launch: --grid 4 --block 256 --arg f32[65536]=iota --arg f32[1024]=zero --arg i32=1024 --arg i32=64
__global__ void columnSums(const float* a, float* sums, int cols, int rows) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float s = 0;
  for (int r = 0; r < rows; ++r) s += a[r * cols + c];
  sums[c] = s;
}

// launch: --grid 8 --block 256 --arg f32[65536]=iota --arg f32[1024]=ones --arg f32[64]=zero --arg i32=64 --arg i32=1024
__global__ void gemvWarp(const float* A, const float* x, float* y, int rows, int cols) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= rows) return;
  float s = 0;
  for (int c = lane; c < cols; c += 32) s += A[warp * cols + c] * x[c];
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (lane == 0) y[warp] = s;
}

// launch: --grid 8 --block 256 --arg f16[4096]=iota --arg f16[4096]=zero
__global__ void addHalf2(const __half2* a, __half2* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = __hadd2(a[i], a[i]);
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[2048]=zero --arg i32=2048
__global__ void reluAndHello(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) printf("hello from block %d of %d\n", blockIdx.x, gridDim.x);
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
}

// launch: --grid 2 --block 64
__global__ void helloWorld() {
  printf("Hello from thread %d in block %d\n", threadIdx.x, blockIdx.x);
}

// launch: --grid 8 --block 128 --arg f32[4096]=ones --arg f32[4096]=zero --arg i32=1024
__global__ void nbodyTiled(const float4* pos, float4* acc, int n) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = pos[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 128) {
    tile[threadIdx.x] = pos[t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float s = tile[k].w * inv * inv * inv;
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    __syncthreads();
  }
  acc[i] = make_float4(ax, ay, az, 0);
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
__global__ void gradient(const float* img, float* mag, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n - 1 || y >= n - 1) return;
  float gx = img[y * n + x + 1] - img[y * n + x], gy = img[(y + 1) * n + x] - img[y * n + x];
  mag[y * n + x] = sqrtf(gx * gx + gy * gy);
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
__global__ void sobel(const float* im, float* out, int w) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x == 0 || y == 0 || x == w - 1 || y == w - 1) {
    out[y * w + x] = 0.0f;
    return;
  }
  const float* p = im + y * w + x;
  float gx = -p[-w - 1] - 2 * p[-1] - p[w - 1] + p[-w + 1] + 2 * p[1] + p[w + 1];
  float gy = -p[-w - 1] - 2 * p[-w] - p[-w + 1] + p[w - 1] + 2 * p[w] + p[w + 1];
  out[y * w + x] = fabsf(gx) + fabsf(gy);
}

// launch: --grid 4 --block 256 --arg i32[1024]=iota --arg i32[1024]=zero
__global__ void koggeStone(const int* in, int* out) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = in[i];
  for (int stride = 1; stride < 256; stride *= 2) {
    __syncthreads();
    int v = t >= stride ? s[t - stride] : 0;
    __syncthreads();
    s[t] += v;
  }
  out[i] = s[t];
}

// launch: --grid 4 --block 256 --arg f32[2048]=iota --arg f32[2048]=zero --arg i32=2048
__global__ void reverseGlobal(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < n; i += blockDim.x * gridDim.x) out[n - 1 - i] = in[i];
}

// launch: --grid 8 --block 256 --arg f32[2056]=iota --arg f32[2048]=zero --arg i32=8
__global__ void offsetOfASector(const float* in, float* out, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + k];
}

// launch: --grid 8,16 --block 16,8 --arg f32[16384]=iota --arg f32[16384]=zero
__global__ void transposeDiagonalTile(const float* in, float* out) {
  __shared__ float tile[16][17];
  for (int j = threadIdx.y; j < 16; j += 8)
    tile[j][threadIdx.x] = in[((blockIdx.y / 2) * 16 + j) * 128 + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  if (blockIdx.y % 2) return;
  for (int j = threadIdx.y; j < 16; j += 8)
    out[(blockIdx.x * 16 + j) * 128 + (blockIdx.y / 2) * 16 + threadIdx.x] = tile[threadIdx.x][j];
}

// launch: --grid 8 --block 64 --arg u64[512]=zero --arg i32=100
__global__ void lcgRandom(unsigned long long* state, int rounds) {
  unsigned long long id = blockIdx.x * blockDim.x + threadIdx.x, x = id + 1;
  for (int k = 0; k < rounds; ++k) x = x * 6364136223846793005ull + 1442695040888963407ull;
  state[id] = x;
}

// launch: --grid 8 --block 256 --arg u32[1]=zero --arg i32=64
__global__ void monteCarloPi(unsigned* hits, int rounds) {
  __shared__ unsigned s[8];
  unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, mine = 0;
  for (int k = 0; k < rounds; ++k) {
    x = x * 1664525u + 1013904223u;
    float a = (x >> 8) * (1.0f / 16777216.0f);
    x = x * 1664525u + 1013904223u;
    float b = (x >> 8) * (1.0f / 16777216.0f);
    mine += a * a + b * b < 1.0f;
  }
  mine = __reduce_add_sync(~0u, mine);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned all = 0;
    for (int k = 0; k < 8; ++k) all += s[k];
    atomicAdd(hits, all);
  }
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=4096
__global__ void edgesHeldByBranches(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    b[i] = a[i];
  } else if (i == n - 1) {
    b[i] = a[i];
  } else if (i < n) {
    b[i] = 0.5f * (a[i - 1] + a[i + 1]);
  }
}

// launch: --grid 2,2 --block 32,32 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=64
__global__ void upperTriangle(const float* a, float* b, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= r) b[r * n + c] = a[r * n + c];
}

// launch: --grid 8 --block 256 --arg i32[1]=zero --arg i32=2048
__global__ void countPrimes(int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool prime = i >= 2 && i < n;
  for (int d = 2; d * d <= i; ++d) {
    if (i % d == 0) {
      prime = false;
      break;
    }
  }
  int votes = __syncthreads_count(prime);
  if (threadIdx.x == 0) atomicAdd(count, votes);
}

// launch: --grid 32 --block 256 --arg u32[1]=zero --arg u32=1234567
__global__ void bruteForce(unsigned* found, unsigned wanted) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = i + 1;
  for (int k = 0; k < 32; ++k) h = h * 16777619u ^ (h >> 13);
  if (h == wanted) *found = i;
}

// launch: --grid 32 --block 256 --arg u32[1]=zero --arg u32=1234567 --arg u32[8192]=zero
__global__ void bruteForceWithHits(unsigned* found, unsigned mask, unsigned* hits) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = i + 1;
  for (int k = 0; k < 32; ++k) h = h * 16777619u ^ (h >> 13);
  if ((h & 15) == 3) hits[i] = h;
}

// launch: --grid 4,4 --block 32,32 --shared 4224 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
__global__ void transposeDynamicPadded(const float* in, float* out, int n) {
  extern __shared__ float s[];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  s[threadIdx.y * 33 + threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] =
      s[threadIdx.x * 33 + threadIdx.y];
}

// launch: --grid 8 --block 256 --arg f32[8192]=iota --arg f32[8192]=ones --arg f32[8192]=zero --arg i32=2048
__global__ void addVectorised(const float* a, const float* b, float* c, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) {
    float4 u = reinterpret_cast<const float4*>(a)[i], v = reinterpret_cast<const float4*>(b)[i];
    reinterpret_cast<float4*>(c)[i] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
  }
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[2048]=zero --arg i32=2048
__global__ void periodic(const float* u, float* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  v[i] = 0.5f * u[i] + 0.25f * (u[(i + 1) % n] + u[(i - 1 + n) % n]);
}

// launch: --grid 2,128 --block 64 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
__global__ void clampedRows(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  int l = max(x - 2, 0), r = min(x + 2, n - 1);
  out[y * n + x] = (in[y * n + l] + in[y * n + x] + in[y * n + r]) * 0.333f;
}

// launch: --grid 8,4 --block 16,16 --arg f32[8192]=iota --arg f32[8192]=zero --arg u64=128 --arg u64=64
__global__ void columnMajor(const double* unused, float* out, size_t rows, size_t cols) {
  size_t r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = (float)(r + c);
}

// launch: --grid 4 --block 128 --arg f32[16384]=iota --arg f32[128]=ones --arg f32[128]=zero --arg i32=128
__global__ void blockPerRows(const float* A, const float* x, float* y, int n) {
  __shared__ float part[4];
  for (int r = blockIdx.x; r < n; r += gridDim.x) {
    float v = A[r * n + threadIdx.x] * x[threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) y[r] = part[0] + part[1] + part[2] + part[3];
    __syncthreads();
  }
}

// launch: --grid 16 --block 256 --arg u8[65536]=random:2 --arg u32[256]=zero --arg i32=16384
__global__ void histogramPerWarp(const unsigned* data, unsigned* bins, int n) {
  __shared__ unsigned h[8][256];
  for (int k = threadIdx.x; k < 2048; k += 256) (&h[0][0])[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    unsigned v = data[i];
    unsigned* mine = h[threadIdx.x / 32];
    atomicAdd(&mine[v & 255], 1u);
    atomicAdd(&mine[(v >> 8) & 255], 1u);
    atomicAdd(&mine[(v >> 16) & 255], 1u);
    atomicAdd(&mine[v >> 24], 1u);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int w = 0; w < 8; ++w) sum += h[w][threadIdx.x];
  atomicAdd(&bins[threadIdx.x], sum);
}

// launch: --grid 8 --block 1024 --arg f32[8192]=ones --arg f32[8]=zero
__global__ void reduce1024(const float* g, float* o) {
  __shared__ float s[1024];
  unsigned t = threadIdx.x;
  s[t] = g[blockIdx.x * 1024 + t];
  __syncthreads();
  if (t < 512) s[t] += s[t + 512];
  __syncthreads();
  if (t < 256) s[t] += s[t + 256];
  __syncthreads();
  if (t < 128) s[t] += s[t + 128];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    float v = s[t] + s[t + 32];
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if (t == 0) o[blockIdx.x] = v;
  }
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[8]=iota --arg f32[2048]=zero
__global__ void oneValuePerBlock(const float* in, const float* bias, float* out) {
  __shared__ float b;
  if (threadIdx.x == 0) b = bias[blockIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + b;
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[2048]=zero --arg i32=6
__global__ void uniformReturn(const float* in, float* out, int blocks) {
  __shared__ float s[256];
  if (blockIdx.x >= blocks) return;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = s[threadIdx.x] + s[(threadIdx.x + 1) % 256];
}

// launch: --grid 8 --block 256 --arg f32[4096]=iota --arg f32[2048]=zero
__global__ void pairSums(const float2* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 p = in[i];
  out[i] = p.x + p.y;
}

// launch: --grid 4,64 --block 32,4 --arg f32[16384]=iota --arg f32[32768]=zero --arg i32=128
__global__ void zoomRows(const float* in, float* out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  out[y * n + x] = in[(y / 2) * n + x];
}

// launch: --grid 16 --block 256 --arg f32[2048]=iota --arg f32[4096]=zero
__global__ void zoomColumns(const float* in, float* out) {
  int x = blockIdx.x * 256 + threadIdx.x;
  out[x] = in[x / 2];
}

// launch: --grid 2 --block 1024 --arg f32[2048]=ones --arg f32[2048]=zero
__global__ void inclusiveScanWarps(const float* in, float* out) {
  __shared__ float sums[32];
  int i = blockIdx.x * 1024 + threadIdx.x, lane = threadIdx.x % 32, w = threadIdx.x / 32;
  float v = in[i];
  for (int d = 1; d < 32; d *= 2) {
    float u = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) sums[w] = v;
  __syncthreads();
  if (w == 0) {
    float s = sums[lane];
    for (int d = 1; d < 32; d *= 2) {
      float u = __shfl_up_sync(~0u, s, d);
      if (lane >= d) s += u;
    }
    sums[lane] = s;
  }
  __syncthreads();
  out[i] = v + (w > 0 ? sums[w - 1] : 0);
}

// launch: --grid 2,2 --block 16,16 --arg f32[16384]=ones --arg f32[16384]=iota --arg f32[1024]=zero
__global__ void productATimesBTransposed(const float* a, const float* bt, float* c) {
  __shared__ float ta[16][17], tb[16][17];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty;
  float s = 0;
  for (int k0 = 0; k0 < 512; k0 += 16) {
    ta[ty][tx] = a[row * 512 + k0 + tx];
    tb[ty][tx] = bt[(blockIdx.x * 16 + ty) * 512 + k0 + tx];
    __syncthreads();
    for (int k = 0; k < 16; ++k) s += ta[ty][k] * tb[tx][k];
    __syncthreads();
  }
  c[row * 32 + blockIdx.x * 16 + tx] = s;
}

// launch: --grid 8 --block 128 --arg f64[1024]=iota --arg f32[1024]=zero --arg i32=1024
__global__ void doubleToFloat(const double* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = (float)(in[i] * 0.5);
}

// launch: --grid 4 --block 256 --arg f32[65536]=iota --arg f32[1024]=zero
__global__ void sumInDoubleOnPurpose(const float* in, float* out) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int r = 0; r < 64; ++r) sum += in[r * 1024 + c];
  out[c] = (float)sum;
}

// launch: --grid 8 --block 256 --arg i32[2048]=random:12 --arg f32[2048]=iota --arg f32[2048]=zero
__global__ void branchesByData(const int* kind, const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  if (kind[i] & 1) {
    for (int k = 0; k < 3; ++k) v = v * v - 0.5f;
  } else {
    v = sqrtf(v);
  }
  out[i] = v;
}

// launch: --grid 8 --block 256 --arg i32[2048]=random:12 --arg f32[2048]=iota --arg f32[2048]=zero
__global__ void writesWhereAsked(const int* flag, const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (flag[i] & 1) out[i] = in[i];
}

// launch: --grid 8 --block 256 --arg f32[1024]=iota --arg f32[2048]=random:13 --arg i32[2048]=zero
__global__ void binarySearch(const float* sorted, const float* keys, int* at) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lo = 0, hi = 1023;
  float key = keys[i];
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (sorted[mid] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  at[i] = lo;
}

// launch: --grid 2 --block 256 --arg f32[512]=iota --arg f32[512]=zero --arg i32=500
__global__ void doubleBuffered(const float* in, float* out, int n) {
  __shared__ float s[2][258];
  int t = threadIdx.x + 1, i = blockIdx.x * 256 + threadIdx.x;
  s[0][t] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) s[0][0] = s[1][0] = s[0][257] = s[1][257] = 0;
  __syncthreads();
  int now = 0;
  for (int step = 0; step < 4; ++step) {
    s[1 - now][t] = 0.5f * s[now][t] + 0.25f * (s[now][t - 1] + s[now][t + 1]);
    now = 1 - now;
    __syncthreads();
  }
  if (i < n) out[i] = s[now][t];
}

// launch: --grid 4,1 --block 8,32 --arg f32[4096]=iota --arg f32[4096]=zero
__global__ void narrowButWhole(const float4* in, float4* out) {
  int i = threadIdx.y * 32 + blockIdx.x * 8 + threadIdx.x;
  if (i < 1024) out[i] = in[i];
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[2048]=iota --arg f32[2048]=iota --arg f32[2048]=zero --arg f32[2048]=zero --arg i32=2048
__global__ void soaUpdate(float* __restrict__ x, float* __restrict__ y,
                          const float* __restrict__ vx, float* __restrict__ ox,
                          float* __restrict__ oy, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  ox[i] = x[i] + vx[i] * 0.01f;
  oy[i] = y[i] - vx[i] * 0.01f;
}

// launch: --grid 1 --block 32 --arg f32[32]=iota --arg f32[32]=zero
__global__ void oneWarp(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x];
}

// launch: --grid 5,5 --block 32,32 --arg f32[21904]=iota --arg f32[21904]=zero --arg i32=148
__global__ void edgeGuard148(const float* a, float* b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) b[y * n + x] = a[y * n + x] * a[y * n + x];
}

// launch: --grid 8 --block 256 --arg i32[2048]=random:21 --arg i32[4096]=zero
__global__ void hashInsert(const int* keys, int* table) {
  int key = keys[blockIdx.x * blockDim.x + threadIdx.x] | 1;
  unsigned slot = (unsigned)key * 2654435761u >> 20;
  while (true) {
    int old = atomicCAS(&table[slot], 0, key);
    if (old == 0 || old == key) break;
    slot = (slot + 1) & 4095;
  }
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=ones --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
__global__ void rankEight(const float* a, const float* b, float* c, int n) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = c[row * n + col];
  for (int k = 0; k < 8; ++k) {
    float x = a[row * n + k];
    float y = b[k * n + col];
    sum += x * y;
  }
  c[row * n + col] = sum;
}

// launch: --grid 8 --block 256 --arg i32[2048]=iota --arg i32[1]=zero
__global__ void countPerBlock(const int* v, int* total) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (v[blockIdx.x * blockDim.x + threadIdx.x] > 10) {
    atomicAdd(&count, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, count);
}

// launch: --grid 16 --block 256 --arg u8[4096]=zero --arg i32[256]=zero --arg i32=4096
__global__ void histogramOfDarkImage(const unsigned char* image, int* histo, int n) {
  __shared__ int temp[256];
  temp[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
    atomicAdd(&temp[image[i]], 1);
  }
  __syncthreads();
  atomicAdd(&histo[threadIdx.x], temp[threadIdx.x]);
}
