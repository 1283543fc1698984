// Lab 11: reduction. Each block of 256 threads adds up 256 numbers; elements beyond n are zeros.

constexpr int kThreads = 256;

// The compiler merges, moves and drops shared accesses where it may. Through a volatile pointer it
// may not: each access below is one instruction of the machine code.
template <typename T>
__device__ volatile T* pinned(T* shared) {
  return shared;
}

__device__ float element(const float* in, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  return i < n ? in[i] : 0;
}

// Step s adds up every thread whose number is a multiple of 2 s: threads drop out one by one.
extern "C" __global__ void modulo(const float* in, float* sums, int n) {
  __shared__ float words[kThreads];
  volatile float* s = pinned(words);
  const int t = threadIdx.x;
  s[t] = element(in, n);
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2) {
    if (t % (2 * step) == 0) s[t] = s[t] + s[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}

// The same additions by the first threads: whole warps drop out, and strides grow.
extern "C" __global__ void strided(const float* in, float* sums, int n) {
  __shared__ float words[kThreads];
  volatile float* s = pinned(words);
  const int t = threadIdx.x;
  s[t] = element(in, n);
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2) {
    const int i = 2 * step * t;
    if (i < kThreads) s[i] = s[i] + s[i + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}

// The upper half is added to the lower one: whole warps drop out, and words stay neighbours.
extern "C" __global__ void sequential(const float* in, float* sums, int n) {
  __shared__ float words[kThreads];
  volatile float* s = pinned(words);
  const int t = threadIdx.x;
  s[t] = element(in, n);
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (t < step) s[t] = s[t] + s[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}

// Within a warp through registers; lane 0 has the sum.
__device__ float warp_sum(float sum) {
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  return sum;
}

// Eight warps' sums go through shared memory to the first warp; thread 0 has the block's sum.
__device__ float block_sum(float value) {
  __shared__ float words[kThreads / 32];
  volatile float* s = pinned(words);
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const float sum = warp_sum(value);
  if (lane == 0) s[warp] = sum;
  __syncthreads();
  if (warp > 0) return 0;
  return warp_sum(lane < kThreads / 32 ? s[lane] : 0);
}

extern "C" __global__ void shuffle(const float* in, float* sums, int n) {
  const float sum = block_sum(element(in, n));
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// One result for all blocks: every thread, every warp, every block adds to it.
extern "C" __global__ void atomic_thread(const float* in, float* total, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) atomicAdd(total, in[i]);
}

extern "C" __global__ void atomic_warp(const float* in, float* total, int n) {
  const float sum = warp_sum(element(in, n));
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

extern "C" __global__ void atomic_block(const float* in, float* total, int n) {
  const float sum = block_sum(element(in, n));
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

// All lanes add integers to one address: the compiler adds up the lanes first.
extern "C" __global__ void atomic_count(unsigned* total, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) atomicAdd(total, 1u);
}
