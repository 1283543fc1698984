// Lab 3: bank conflicts. Shared memory has 32 banks of 4 bytes; a warp's access takes as many
// wavefronts as the busiest bank has distinct words to give.

// The compiler merges, moves and drops shared accesses where it may. Through a volatile pointer it
// may not: each access below is one instruction of the machine code.
template <typename T>
__device__ volatile T* pinned(T* shared) {
  return shared;
}

constexpr int kThreads = 256;
constexpr int kMaxStride = 33;

// Thread t reads word t * stride, `loads` times.
extern "C" __global__ void stride(const float* in, float* out, int stride, int loads) {
  __shared__ float words[(kThreads - 1) * kMaxStride + 1];
  volatile float* tile = pinned(words);

  const int used = (kThreads - 1) * stride + 1;
  for (int i = threadIdx.x; i < used; i += kThreads) tile[i] = in[i];
  __syncthreads();

  float sum = 0;
  for (int i = 0; i < loads; ++i) sum += tile[threadIdx.x * stride];
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
