// Lab 3: bank conflicts. Shared memory has 32 banks of 4 bytes; a warp's access takes as many
// wavefronts as the busiest bank has distinct words to deliver.

//@ starter
// The compiler merges, moves and drops shared accesses where it may. Through a volatile pointer it
// may not: each access below is one instruction of the machine code.
template <typename T>
__device__ volatile T* pinned(T* shared) {
  return shared;
}
//@ end

// The same for one load of any type. float4 has no volatile copies, so it is written in PTX.
template <typename T>
__device__ T pinned_load(const T* shared) {
  return *static_cast<const volatile T*>(shared);
}
template <>
__device__ float4 pinned_load<float4>(const float4* shared) {
  float4 v;
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(address));
  return v;
}

// Where the lanes of a warp may leave a loop at different times, `#pragma unroll 1` keeps the loop
// as written. In an unrolled loop some lanes would take the unrolled body and others the remainder,
// in requests of their own.
constexpr int kThreads = 256;
constexpr int kMaxStride = 33;

// ---- strides --------------------------------------------------------------------------------

// Thread t reads word t * stride, `loads` times.
extern "C" __global__ void stride(const float* in, float* out, int stride, int loads) {
  __shared__ float words[(kThreads - 1) * kMaxStride + 1];
  volatile float* tile = pinned(words);

  const int used = (kThreads - 1) * stride + 1;
#pragma unroll 1
  for (int i = threadIdx.x; i < used; i += kThreads) tile[i] = in[i];
  __syncthreads();

  float sum = 0;
  for (int i = 0; i < loads; ++i) sum += tile[threadIdx.x * stride];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// shared[base + stride * t]: the base moves all lanes by the same number of banks.
extern "C" __global__ void base_index(const float* in, float* out, int stride, int base,
                                      int loads) {
  __shared__ float words[kThreads * kMaxStride + 1];
  volatile float* tile = pinned(words);

  const int used = base + (kThreads - 1) * stride + 1;
#pragma unroll 1
  for (int i = threadIdx.x; i < used; i += kThreads) tile[i] = in[i];
  __syncthreads();

  float sum = 0;
  for (int i = 0; i < loads; ++i) sum += tile[base + threadIdx.x * stride];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// The same without `volatile`: the word does not change in the loop, so it is read once.
extern "C" __global__ void stride_plain(const float* in, float* out, int stride, int loads) {
  __shared__ float tile[(kThreads - 1) * kMaxStride + 1];

  const int used = (kThreads - 1) * stride + 1;
#pragma unroll 1
  for (int i = threadIdx.x; i < used; i += kThreads) tile[i] = in[i];
  __syncthreads();

  float sum = 0;
  for (int i = 0; i < loads; ++i) sum += tile[threadIdx.x * stride];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// The same in registers: each thread holds a word, and lanes read each other's by shuffle.
extern "C" __global__ void registers(const float* in, float* out, int stride, int loads) {
  const int lane = threadIdx.x % 32;
  const float word = in[threadIdx.x];
  float sum = 0;
  for (int i = 0; i < loads; ++i) sum += __shfl_sync(0xffffffffu, word, lane * stride % 32);
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// The lanes of a warp read `distinct` different words, all of them in bank 0. Lanes that read the
// same word share it: one word goes to all of them at once.
extern "C" __global__ void broadcast(const float* in, float* out, int distinct, int loads) {
  __shared__ float words[32 * 32];
  volatile float* tile = pinned(words);

  for (int i = threadIdx.x; i < 32 * 32; i += kThreads) tile[i] = in[i];
  __syncthreads();

  float sum = 0;
  for (int i = 0; i < loads; ++i) sum += tile[threadIdx.x % distinct * 32];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// ---- other widths: one warp per block ---------------------------------------------------------

__device__ float number(float4 v) { return v.x + v.y + v.z + v.w; }
template <typename T>
__device__ float number(T v) {
  return static_cast<float>(v);
}

// Lane l reads element l * stride of type T.
template <typename T>
__global__ void typed(const T* in, float* out, int stride, int loads) {
  __shared__ T tile[31 * kMaxStride + 1];

  const int used = 31 * stride + 1;
#pragma unroll 1
  for (int i = threadIdx.x; i < used; i += 32) tile[i] = in[i];
  __syncwarp();

  float sum = 0;
  for (int i = 0; i < loads; ++i) sum += number(pinned_load(&tile[threadIdx.x * stride]));
  out[blockIdx.x * 32 + threadIdx.x] = sum;
}

// ---- structures -------------------------------------------------------------------------------

// An array of structures: thread t reads the fields of its structure one after the other.
template <typename T, int kFields>
__global__ void records(const T* in, T* out) {
  __shared__ T words[kThreads * kFields];
  volatile T* tile = pinned(words);

  for (int i = threadIdx.x; i < kThreads * kFields; i += kThreads) tile[i] = in[i];
  __syncthreads();

  T sum = 0;
  for (int f = 0; f < kFields; ++f) sum += tile[threadIdx.x * kFields + f];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// One array per field: neighbouring threads read neighbouring words.
template <typename T, int kFields>
__global__ void records_split(const T* in, T* out) {
  __shared__ T words[kThreads * kFields];
  volatile T* tile = pinned(words);

  for (int i = threadIdx.x; i < kThreads * kFields; i += kThreads) tile[i] = in[i];
  __syncthreads();

  T sum = 0;
  for (int f = 0; f < kFields; ++f) sum += tile[f * kThreads + threadIdx.x];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// A structure of two words read whole, with nothing pinned: the compiler makes one 8-byte load.
struct Pair {
  float x, y;
};
extern "C" __global__ void pair_plain(const float* in, float* out) {
  __shared__ Pair tile[kThreads];

  for (int i = threadIdx.x; i < 2 * kThreads; i += kThreads) {
    reinterpret_cast<float*>(tile)[i] = in[i];
  }
  __syncthreads();

  const Pair p = tile[threadIdx.x];
  out[blockIdx.x * kThreads + threadIdx.x] = p.x + p.y;
}

// ---- columns of a tile ------------------------------------------------------------------------

// Each warp reads four columns of a 32 x 32 tile, `passes` times. The tile's rows are 32 + pad
// words long.
extern "C" __global__ void column(const float* in, float* out, int pad, int passes) {
  __shared__ float words[32 * (32 + kMaxStride)];
  volatile float* tile = pinned(words);
  const int lane = threadIdx.x % 32;
  const int row = 32 + pad;

  for (int y = threadIdx.x / 32; y < 32; y += 8) tile[y * row + lane] = in[y * 32 + lane];
  __syncthreads();

  for (int x = threadIdx.x / 32; x < 32; x += 8) {
    float sum = 0;
    for (int i = 0; i < passes; ++i) sum += tile[lane * row + x];
    out[(blockIdx.x * 32 + x) * 32 + lane] = sum;
  }
}

// No padding: element (y, x) is kept in column x ^ y of its row, a different bank in every row.
//@ starter
extern "C" __global__ void column_swizzled(const float* in, float* out, int passes) {
  __shared__ float words[32 * 32];
  volatile float* tile = pinned(words);
  const int lane = threadIdx.x % 32;

  //@ yours
  for (int y = threadIdx.x / 32; y < 32; y += 8) tile[y * 32 + (lane ^ y)] = in[y * 32 + lane];
  //@ instead // Where do you keep element (y, x)? As it stands its column is 32 words of one bank.
  //@ instead for (int y = threadIdx.x / 32; y < 32; y += 8) tile[y * 32 + lane] = in[y * 32 + lane];
  //@ end
  __syncthreads();

  for (int x = threadIdx.x / 32; x < 32; x += 8) {
    float sum = 0;
    //@ yours
    for (int i = 0; i < passes; ++i) sum += tile[lane * 32 + (x ^ lane)];
    //@ instead for (int i = 0; i < passes; ++i) sum += tile[lane * 32 + x];
    //@ end
    out[(blockIdx.x * 32 + x) * 32 + lane] = sum;
  }
}
//@ end

// Transposed first: the stores pay for the conflicts once; then columns are read as rows.
extern "C" __global__ void column_transposed(const float* in, float* out, int passes) {
  __shared__ float words[32 * 32];
  volatile float* tile = pinned(words);
  const int lane = threadIdx.x % 32;

  for (int y = threadIdx.x / 32; y < 32; y += 8) tile[lane * 32 + y] = in[y * 32 + lane];
  __syncthreads();

  for (int x = threadIdx.x / 32; x < 32; x += 8) {
    float sum = 0;
    for (int i = 0; i < passes; ++i) sum += tile[x * 32 + lane];
    out[(blockIdx.x * 32 + x) * 32 + lane] = sum;
  }
}

// ---- two neighbouring words -------------------------------------------------------------------

// Thread t uses words 2 t and 2 t + 1.
extern "C" __global__ void interleaved(const float* in, float* out) {
  __shared__ float words[2 * kThreads];
  volatile float* tile = pinned(words);

  for (int i = threadIdx.x; i < 2 * kThreads; i += kThreads) tile[i] = in[i];
  __syncthreads();

  const float even = tile[2 * threadIdx.x];
  const float odd = tile[2 * threadIdx.x + 1];
  out[blockIdx.x * kThreads + threadIdx.x] = even + 3 * odd;
}

extern "C" __global__ void interleaved_plain(const float* in, float* out) {
  __shared__ float tile[2 * kThreads];

  for (int i = threadIdx.x; i < 2 * kThreads; i += kThreads) tile[i] = in[i];
  __syncthreads();

  const float even = tile[2 * threadIdx.x];
  const float odd = tile[2 * threadIdx.x + 1];
  out[blockIdx.x * kThreads + threadIdx.x] = even + 3 * odd;
}

// Each thread brings two elements to shared memory: neighbours, at stride 2 on both sides.
extern "C" __global__ void bring_neighbours(const float* in, float* out) {
  __shared__ float words[2 * kThreads];
  volatile float* tile = pinned(words);
  const volatile float* global = in;

  tile[2 * threadIdx.x] = global[2 * threadIdx.x];
  tile[2 * threadIdx.x + 1] = global[2 * threadIdx.x + 1];
  __syncthreads();

  out += blockIdx.x * 2 * kThreads;
  out[threadIdx.x] = tile[threadIdx.x];
  out[threadIdx.x + kThreads] = tile[threadIdx.x + kThreads];
}

// The cure: a block's width apart, so that neighbouring threads bring neighbouring elements.
extern "C" __global__ void bring_halves(const float* in, float* out) {
  __shared__ float words[2 * kThreads];
  volatile float* tile = pinned(words);
  const volatile float* global = in;

  tile[threadIdx.x] = global[threadIdx.x];
  tile[threadIdx.x + kThreads] = global[threadIdx.x + kThreads];
  __syncthreads();

  out += blockIdx.x * 2 * kThreads;
  out[threadIdx.x] = tile[threadIdx.x];
  out[threadIdx.x + kThreads] = tile[threadIdx.x + kThreads];
}
