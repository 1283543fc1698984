// The kernels of faults.cu after the advice was taken: each does the same work without its fault,
// with the same launch unless one stands here. `same:` means that the output is the fault's, byte
// by byte; the others read or write their data in another order, which is the cure.

#ifndef ROUNDS
#define ROUNDS 1
#endif
#define FOR_EACH(i)                                                              \
  _Pragma("unroll") for (int round = 0, i = blockIdx.x * blockDim.x + threadIdx.x; \
                         round < ROUNDS; ++round, i += gridDim.x * blockDim.x)

// same: rows padded by one element
extern "C" __global__ void unpadded_tile(const float* in, float* out) {
  __shared__ float tile[32][33];
  const int t = threadIdx.x;
  for (int r = 0; r < 32; ++r) tile[r][t] = in[blockIdx.x * 1024 + r * 32 + t];
  __syncthreads();
  for (int r = 0; r < 32; ++r) {
    const float v = tile[t][r];
    out[blockIdx.x * 1024 + r * 32 + t] = v;
  }
}

__device__ void transpose_by_tiles(const float* in, float* out) {
  __shared__ float tile[32][33];
  const int n = gridDim.x * 32;
  const int x = threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8)
    tile[j][x] = in[(blockIdx.y * 32 + j) * n + blockIdx.x * 32 + x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8)
    out[(blockIdx.x * 32 + j) * n + blockIdx.y * 32 + x] = tile[x][j];
}

// same: through a tile
extern "C" __global__ void naive_transpose(const float* in, float* out) {
  transpose_by_tiles(in, out);
}

// same: through a tile
extern "C" __global__ void transpose_reads_columns(const float* in, float* out) {
  transpose_by_tiles(in, out);
}

// a structure of arrays
extern "C" __global__ void array_of_structures(const float* __restrict__ in,
                                               float* __restrict__ out) {
  const int n = ROUNDS * gridDim.x * 128;
  FOR_EACH(i) {
    const float x = in[i];
    const float y = in[n + i];
    out[i] = x + y;
  }
}

// a structure of arrays
extern "C" __global__ void three_floats(const float* __restrict__ in, float* __restrict__ out) {
  const int n = ROUNDS * gridDim.x * 128;
  FOR_EACH(i) { out[i] = in[i] + in[n + i] + in[2 * n + i]; }
}

// the index shifted
extern "C" __global__ void misaligned_copy(const float* __restrict__ in, float* __restrict__ out) {
  FOR_EACH(i) { out[i] = in[i]; }
}

// the index shifted
extern "C" __global__ void misaligned_store(const float* __restrict__ in, float* __restrict__ out) {
  FOR_EACH(i) { out[i] = in[i]; }
}

// neighbouring lanes, neighbouring elements
extern "C" __global__ void strided_copy(const float* __restrict__ in, float* __restrict__ out) {
  FOR_EACH(i) { out[i] = in[i]; }
}

// neighbouring lanes, neighbouring elements
extern "C" __global__ void strided_store(const float* __restrict__ in, float* __restrict__ out) {
  FOR_EACH(i) { out[i] = in[i]; }
}

__device__ void sum_of_block(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// same: the first threads work
extern "C" __global__ void interleaved_by_modulo(const float* in, float* out) {
  sum_of_block(in, out);
}

// same: neighbouring lanes, neighbouring words
extern "C" __global__ void interleaved_strided(const float* in, float* out) {
  sum_of_block(in, out);
}

template <typename T>
__device__ T sum_of_warp(T v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}

// same: combined within the block, one atomic for each
extern "C" __global__ void histogram_on_one_address(int* count) {
  __shared__ int of_warps[4];
  const int sum = sum_of_warp(1 + static_cast<int>(threadIdx.x & 1));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    const int old = atomicAdd(&count[0], of_warps[0] + of_warps[1] + of_warps[2] + of_warps[3]);
    if (old < 0) count[0] = 0;
  }
}

// same: combined within the warp, one atomic for each
extern "C" __global__ void sum_by_atomics(const float* in, float* sum) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float v = sum_of_warp(in[i]);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

// same: lanes of one bin are eight, every fourth; the first four then add one sum each
extern "C" __global__ void four_bins(const float* in, float* bins) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  float v = in[i];
  for (int d = 16; d >= 4; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 < 4) atomicAdd(&bins[i & 3], v);
}

// same: kept in shared memory, a bank for each lane
extern "C" __global__ void array_indexed_at_run_time(const float* in, float* out, int k) {
  __shared__ float mine[16][128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 128 + t;
  for (int j = 0; j < 16; ++j) mine[(j * k) & 15][t] = in[i] * static_cast<float>(j);
  float sum = 0;
  for (int j = 0; j < 16; ++j) sum += mine[(j * 7 + k) & 15][t];
  out[i] = sum;
}

// same: threadIdx.x runs along the rows
extern "C" __global__ void tile_loaded_by_columns(const float* in, float* out) {
  __shared__ float tile[16][17];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int n = gridDim.x * 16;
  const int at = blockIdx.y * 16 * n + blockIdx.x * 16;
  tile[y][x] = in[at + y * n + x];
  __syncthreads();
  out[at + y * n + x] = tile[y][x];
}

// same: blocks of whole warps
// launch: --grid 16 --block 96 --arg f32[1536]=iota --arg f32[1536]=zero
// large: --grid 174762 --block 96 --arg f32[16777200]=iota --arg f32[16777200]=zero
extern "C" __global__ void partial_warps(const float* in, float* out) {
  const int i = blockIdx.x * 96 + threadIdx.x;
  out[i] = in[i];
}

// same: the first half of the threads works
extern "C" __global__ void half_of_the_lanes(const float* __restrict__ in,
                                             float* __restrict__ out) {
  for (int round = 0; round < ROUNDS; ++round) {
    if (threadIdx.x < 64) {
      const int i = (round * gridDim.x + blockIdx.x) * 128 + 2 * threadIdx.x;
      out[i] = in[i] + in[i + 1];
    }
  }
}

// same: rows padded by one element
extern "C" __global__ void unpadded_doubles(const double* in, double* out) {
  __shared__ double tile[32][33];
  const int t = threadIdx.x;
  for (int r = 0; r < 32; ++r) tile[r][t] = in[blockIdx.x * 1024 + r * 32 + t];
  __syncthreads();
  for (int r = 0; r < 32; ++r) {
    const double v = tile[t][r];
    out[blockIdx.x * 1024 + r * 32 + t] = v;
  }
}

// same: neighbouring lanes, neighbouring words
extern "C" __global__ void shared_stride_two(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  out[blockIdx.x * 128 + t] = s[t];
}

// same: structures of an odd number of words
extern "C" __global__ void shared_structures(const float* in, float* out) {
  __shared__ float s[128 * 9];
  const int t = threadIdx.x;
  for (int f = 0; f < 8; ++f) s[t * 9 + f] = in[(f * gridDim.x + blockIdx.x) * 128 + t];
  __syncthreads();
  float sum = 0;
  for (int f = 0; f < 8; ++f) sum += s[((t + 1) & 127) * 9 + f];
  out[blockIdx.x * 128 + t] = sum;
}

// the indices sorted
extern "C" __global__ void reads_in_no_order(const float* __restrict__ in,
                                             float* __restrict__ out) {
  FOR_EACH(i) { out[i] = in[i]; }
}

// the indices sorted
extern "C" __global__ void writes_in_no_order(const float* __restrict__ in,
                                              float* __restrict__ out) {
  FOR_EACH(i) { out[i] = in[i]; }
}

// neighbouring lanes, neighbouring elements
extern "C" __global__ void each_thread_a_chunk(const float* in, float* out, int n) {
  const int t = blockIdx.x * 256 + threadIdx.x;
  const int threads = gridDim.x * 256;
  for (int j = 0; j < n; ++j) {
    const float v = in[j * threads + t];
    out[j * threads + t] = v;
  }
}

// neighbouring lanes, neighbouring elements
extern "C" __global__ void row_per_thread(const float* in, float* out) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  const int rows = gridDim.x * 256;
  float sum = 0;
#pragma unroll 1
  for (int c = 0; c < 32; ++c) sum += in[c * rows + row];
  out[row] = sum;
}

// same: the lanes of a bin combined first
extern "C" __global__ void shared_histogram_one_bin(const int* in, int* out) {
  __shared__ int bins[256];
  const int t = threadIdx.x;
  bins[t] = 0;
  __syncthreads();
  const int v = in[blockIdx.x * 256 + t];
  const int most[2] = {__reduce_max_sync(0xffffffff, v & 1 ? 0 : v),
                       __reduce_max_sync(0xffffffff, v & 1 ? v : 0)};
  if (t % 32 < 2) atomicMax(&bins[t % 32], t % 32 == 0 ? most[0] : most[1]);
  __syncthreads();
  out[blockIdx.x * 256 + t] = bins[t];
}

// same: threadIdx.x runs along the rows
extern "C" __global__ void product_reads_columns_of_a(const float* a, const float* b, float* c) {
  const int col = blockIdx.x * 16 + threadIdx.x;
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int n = gridDim.x * 16;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float x = a[row * n + k];
    sum += x * b[k * n + col];
  }
  c[col * n + row] = sum;
}

// same: rows padded by one element
extern "C" __global__ void columns_of_sixteen(const float* in, float* out) {
  __shared__ float tile[16][16];
  const int x = threadIdx.x % 16;
  const int y = threadIdx.x / 16;
  for (int k = 0; k < 32; ++k) {
    tile[y][x ^ y] = in[(blockIdx.x * 32 + k) * 256 + threadIdx.x];
    __syncthreads();
    const float v = tile[x][y ^ x];
    out[(blockIdx.x * 32 + k) * 256 + threadIdx.x] = v;
    __syncthreads();
  }
}

// same: whole warps
// launch: --grid 2 --block 32 --arg f32[64]=iota --arg f32[64]=zero
// large: --grid 1024 --block 256 --arg f32[262144]=iota --arg f32[262144]=zero
extern "C" __global__ void one_thread_per_block(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}

// same: rows are read, and turned in a tile
// launch: --grid 1,4 --block 32,8 --arg f32[4096]=iota --arg f32[4096]=zero
// large: --grid 4096,4 --block 32,8 --arg f32[16777216]=iota --arg f32[16777216]=zero
extern "C" __global__ void stencil_of_columns(const float* in, float* out) {
  __shared__ float tile[32][33];
  const int cols = gridDim.x * 32;
  const int x = threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8)
    tile[j][x] = in[(blockIdx.y * 32 + j) * cols + blockIdx.x * 32 + x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8)
    out[(blockIdx.x * 32 + j) * 128 + blockIdx.y * 32 + x] = tile[x][j] * 3;
}
