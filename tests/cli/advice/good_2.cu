// More kernels at which there is nothing to gain: those that students write. As in good.cu.

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=ones --arg f32[16384]=zero --arg i32=128
extern "C" __global__ void matrix_sum(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  if (x < n && y < n) c[y * n + x] = a[y * n + x] + b[y * n + x];
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero
extern "C" __global__ void transpose_of_sixteen(const float* in, float* out) {
  __shared__ float tile[16][17];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * 16 + y) * 128 + blockIdx.x * 16 + x];
  __syncthreads();
  out[(blockIdx.x * 16 + y) * 128 + blockIdx.y * 16 + x] = tile[x][y];
}

template <int kSide>
__device__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kSide][kSide];
  __shared__ float tile_b[kSide][kSide];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int x = blockIdx.x * kSide + tx;
  const int y = blockIdx.y * kSide + ty;
  float sum = 0;
  for (int t = 0; t < n; t += kSide) {
    tile_a[ty][tx] = a[y * n + t + tx];
    tile_b[ty][tx] = b[(t + ty) * n + x];
    __syncthreads();
    for (int k = 0; k < kSide; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=ones --arg f32[16384]=zero --arg i32=128
extern "C" __global__ void product_by_tiles_of_16(const float* a, const float* b, float* c, int n) {
  product<16>(a, b, c, n);
}
// launch: --grid 4,4 --block 32,32 --arg f32[16384]=iota --arg f32[16384]=ones --arg f32[16384]=zero --arg i32=128
extern "C" __global__ void product_by_tiles_of_32(const float* a, const float* b, float* c, int n) {
  product<32>(a, b, c, n);
}

// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=4096
extern "C" __global__ void stencil_of_three(const float* in, float* out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3.0f;
}

// launch: --grid 4,16 --block 32,8 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
extern "C" __global__ void stencil_of_five(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const int i = y * n + x;
  out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero --arg i32=128
extern "C" __global__ void blur_of_sixteen(const float* in, float* out, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int at_x = min(max(x + dx, 0), n - 1);
      const int at_y = min(max(y + dy, 0), n - 1);
      sum += in[at_y * n + at_x];
    }
  }
  out[y * n + x] = sum / 9.0f;
}

// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=4096
extern "C" __global__ void stencil_with_halo(const float* in, float* out, int n) {
  __shared__ float s[258];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t + 1] = in[i];
  if (t == 0) s[0] = i > 0 ? in[i - 1] : 0;
  if (t == 255) s[257] = i < n - 1 ? in[i + 1] : 0;
  __syncthreads();
  out[i] = s[t] + s[t + 1] + s[t + 2];
}

// launch: --grid 32 --block 64 --arg f32[2048]=iota --arg f32[2048]=zero --arg i32=2048
extern "C" __global__ void wide_halo(const float* in, float* out, int n) {
  __shared__ float s[72];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 64 + t;
  s[t + 4] = in[i];
  if (t < 4) {
    s[t] = i >= 4 ? in[i - 4] : 0;
    s[t + 68] = i + 64 < n ? in[i + 64] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum += s[t + k];
  out[i] = sum;
}

// launch: --grid 16 --block 256 --arg i32[65536]=random:5 --arg i32[256]=zero --arg i32=65536
extern "C" __global__ void histogram_per_block(const int* in, int* bins, int n) {
  __shared__ int mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    atomicAdd(&mine[in[i] & 255], 1);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

// launch: --grid 4 --block 64 --arg f32[256]=iota --arg f32[256]=zero
extern "C" __global__ void prints(const float* in, float* out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i] + 1;
  if (threadIdx.x == 0) printf("block %d: %f\n", blockIdx.x, out[i]);
}

// launch: --grid 2 --block 32 --arg f32[64]=iota
extern "C" __global__ void every_thread_prints(const float* in) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  printf("thread %d of block %d has %f\n", threadIdx.x, blockIdx.x, in[i]);
}

// launch: --grid 32 --block 256 --arg f32[8192]=ones --arg f32[32]=zero
extern "C" __global__ void reduction_sequential(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// launch: --grid 32 --block 256 --arg f32[8192]=ones --arg f32[1]=zero
extern "C" __global__ void reduction_one_atomic_per_block(const float* in, float* out) {
  __shared__ float s[8];
  float v = in[blockIdx.x * 256 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < 8 ? s[threadIdx.x] : 0;
    for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) atomicAdd(out, v);
  }
}

// launch: --grid 32 --block 256 --arg f32[65536]=ones --arg f32[256]=iota --arg f32[256]=zero --arg i32=256
extern "C" __global__ void matrix_times_vector(const float* a, const float* x, float* y, int n) {
  const int row = (blockIdx.x * 256 + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  float sum = 0;
  for (int k = lane; k < n; k += 32) sum += a[row * n + k] * x[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

__constant__ float weights[8];
// launch: --grid 16 --block 256 --arg f32[4104]=iota --arg f32[4096]=zero --symbol weights=f32[8]=ones
extern "C" __global__ void filter(const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += weights[k] * in[i + k];
  out[i] = sum;
}

// launch: --grid 16 --block 256 --arg f64[4096]=iota --arg f64[4096]=zero
extern "C" __global__ void doubles_with_literals(const double* in, double* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i] * 0.3 + 1.0;
}

// launch: --grid 8 --block 256 --arg f32[65536]=iota --arg f32[65536]=ones --arg f32=2 --arg i32=65536
extern "C" __global__ void grid_stride(const float* x, float* y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = a * x[i] + y[i];
  }
}

// launch: --grid 4 --block 256 --arg f32[1024]=ones --arg f32[1024]=zero
extern "C" __global__ void scan(const float* in, float* out) {
  __shared__ float s[2][256];
  const int t = threadIdx.x;
  int now = 0;
  s[now][t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
    now = 1 - now;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = s[now][t];
}

// launch: --grid 4 --block 256 --arg f32[1000]=iota --arg f32[1000]=zero --arg i32=1000
extern "C" __global__ void guarded_barrier(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = s[threadIdx.x ^ 1] * 2;
}
