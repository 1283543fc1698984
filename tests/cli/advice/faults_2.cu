// More kernels with one planted fault each, as in faults.cu: those that beginners write. cures_2.cu
// has each kernel without its fault.

// launch: --grid 4 --block 256 --arg f32[1024]=ones --arg f32[4]=zero
extern "C" __global__ void one_thread_works(const float* in, float* out) {
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += in[blockIdx.x * 256 + k];  // fault: idle_threads
    out[blockIdx.x] = sum;
  }
}

// launch: --grid 16 --block 256 --arg f32[1024]=iota --arg f32[1024]=zero
extern "C" __global__ void a_quarter_of_the_block(const float* in, float* out) {
  if (threadIdx.x < 64) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i];  // fault: idle_threads
  }
}

// launch: --grid 64 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=4096
extern "C" __global__ void four_times_the_blocks(const float* in, float* out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = in[i];  // fault: idle_threads
}

// launch: --grid 4 --block 256 --arg f32[1024]=ones --arg f32[4]=zero
extern "C" __global__ void one_thread_sums(const float* in, float* out) {
  __shared__ float s[256];
  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += s[k];  // fault: partial_warps
    out[blockIdx.x] = sum;
  }
}

// launch: --grid 16 --block 256 --arg i8[4096]=iota --arg i8[4096]=zero
extern "C" __global__ void copy_of_chars(const char* in, char* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i];  // fault: narrow
}

// launch: --grid 16 --block 256 --arg u16[4096]=iota --arg u16[4096]=zero
extern "C" __global__ void shorts_plus_one(const unsigned short* in, unsigned short* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i] + 1;  // fault: narrow
}

// launch: --grid 16 --block 256 --arg u8[4096]=iota --arg u8[4096]=zero --arg i32=4096
extern "C" __global__ void threshold(const unsigned char* in, unsigned char* out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = in[i] > 100 ? 255 : 0;  // fault: narrow
}

__constant__ float table[256];
// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero --symbol table=f32[256]=iota
extern "C" __global__ void constant_of_each_lane(const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i] * table[threadIdx.x];  // fault: constant_lanes
}

// launch: --grid 16 --block 256 --arg i32[4096]=iota --arg f32[4096]=zero --symbol table=f32[256]=iota
extern "C" __global__ void constant_by_data(const int* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int k = (in[i] * 7) & 63;
  out[i] = table[k];  // fault: constant_lanes
}

// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero
extern "C" __global__ void half_by_a_literal(const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i] * 0.3 + 1.0;  // fault: double_arithmetic
}

// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero
extern "C" __global__ void polynomial_in_double(const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float x = in[i];
#pragma unroll 1
  for (int k = 0; k < 8; ++k) {
    x = x * 1.1 - 0.7;  // fault: double_arithmetic
  }
  out[i] = x;
}

// launch: --grid 2,8 --block 32,8 --arg f32[4096]=iota --arg f32[4096]=ones --arg f32[4096]=zero
extern "C" __global__ void product_sums_in_memory(const float* a, const float* b, float* c) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  for (int k = 0; k < 64; ++k) {
    c[y * 64 + x] += a[y * 64 + k] * b[k * 64 + x];  // fault: accumulates_in_memory
  }
}

// launch: --grid 4 --block 256 --arg f32[65536]=iota --arg f32[1024]=zero
extern "C" __global__ void columns_summed_in_memory(const float* in, float* out) {
  const int x = blockIdx.x * 256 + threadIdx.x;
  for (int k = 0; k < 64; ++k) {
    out[x] += in[k * 1024 + x];  // fault: accumulates_in_memory
  }
}

// launch: --grid 8 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=4096
extern "C" __global__ void grid_too_small(const float* in, float* out, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = in[i];  // fault: unwritten
}

// launch: --grid 2,4 --block 32,8 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=64
extern "C" __global__ void half_of_the_rows(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = 2 * in[y * n + x];  // fault: unwritten
}

// launch: --grid 4 --block 256 --arg f32[1000]=iota --arg f32[1000]=zero --arg i32=1000
extern "C" __global__ void returns_before_a_barrier(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = in[i];
  __syncthreads();  // fault: return_before_barrier
  out[i] = s[threadIdx.x] * 2;
}

// launch: --grid 2,5 --block 32,8 --arg f32[1600]=iota --arg f32[1600]=zero --arg i32=40
extern "C" __global__ void returns_at_the_edge(const float* in, float* out, int n) {
  __shared__ float tile[8][32];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x >= n || y >= n) return;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();  // fault: return_before_barrier
  out[y * n + x] = tile[threadIdx.y][threadIdx.x] + 1;
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[1]=zero
extern "C" __global__ void every_fourth_adds(const float* in, float* sum) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float v = in[i];
  if (v > -1 && i % 4 == 0) atomicAdd(sum, v);  // fault: same_address
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[1]=zero
extern "C" __global__ void few_of_later_warps_add(const float* in, float* sum) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float v = in[i];
  if (v > 2000 && i % 3 == 0) atomicAdd(sum, v);  // fault: same_address
}

// launch: --grid 8,8 --block 32,8 --arg f32[65536]=iota --arg f32[65536]=zero
extern "C" __global__ void padded_the_wrong_way(const float* in, float* out) {
  __shared__ float tile[33][32];
  const int x = threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8)
    tile[j][x] = in[(blockIdx.y * 32 + j) * 256 + blockIdx.x * 32 + x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    const float v = tile[x][j];  // fault: shared_conflicts
    out[(blockIdx.x * 32 + j) * 256 + blockIdx.y * 32 + x] = v;
  }
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero
extern "C" __global__ void sixteen_padded_the_wrong_way(const float* in, float* out) {
  __shared__ float tile[17][16];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * 16 + y) * 128 + blockIdx.x * 16 + x];
  __syncthreads();
  const float v = tile[x][y];  // fault: shared_conflicts
  out[(blockIdx.x * 16 + y) * 128 + blockIdx.y * 16 + x] = v;
}

// launch: --grid 4,4 --block 32,32 --arg f32[16384]=iota --arg f32[16384]=ones --arg f32[16384]=zero
extern "C" __global__ void product_without_tiles(const float* a, const float* b, float* c) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 128; ++k) {
    sum += a[y * 128 + k] * b[k * 128 + x];  // fault: reuse
  }
  c[y * 128 + x] = sum;
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=ones --arg f32[16384]=zero
extern "C" __global__ void product_of_sixteen(const float* a, const float* b, float* c) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 128; ++k) {
    sum += a[y * 128 + k] * b[k * 128 + x];  // fault: reuse
  }
  c[y * 128 + x] = sum;
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[2048]=zero
extern "C" __global__ void every_body_with_every_other(const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float mine = in[i];
  float sum = 0;
  for (int k = 0; k < 2048; ++k) {
    sum += (in[k] - mine) * (in[k] - mine);  // fault: reuse
  }
  out[i] = sum;
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero
extern "C" __global__ void transposed_store_of_sixteen(const float* in, float* out) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  const float v = in[y * 128 + x];
  out[x * 128 + y] = v;  // fault: strided
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero
extern "C" __global__ void indices_exchanged(const float* in, float* out) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  out[x * 128 + y] = 2 * in[x * 128 + y];  // fault: strided
}

// launch: --grid 16 --block 256 --arg f32[8192]=iota --arg f32[4096]=zero
extern "C" __global__ void pairs_one_by_one(const volatile float* in, float* out) {
  const int t = blockIdx.x * 256 + threadIdx.x;
  out[t] = in[2 * t] + in[2 * t + 1];  // fault: vectors
}

// launch: --grid 16 --block 256 --arg f32[65536]=iota --arg f32[4096]=zero
extern "C" __global__ void short_rows_per_thread(const float* in, float* out) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int c = 0; c < 16; ++c) sum += in[row * 16 + c];  // fault: strided
  out[row] = sum;
}

// launch: --grid 64 --block 256 --arg i32[16384]=random:3 --arg i32[8]=zero
extern "C" __global__ void eight_bins(const int* in, int* bins) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int bin = in[i] & 7;
  atomicAdd(&bins[bin], 1);  // fault: histogram
}

// launch: --grid 8,8 --block 16,16 --arg u8[16384]=iota --arg f32[16384]=zero --arg i32=128
extern "C" __global__ void bytes_in_sixteen(const unsigned char* in, float* out, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  const int v = in[y * n + x];  // fault: block_shape
  out[y * n + x] = static_cast<float>(v);
}
