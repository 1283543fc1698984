// Kernels at which there is nothing to gain. The launch stands above each, as `lab probe` takes it.

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero
extern "C" __global__ void copy(const float* in, float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i];
}

// launch: --grid 32 --block 128 --arg f32[16384]=iota --arg f32[16384]=zero
extern "C" __global__ void copy_wide(const float4* in, float4* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i];
}

// launch: --grid 8 --block 128 --arg i8[4096]=iota --arg i8[4096]=zero
extern "C" __global__ void copy_bytes(const char4* in, char4* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i];
}

// launch: --grid 32 --block 128 --arg f64[4096]=iota --arg f64[4096]=zero
extern "C" __global__ void copy_doubles(const double* in, double* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i];
}

// launch: --grid 32 --block 128 --arg i32=4000 --arg f32=2 --arg f32[4000]=iota --arg f32[4000]=ones
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

// launch: --grid 8,8 --block 32,8 --arg f32[65536]=iota --arg f32[65536]=zero
extern "C" __global__ void transpose_padded(const float* in, float* out) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8)
    tile[j][x] = in[(blockIdx.y * 32 + j) * 256 + blockIdx.x * 32 + x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8)
    out[(blockIdx.x * 32 + j) * 256 + blockIdx.y * 32 + x] = tile[x][j];
}

// launch: --grid 8,8 --block 32,8 --arg f32[65536]=iota --arg f32[65536]=zero
extern "C" __global__ void transpose_permuted(const float* in, float* out) {
  __shared__ float tile[32][32];
  const int x = threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8)
    tile[j][x ^ j] = in[(blockIdx.y * 32 + j) * 256 + blockIdx.x * 32 + x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8)
    out[(blockIdx.x * 32 + j) * 256 + blockIdx.y * 32 + x] = tile[x][j ^ x];
}

// launch: --grid 16 --block 256 --arg f32[65536]=iota --arg f32[16]=zero
extern "C" __global__ void sum_by_shuffles(const float* in, float* out) {
  __shared__ float s[8];
  const int t = threadIdx.x;
  float v = 0;
  for (int i = 0; i < 16; ++i) v += in[blockIdx.x * 4096 + i * 256 + t];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (t % 32 == 0) s[t / 32] = v;
  __syncthreads();
  if (t == 0) out[blockIdx.x] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

// launch: --grid 4,4 --block 32,8 --arg f32[16384]=iota --arg f32[16384]=iota --arg f32[16384]=zero
extern "C" __global__ void product_in_tiles(const float* a, const float* b, float* c) {
  __shared__ float ta[32][32], tb[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum[4] = {};
  for (int k0 = 0; k0 < 128; k0 += 32) {
    for (int r = 0; r < 4; ++r) {
      ta[y + 8 * r][x] = a[(blockIdx.y * 32 + y + 8 * r) * 128 + k0 + x];
      tb[y + 8 * r][x] = b[(k0 + y + 8 * r) * 128 + blockIdx.x * 32 + x];
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k)
      for (int r = 0; r < 4; ++r) sum[r] += ta[y + 8 * r][k] * tb[k][x];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) c[(blockIdx.y * 32 + y + 8 * r) * 128 + blockIdx.x * 32 + x] = sum[r];
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4096]=iota --arg f32[4096]=zero
extern "C" __global__ void structure_of_arrays(const float* x, const float* y, float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = x[i] * x[i] + y[i] * y[i];
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[1]=ones --arg f32[4096]=zero
extern "C" __global__ void scaled_by_one(const float* in, const float* factor, float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i] * factor[0];
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero
extern "C" __global__ void reversed_in_the_block(const float* in, float* out) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  out[blockIdx.x * 128 + t] = s[127 - t];
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero
extern "C" __global__ void reversed(const float* in, float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[4095 - i] = in[i];
}

// launch: --grid 32 --block 128 --arg i32[4096]=iota --arg i32[1]=zero
extern "C" __global__ void one_atomic_per_block(const int* in, int* sum) {
  __shared__ int s[4];
  const int t = threadIdx.x;
  const int v = __reduce_add_sync(~0u, in[blockIdx.x * 128 + t]);
  if (t % 32 == 0) s[t / 32] = v;
  __syncthreads();
  if (t == 0) atomicAdd(sum, s[0] + s[1] + s[2] + s[3]);
}

// launch: --grid 32 --block 128 --arg i32[4096]=iota --arg i32[4096]=zero
extern "C" __global__ void an_atomic_of_its_own(const int* in, int* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  atomicAdd(&out[i], in[i]);
}

// launch: --grid 8 --block 256 --arg f32[65536]=iota --arg f32[2048]=zero
extern "C" __global__ void row_per_warp(const float* in, float* out) {
  const int lane = threadIdx.x % 32;
  const int warp = blockIdx.x * 8 + threadIdx.x / 32;
  for (int r = 0; r < 32; ++r) {
    float v = in[(warp * 32 + r) * 32 + lane];
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (lane == r) out[warp * 32 + r] = v;
  }
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero
extern "C" __global__ void small_array_in_registers(const float* in, float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  float mine[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) mine[j] = in[i] * static_cast<float>(j);
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j) sum += mine[j] * mine[7 - j];
  out[i] = sum;
}

// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero
extern "C" __global__ void block_loop(const float* in, float* out) {
  for (int i = blockIdx.x * 256 + threadIdx.x; i < 4096; i += gridDim.x * 256) out[i] = 2 * in[i];
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero
extern "C" __global__ void tile_of_sixteen(const float* in, float* out) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  out[y * 128 + x] = in[y * 128 + x] + 1;
}

// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[16]=zero
extern "C" __global__ void sum_in_order(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 128; d >= 32; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t < 32) {
    float v = s[t];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (t == 0) out[blockIdx.x] = v;
  }
}
