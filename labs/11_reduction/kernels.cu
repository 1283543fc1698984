// Lab 11: reduction. Each block of 256 threads adds up 256 numbers; elements beyond n are zeros.

//@ starter
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
//@ end

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
//@ starter
extern "C" __global__ void sequential(const float* in, float* sums, int n) {
  __shared__ float words[kThreads];
  volatile float* s = pinned(words);
  const int t = threadIdx.x;
  s[t] = element(in, n);
  __syncthreads();
  //@ yours
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (t < step) s[t] = s[t] + s[t + step];
    __syncthreads();
  }
  //@ instead // Add the upper half to the lower one, until one word is left. Expected: for steps 128, 64, .. 1
  //@ instead // word t becomes s[t] + s[t + step].
  //@ end
  if (t == 0) sums[blockIdx.x] = s[0];
}
//@ end

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

// Histograms of grey values, 16 per thread: the thread's value is in[i] * stride, modulo 256.
constexpr int kBins = 256;
constexpr int kValues = 16;

// Calls count(value) for each of the thread's values. Neighbouring threads read neighbours.
template <typename Count>
__device__ void for_each_value(const unsigned char* in, int n, int stride, Count count) {
  for (int k = 0; k < kValues; ++k) {
    const int i = (blockIdx.x * kValues + k) * kThreads + threadIdx.x;
    if (i < n) count(in[i] * stride % kBins);
  }
}

// One histogram per block.
extern "C" __global__ void histogram_block(const unsigned char* in, unsigned* total, int n,
                                           int stride) {
  __shared__ unsigned bins[kBins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for_each_value(in, n, stride, [&](int value) { atomicAdd(&bins[value], 1u); });
  __syncthreads();
  atomicAdd(&total[threadIdx.x], bins[threadIdx.x]);
}

// One histogram per warp, added up at the end: warps do not meet at a bin.
extern "C" __global__ void histogram_warp(const unsigned char* in, unsigned* total, int n,
                                          int stride) {
  constexpr int kWarps = kThreads / 32;
  __shared__ unsigned words[kWarps * kBins];
  volatile unsigned* s = pinned(words);
  for (int w = 0; w < kWarps; ++w) s[w * kBins + threadIdx.x] = 0;
  __syncthreads();
  unsigned* bins = words + threadIdx.x / 32 * kBins;
  for_each_value(in, n, stride, [&](int value) { atomicAdd(&bins[value], 1u); });
  __syncthreads();
  unsigned sum = 0;
  for (int w = 0; w < kWarps; ++w) sum += s[w * kBins + threadIdx.x];
  atomicAdd(&total[threadIdx.x], sum);
}

// One histogram per lane: bin v of lane l is word 32 v + l, so each lane has a bank of its own.
extern "C" __global__ void histogram_private(const unsigned char* in, unsigned* total, int n,
                                             int stride) {
  __shared__ unsigned words[kBins * 32];
  volatile unsigned* s = pinned(words);
  for (int i = threadIdx.x; i < kBins * 32; i += kThreads) s[i] = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for_each_value(in, n, stride, [&](int value) { atomicAdd(&words[value * 32 + lane], 1u); });
  __syncthreads();
  unsigned sum = 0;
  // Each thread begins at another lane's word: neighbours read different banks.
  for (int l = 0; l < 32; ++l) sum += s[threadIdx.x * 32 + (l + lane) % 32];
  atomicAdd(&total[threadIdx.x], sum);
}
