// Kernels with one planted fault each. A line with `fault:` is the one that advice must name, by
// the rule that stands there. The launch stands above the kernel, as `lab probe` takes it; `large:`
// is one that keeps a GPU busy long enough to be timed. cures.cu has each kernel without its fault.

// Elements per thread, so that a large launch has enough loads in flight.
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define FOR_EACH(i)                                                              \
  _Pragma("unroll") for (int round = 0, i = blockIdx.x * blockDim.x + threadIdx.x; \
                         round < ROUNDS; ++round, i += gridDim.x * blockDim.x)

// launch: --grid 8 --block 32 --arg f32[8192]=iota --arg f32[8192]=zero
// large: --grid 16384 --block 32 --arg f32[16777216]=iota --arg f32[16777216]=zero
extern "C" __global__ void unpadded_tile(const float* in, float* out) {
  __shared__ float tile[32][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 32; ++r) tile[r][t] = in[blockIdx.x * 1024 + r * 32 + t];
  __syncthreads();
  for (int r = 0; r < 32; ++r) {
    const float v = tile[t][r];  // fault: shared_conflicts
    out[blockIdx.x * 1024 + r * 32 + t] = v;
  }
}

// launch: --grid 8,8 --block 32,8 --arg f32[65536]=iota --arg f32[65536]=zero
// large: --grid 128,128 --block 32,8 --arg f32[16777216]=iota --arg f32[16777216]=zero
extern "C" __global__ void naive_transpose(const float* in, float* out) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  const int n = gridDim.x * 32;
  for (int j = 0; j < 32; j += 8) {
    const float v = in[(y + j) * n + x];
    out[x * n + y + j] = v;  // fault: strided
  }
}

// launch: --grid 8,8 --block 32,8 --arg f32[65536]=iota --arg f32[65536]=zero
// large: --grid 128,128 --block 32,8 --arg f32[16777216]=iota --arg f32[16777216]=zero
extern "C" __global__ void transpose_reads_columns(const float* in, float* out) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  const int n = gridDim.x * 32;
  for (int j = 0; j < 32; j += 8) {
    const float v = in[x * n + y + j];  // fault: strided
    out[(y + j) * n + x] = v;
  }
}

struct Particle {
  float x, y, z, m;
};
// launch: --grid 32 --block 128 --arg f32[16384]=iota --arg f32[4096]=zero
// large: --grid 16384 --block 128 -D ROUNDS=8 --arg f32[67108864]=iota --arg f32[16777216]=zero
extern "C" __global__ void array_of_structures(const Particle* __restrict__ in,
                                               float* __restrict__ out) {
  FOR_EACH(i) {
    const volatile float* p = &in[i].x;
    const float x = p[0];  // fault: structures
    const float y = p[1];
    out[i] = x + y;
  }
}

struct Three {
  float x, y, z;
};
// launch: --grid 32 --block 128 --arg f32[12288]=iota --arg f32[4096]=zero
// large: --grid 16384 --block 128 -D ROUNDS=4 --arg f32[25165824]=iota --arg f32[8388608]=zero
extern "C" __global__ void three_floats(const Three* __restrict__ in, float* __restrict__ out) {
  FOR_EACH(i) {
    const Three v = in[i];  // fault: structures
    out[i] = v.x + v.y + v.z;
  }
}

// launch: --grid 32 --block 128 --arg f32[4200]=iota --arg f32[4096]=zero
// large: --grid 16384 --block 128 -D ROUNDS=8 --arg f32[16777344]=iota --arg f32[16777216]=zero
extern "C" __global__ void misaligned_copy(const float* __restrict__ in, float* __restrict__ out) {
  FOR_EACH(i) {
    const float v = in[i + 1];  // fault: misaligned
    out[i] = v;
  }
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4200]=zero
// large: --grid 16384 --block 128 -D ROUNDS=8 --arg f32[16777216]=iota --arg f32[16777344]=zero
extern "C" __global__ void misaligned_store(const float* __restrict__ in, float* __restrict__ out) {
  FOR_EACH(i) {
    const float v = in[i];
    out[i + 3] = v;  // fault: misaligned
  }
}

// launch: --grid 32 --block 128 --arg f32[16384]=iota --arg f32[4096]=zero
// large: --grid 16384 --block 128 -D ROUNDS=8 --arg f32[67108864]=iota --arg f32[16777216]=zero
extern "C" __global__ void strided_copy(const float* __restrict__ in, float* __restrict__ out) {
  FOR_EACH(i) {
    const float v = in[i * 4];  // fault: strided
    out[i] = v;
  }
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[131072]=zero
// large: --grid 4096 --block 128 -D ROUNDS=8 --arg f32[4194304]=iota --arg f32[134217728]=zero
extern "C" __global__ void strided_store(const float* __restrict__ in, float* __restrict__ out) {
  FOR_EACH(i) {
    const float v = in[i];
    out[i * 32] = v;  // fault: strided
  }
}

// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[16]=zero
// large: --grid 65536 --block 256 --arg f32[16777216]=iota --arg f32[65536]=zero
extern "C" __global__ void interleaved_by_modulo(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    if (t % (2 * d) == 0)
      s[t] += s[t + d];  // fault: partial_warps
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[16]=zero
// large: --grid 65536 --block 256 --arg f32[16777216]=iota --arg f32[65536]=zero
extern "C" __global__ void interleaved_strided(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const int i = 2 * d * t;
    if (i + d < 256)
      s[i] += s[i + d];  // fault: shared_conflicts
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// launch: --grid 32 --block 128 --arg i32[1]=zero
// large: --grid 16384 --block 128 --arg i32[1]=zero
extern "C" __global__ void histogram_on_one_address(int* count) {
  const int old = atomicAdd(&count[0], 1 + static_cast<int>(threadIdx.x & 1));  // fault: per_block
  if (old < 0) count[0] = 0;
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[1]=zero
// large: --grid 16384 --block 128 --arg f32[2097152]=iota --arg f32[1]=zero
extern "C" __global__ void sum_by_atomics(const float* in, float* sum) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float v = in[i];
  atomicAdd(sum, v);  // fault: same_address
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4]=zero
// large: --grid 16384 --block 128 --arg f32[2097152]=iota --arg f32[4]=zero
extern "C" __global__ void four_bins(const float* in, float* bins) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float v = in[i];
  atomicAdd(&bins[i & 3], v);  // fault: same_address
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=3
// large: --grid 32768 --block 128 --arg f32[4194304]=iota --arg f32[4194304]=zero --arg i32=3
extern "C" __global__ void array_indexed_at_run_time(const float* in, float* out, int k) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  float mine[16];
  for (int j = 0; j < 16; ++j) mine[(j * k) & 15] = in[i] * static_cast<float>(j);  // fault: local_memory
  float sum = 0;
  for (int j = 0; j < 16; ++j) sum += mine[(j * 7 + k) & 15];
  out[i] = sum;
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=zero
// large: --grid 256,256 --block 16,16 --arg f32[16777216]=iota --arg f32[16777216]=zero
extern "C" __global__ void tile_loaded_by_columns(const float* in, float* out) {
  __shared__ float tile[16][17];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int n = gridDim.x * 16;
  const int at = blockIdx.y * 16 * n + blockIdx.x * 16;
  tile[x][y] = in[at + x * n + y];  // fault: strided
  __syncthreads();
  out[at + y * n + x] = tile[y][x];
}

// launch: --grid 32 --block 48 --arg f32[1536]=iota --arg f32[1536]=zero
// large: --grid 349525 --block 48 --arg f32[16777200]=iota --arg f32[16777200]=zero
extern "C" __global__ void partial_warps(const float* in, float* out) {  // fault: partial_warps
  const int i = blockIdx.x * 48 + threadIdx.x;
  out[i] = in[i];
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero
// large: --grid 16384 --block 128 -D ROUNDS=8 --arg f32[16777216]=iota --arg f32[16777216]=zero
extern "C" __global__ void half_of_the_lanes(const float* __restrict__ in, float* __restrict__ out) {
  FOR_EACH(i) {
    if (threadIdx.x % 2 == 0) {
      const float v = in[i] + in[i + 1];  // fault: partial_warps
      out[i] = v;
    }
  }
}

// launch: --grid 8 --block 32 --arg f64[8192]=iota --arg f64[8192]=zero
// large: --grid 8192 --block 32 --arg f64[8388608]=iota --arg f64[8388608]=zero
extern "C" __global__ void unpadded_doubles(const double* in, double* out) {
  __shared__ double tile[32][32];
  const int t = threadIdx.x;
  for (int r = 0; r < 32; ++r) tile[r][t] = in[blockIdx.x * 1024 + r * 32 + t];
  __syncthreads();
  for (int r = 0; r < 32; ++r) {
    const double v = tile[t][r];  // fault: shared_conflicts
    out[blockIdx.x * 1024 + r * 32 + t] = v;
  }
}

// launch: --grid 8 --block 128 --arg f32[1024]=iota --arg f32[1024]=zero
// large: --grid 131072 --block 128 --arg f32[16777216]=iota --arg f32[16777216]=zero
extern "C" __global__ void shared_stride_two(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[2 * t] = in[blockIdx.x * 128 + t];  // fault: shared_conflicts
  __syncthreads();
  out[blockIdx.x * 128 + t] = s[2 * t];
}

// launch: --grid 8 --block 128 --arg f32[8192]=iota --arg f32[1024]=zero
// large: --grid 16384 --block 128 --arg f32[16777216]=iota --arg f32[2097152]=zero
extern "C" __global__ void shared_structures(const float* in, float* out) {
  __shared__ float s[128 * 8];
  const int t = threadIdx.x;
  for (int f = 0; f < 8; ++f)
    s[t * 8 + f] = in[(f * gridDim.x + blockIdx.x) * 128 + t];  // fault: shared_conflicts
  __syncthreads();
  float sum = 0;
  for (int f = 0; f < 8; ++f) sum += s[((t + 1) & 127) * 8 + f];
  out[blockIdx.x * 128 + t] = sum;
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero
// large: --grid 32768 --block 128 -D ROUNDS=8 --arg f32[33554432]=iota --arg f32[33554432]=zero
extern "C" __global__ void reads_in_no_order(const float* __restrict__ in, float* __restrict__ out) {
  const unsigned n = ROUNDS * gridDim.x * 128;
  FOR_EACH(i) {
    const float v = in[(i * 2654435761u >> 7) & (n - 1)];  // fault: scattered
    out[i] = v;
  }
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero
// large: --grid 32768 --block 128 -D ROUNDS=8 --arg f32[33554432]=iota --arg f32[33554432]=zero
extern "C" __global__ void writes_in_no_order(const float* __restrict__ in, float* __restrict__ out) {
  const unsigned n = ROUNDS * gridDim.x * 128;
  FOR_EACH(i) {
    const float v = in[i];
    unsigned to = ((i ^ i >> 3) * 2917u) & (n - 1);  // each step has an inverse: no two meet
    to ^= to >> 6;
    out[to] = v;  // fault: scattered
  }
}

// launch: --grid 16 --block 256 --arg f32[65536]=iota --arg f32[65536]=zero --arg i32=16
// large: --grid 4096 --block 256 --arg f32[16777216]=iota --arg f32[16777216]=zero --arg i32=16
extern "C" __global__ void each_thread_a_chunk(const float* in, float* out, int n) {
  const int t = blockIdx.x * 256 + threadIdx.x;
  for (int j = 0; j < n; ++j) {
    const float v = in[t * n + j];  // fault: strided
    out[j * gridDim.x * 256 + t] = v;
  }
}

// launch: --grid 8 --block 256 --arg f32[65536]=iota --arg f32[2048]=zero
// large: --grid 2048 --block 256 --arg f32[16777216]=iota --arg f32[524288]=zero
extern "C" __global__ void row_per_thread(const float* in, float* out) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int c = 0; c < 32; ++c)
    sum += in[row * 32 + c];  // fault: strided
  out[row] = sum;
}

// launch: --grid 16 --block 256 --arg i32[4096]=iota --arg i32[4096]=zero
// large: --grid 16384 --block 256 --arg i32[4194304]=iota --arg i32[4194304]=zero
extern "C" __global__ void shared_histogram_one_bin(const int* in, int* out) {
  __shared__ int bins[256];
  const int t = threadIdx.x;
  bins[t] = 0;
  __syncthreads();
  const int v = in[blockIdx.x * 256 + t];
  atomicMax(&bins[v & 1], v);  // fault: same_address
  __syncthreads();
  out[blockIdx.x * 256 + t] = bins[t];
}

// launch: --grid 8,8 --block 16,16 --arg f32[16384]=iota --arg f32[16384]=iota --arg f32[16384]=zero
// large: --grid 32,32 --block 16,16 --arg f32[262144]=iota --arg f32[262144]=iota --arg f32[262144]=zero
extern "C" __global__ void product_reads_columns_of_a(const float* a, const float* b, float* c) {
  const int row = blockIdx.x * 16 + threadIdx.x;
  const int col = blockIdx.y * 16 + threadIdx.y;
  const int n = gridDim.x * 16;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float x = a[row * n + k];  // fault: strided
    sum += x * b[k * n + col];
  }
  c[col * n + row] = sum;
}

// launch: --grid 4 --block 256 --arg f32[32768]=iota --arg f32[32768]=zero
// large: --grid 2048 --block 256 --arg f32[16777216]=iota --arg f32[16777216]=zero
extern "C" __global__ void columns_of_sixteen(const float* in, float* out) {
  __shared__ float tile[16][16];
  const int x = threadIdx.x % 16;
  const int y = threadIdx.x / 16;
  for (int k = 0; k < 32; ++k) {
    tile[y][x] = in[(blockIdx.x * 32 + k) * 256 + threadIdx.x];
    __syncthreads();
    const float v = tile[x][y];  // fault: shared_conflicts
    out[(blockIdx.x * 32 + k) * 256 + threadIdx.x] = v;
    __syncthreads();
  }
}

// launch: --grid 64 --block 1 --arg f32[64]=iota --arg f32[64]=zero
// large: --grid 262144 --block 1 --arg f32[262144]=iota --arg f32[262144]=zero
extern "C" __global__ void one_thread_per_block(const float* in, float* out) {  // fault: partial_warps
  out[blockIdx.x] = 2 * in[blockIdx.x];
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4096]=zero
// large: --grid 131072 --block 128 --arg f32[16777216]=iota --arg f32[16777216]=zero
extern "C" __global__ void stencil_of_columns(const float* in, float* out) {
  const int row = threadIdx.x;
  const int col = blockIdx.x;
  const float v = in[row * gridDim.x + col];  // fault: strided
  out[col * 128 + row] = v * 3;
}
