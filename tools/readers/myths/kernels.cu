// The kernels of the myth court (myths.toml): each is the access that a claim is about, and nothing else.
// One warp's accesses decide, so that blocks are small. `volatile` pins them: the compiler may merge none.

#define LANE threadIdx.x

// Fills shared memory of any type, so that nothing is read that nobody wrote.
template <typename T>
__device__ void fill(volatile T* shared, const T* in, int count) {
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < count; i += blockDim.x * blockDim.y) shared[i] = in[i];
  __syncthreads();
}
__device__ void fill4(float4* shared, const float4* in, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) shared[i] = in[i];
  __syncthreads();
}

// ---- global memory ------------------------------------------------------------------------------

__global__ void bytes(const char* in, char* out) { out[LANE] = in[LANE]; }
__global__ void shifted(const float* in, float* out) { out[LANE] = in[LANE + 1]; }
__global__ void reordered(const float* in, float* out) { out[LANE] = in[LANE ^ 5]; }
__global__ void halves(const unsigned short* in, unsigned short* out) { out[LANE] = in[LANE]; }
__global__ void plain_copy(const float* in, float* out) { out[LANE] = in[LANE]; }
__global__ void field_of_float3(const float* in, float* out) { out[LANE] = in[3 * LANE]; }
__global__ void float2s(const float2* in, float2* out) { out[LANE] = in[LANE]; }
// 32 bytes per thread in two stores of 16: side by side, or each store's lanes side by side.
__global__ void split_stores(const float4* in, float4* out) {
  const float4 a = in[LANE], b = in[32 + LANE];
  out[2 * LANE] = a;
  out[2 * LANE + 1] = b;
}
__global__ void joined_stores(const float4* in, float4* out) {
  const float4 a = in[LANE], b = in[32 + LANE];
  out[LANE] = a;
  out[32 + LANE] = b;
}

// ---- words of shared memory -----------------------------------------------------------------------

template <int STRIDE>
__global__ void stride(const float* in, float* out) {
  __shared__ float words[31 * STRIDE + 1];
  volatile float* shared = words;
  fill(shared, in, 31 * STRIDE + 1);
  out[LANE] = shared[STRIDE * LANE];
}
// As printed: two blocks of one warp, each reads word 4 * lane.
__global__ void two_blocks(const float* in, float* out) {
  __shared__ float words[256];
  volatile float* shared = words;
  fill(shared, in, 256);
  out[blockIdx.x * 32 + LANE] = shared[4 * LANE];
}
__global__ void larger_than_needed(const float* in, float* out) {
  __shared__ float words[8192];
  volatile float* shared = words;
  shared[LANE] = in[LANE];
  __syncthreads();
  out[LANE] = shared[LANE];
}

// ---- tiles ----------------------------------------------------------------------------------------

// A column of tile[32][32 + PAD].
template <int PAD>
__global__ void column(const float* in, float* out) {
  __shared__ float words[32 * (32 + PAD)];
  volatile float* tile = words;
  fill(tile, in, 32 * (32 + PAD));
  out[LANE] = tile[LANE * (32 + PAD)];
}
// A column of tile[32][32] whose element (y, x) is at x ^ (y & MASK).
template <int MASK>
__global__ void swizzled(const float* in, float* out) {
  __shared__ float words[32 * 32];
  volatile float* tile = words;
  fill(tile, in, 32 * 32);
  out[LANE] = tile[LANE * 32 + (LANE & MASK)];
}
// 16 x 16 threads, a tile of 16 rows of ROW words: stored by rows, read by columns.
template <int ROW>
__global__ void tile16(const float* in, float* out) {
  __shared__ float words[16 * ROW + 16];
  volatile float* tile = words;
  tile[threadIdx.y * ROW + threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x * ROW + threadIdx.y];
}
// 16 x 32 threads and rows of 17 words: a warp stores two rows.
__global__ void padded_16_by_32(const float* in, float* out) {
  __shared__ float words[32 * 17];
  volatile float* tile = words;
  const int t = threadIdx.y * 16 + threadIdx.x;
  tile[threadIdx.y * 17 + threadIdx.x] = in[t];
  __syncthreads();
  out[t] = tile[t % 32 * 17 + t / 32];
}
// Rows of 65 words, four words per thread: one store of the four.
__global__ void rows_of_65(const float* in, float* out) {
  __shared__ float words[16 * 65];
  volatile float* tile = words;
  tile[threadIdx.y * 65 + threadIdx.x * 4] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.y * 65 + threadIdx.x * 4];
}
__global__ void doubles_by_columns(const double* in, double* out) {
  __shared__ double words[32 * 32];
  volatile double* tile = words;
  fill(tile, in, 32 * 32);
  tile[LANE * 32] = in[LANE];
  __syncthreads();
  out[LANE] = tile[LANE];
}
// Of A's tile of 128 x 8, kept transposed: thread t stores row t / 2, columns 4 * (t % 2) and up.
__global__ void transposed_store(const float* in, float* out) {
  __shared__ float words[8 * 128];
  volatile float* tile = words;
  fill(tile, in, 8 * 128);
  tile[LANE % 2 * 4 * 128 + LANE / 2] = in[LANE];
  __syncthreads();
  out[LANE] = tile[LANE];
}

// ---- vectors of four --------------------------------------------------------------------------------

// Lane l at vector AT(l).
#define VECTORS(name, count, at)                          \
  __global__ void name(const float4* in, float4* out) {   \
    __shared__ float4 vectors[count];                     \
    fill4(vectors, in, count);                            \
    const int lane = threadIdx.x;                         \
    out[lane] = vectors[at];                              \
  }
VECTORS(vectors_in_order, 32, lane)
VECTORS(vectors_far_apart, 128, lane % 8 + lane / 8 * 32)
VECTORS(vectors_32_words_apart, 256, lane * 8)
VECTORS(vectors_all_one, 1, 0)
__global__ void vector_stores(const float4* in, float4* out) {
  __shared__ float4 vectors[32];
  vectors[LANE] = in[LANE];
  __syncthreads();
  out[LANE] = vectors[31 - LANE];
}
__global__ void scalar_stores_4_apart(const float* in, float* out) {
  __shared__ float words[128];
  volatile float* shared = words;
  shared[4 * LANE] = in[LANE];
  __syncthreads();
  out[LANE] = shared[4 * (31 - LANE)];
}
