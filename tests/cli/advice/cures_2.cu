// The kernels of faults_2.cu after the advice was taken, as in cures.cu.

// same: each thread takes a part, and warps add theirs up
extern "C" __global__ void one_thread_works(const float* in, float* out) {
  __shared__ float s[8];
  float v = in[blockIdx.x * 256 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < 8 ? s[threadIdx.x] : 0;
    for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}

// same: blocks as large as their work
// launch: --grid 16 --block 64 --arg f32[1024]=iota --arg f32[1024]=zero
extern "C" __global__ void a_quarter_of_the_block(const float* in, float* out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i];
}

// same: as many blocks as there is work for
// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=4096
extern "C" __global__ void four_times_the_blocks(const float* in, float* out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// same: shuffles
extern "C" __global__ void one_thread_sums(const float* in, float* out) {
  __shared__ float s[8];
  float v = in[blockIdx.x * 256 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < 8 ? s[threadIdx.x] : 0;
    for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}

// same: four neighbours at once
// launch: --grid 4 --block 256 --arg i8[4096]=iota --arg i8[4096]=zero
extern "C" __global__ void copy_of_chars(const char4* in, char4* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i];
}

// same: two neighbours at once
// launch: --grid 8 --block 256 --arg u16[4096]=iota --arg u16[4096]=zero
extern "C" __global__ void shorts_plus_one(const ushort2* in, ushort2* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  ushort2 v = in[i];
  v.x += 1;
  v.y += 1;
  out[i] = v;
}

// same: four neighbours at once
// launch: --grid 4 --block 256 --arg u8[4096]=iota --arg u8[4096]=zero --arg i32=1024
extern "C" __global__ void threshold(const uchar4* in, uchar4* out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const uchar4 v = in[i];
  out[i] = make_uchar4(v.x > 100 ? 255 : 0, v.y > 100 ? 255 : 0, v.z > 100 ? 255 : 0,
                       v.w > 100 ? 255 : 0);
}

__device__ float table[256];
// same: the table in global memory
extern "C" __global__ void constant_of_each_lane(const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i] * table[threadIdx.x];
}

// same: the table in shared memory
extern "C" __global__ void constant_by_data(const int* in, float* out) {
  __shared__ float mine[64];
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x < 64) mine[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  const int k = (in[i] * 7) & 63;
  out[i] = mine[k];
}

// literals of floats
extern "C" __global__ void half_by_a_literal(const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i] * 0.3f + 1.0f;
}

// literals of floats
extern "C" __global__ void polynomial_in_double(const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float x = in[i];
#pragma unroll 1
  for (int k = 0; k < 8; ++k) {
    x = x * 1.1f - 0.7f;
  }
  out[i] = x;
}

// same: summed in a register
extern "C" __global__ void product_sums_in_memory(const float* a, const float* b, float* c) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  float sum = c[y * 64 + x];
  for (int k = 0; k < 64; ++k) {
    sum += a[y * 64 + k] * b[k * 64 + x];
  }
  c[y * 64 + x] = sum;
}

// same: summed in a register
extern "C" __global__ void columns_summed_in_memory(const float* in, float* out) {
  const int x = blockIdx.x * 256 + threadIdx.x;
  float sum = out[x];
  for (int k = 0; k < 64; ++k) {
    sum += in[k * 1024 + x];
  }
  out[x] = sum;
}

// enough blocks
// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=4096
extern "C" __global__ void grid_too_small(const float* in, float* out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// enough blocks
// launch: --grid 2,8 --block 32,8 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=64
extern "C" __global__ void half_of_the_rows(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = 2 * in[y * n + x];
}

// same: guards the accesses alone
extern "C" __global__ void returns_before_a_barrier(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) s[threadIdx.x] = in[i];
  __syncthreads();
  if (i < n) out[i] = s[threadIdx.x] * 2;
}

// same: guards the accesses alone
extern "C" __global__ void returns_at_the_edge(const float* in, float* out, int n) {
  __shared__ float tile[8][32];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  if (x < n && y < n) out[y * n + x] = tile[threadIdx.y][threadIdx.x] + 1;
}

__device__ float of_warp(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

// same: one atomic per warp
extern "C" __global__ void every_fourth_adds(const float* in, float* sum) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float v = in[i];
  const float mine = of_warp(v > -1 && i % 4 == 0 ? v : 0);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

// one atomic per warp; sums of floats this large depend on the order
extern "C" __global__ void few_of_later_warps_add(const float* in, float* sum) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float v = in[i];
  const float mine = of_warp(v > 2000 && i % 3 == 0 ? v : 0);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

// same: rows padded by one element
extern "C" __global__ void padded_the_wrong_way(const float* in, float* out) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8)
    tile[j][x] = in[(blockIdx.y * 32 + j) * 256 + blockIdx.x * 32 + x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    const float v = tile[x][j];
    out[(blockIdx.x * 32 + j) * 256 + blockIdx.y * 32 + x] = v;
  }
}

// same: rows padded by one element
extern "C" __global__ void sixteen_padded_the_wrong_way(const float* in, float* out) {
  __shared__ float tile[17][16];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  tile[y][x ^ y] = in[(blockIdx.y * 16 + y) * 128 + blockIdx.x * 16 + x];
  __syncthreads();
  const float v = tile[x][y ^ x];
  out[(blockIdx.x * 16 + y) * 128 + blockIdx.y * 16 + x] = v;
}

template <int kSide>
__device__ void product_by_tiles(const float* a, const float* b, float* c) {
  __shared__ float tile_a[kSide][kSide];
  __shared__ float tile_b[kSide][kSide];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int x = blockIdx.x * kSide + tx;
  const int y = blockIdx.y * kSide + ty;
  float sum = 0;
  for (int t = 0; t < 128; t += kSide) {
    tile_a[ty][tx] = a[y * 128 + t + tx];
    tile_b[ty][tx] = b[(t + ty) * 128 + x];
    __syncthreads();
    for (int k = 0; k < kSide; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[y * 128 + x] = sum;
}

// same: tiles
extern "C" __global__ void product_without_tiles(const float* a, const float* b, float* c) {
  product_by_tiles<32>(a, b, c);
}

// same: tiles
extern "C" __global__ void product_of_sixteen(const float* a, const float* b, float* c) {
  product_by_tiles<16>(a, b, c);
}

// same: tiles
extern "C" __global__ void every_body_with_every_other(const float* in, float* out) {
  __shared__ float tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float mine = in[i];
  float sum = 0;
  for (int t = 0; t < 2048; t += 256) {
    tile[threadIdx.x] = in[t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 256; ++k) sum += (tile[k] - mine) * (tile[k] - mine);
    __syncthreads();
  }
  out[i] = sum;
}

// same: through a tile
extern "C" __global__ void transposed_store_of_sixteen(const float* in, float* out) {
  __shared__ float tile[16][17];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * 16 + y) * 128 + blockIdx.x * 16 + x];
  __syncthreads();
  out[(blockIdx.x * 16 + y) * 128 + blockIdx.y * 16 + x] = tile[x][y];
}

// same: threadIdx.x runs along the rows
extern "C" __global__ void indices_exchanged(const float* in, float* out) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  out[y * 128 + x] = 2 * in[y * 128 + x];
}

// same: both at once
extern "C" __global__ void pairs_one_by_one(const float2* in, float* out) {
  const int t = blockIdx.x * 256 + threadIdx.x;
  const float2 v = in[t];
  out[t] = v.x + v.y;
}

// a copy by columns
extern "C" __global__ void short_rows_per_thread(const float* in, float* out) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int c = 0; c < 16; ++c) sum += in[c * 4096 + row];
  out[row] = sum;
}

// same: bins of the block first
extern "C" __global__ void eight_bins(const int* in, int* bins) {
  __shared__ int of_block[8];
  const int t = threadIdx.x;
  if (t < 8) of_block[t] = 0;
  __syncthreads();
  atomicAdd(&of_block[in[blockIdx.x * 256 + t] & 7], 1);
  __syncthreads();
  if (t < 8) atomicAdd(&bins[t], of_block[t]);
}

// same: blocks 32 wide
// launch: --grid 4,16 --block 32,8 --arg u8[16384]=iota --arg f32[16384]=zero --arg i32=128
extern "C" __global__ void bytes_in_sixteen(const unsigned char* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const int v = in[y * n + x];
  out[y * n + x] = static_cast<float>(v);
}
