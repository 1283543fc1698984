// Lab 10: DRAM. Reads whose order, stride and distance are chosen, with next to no stores.
// Blocks have 256 threads; each warp adds up what it read and stores one sum.

__device__ void store_sum(float sum, float* sums) {
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) sums[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}

// Runs of `run` neighbours in a scattered order: a permutation of all runs, of which there are a
// power of two. `scatter` 1 leaves them in order.
extern "C" __global__ void bursts(const float* in, float* sums, int runs, int run, int scatter) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int place = static_cast<unsigned>(i / run) * scatter & (runs - 1);
  store_sum(in[place * run + i % run], sums);
}

// The same, 16 bytes per lane and four loads under way before the first is used: a sixteenth of the
// loads for the same bytes, so that DRAM sets the time. `run` counts float4s.
extern "C" __global__ void bursts_wide(const float4* in, float* sums, int runs, int run,
                                       int scatter) {
  const int first = blockIdx.x * 4 * blockDim.x + threadIdx.x;
  float4 v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = first + k * blockDim.x;
    const int place = static_cast<unsigned>(i / run) * scatter & (runs - 1);
    v[k] = in[place * run + i % run];
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) sum += v[k].x + v[k].y + v[k].z + v[k].w;
  store_sum(sum, sums);
}

// One float every `stride`.
extern "C" __global__ void strides(const float* in, float* sums, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  store_sum(i < n ? in[i * stride] : 0, sums);
}

// One thread walks from line to line: each load has to wait for the one before.
//@ starter
extern "C" __global__ void chase(const unsigned* next, unsigned* last, int hops) {
  unsigned at = 0;
  //@ yours
  for (int i = 0; i < hops; ++i) at = next[at];
  //@ instead // Expected: the place after `hops` steps from place 0.
  //@ end
  *last = at;
}
//@ end

// The same through shared memory.
constexpr int kWords = 1024;

extern "C" __global__ void chase_shared(unsigned* last, int hops) {
  __shared__ unsigned next[kWords];
  for (int i = threadIdx.x; i < kWords; i += 32) next[i] = (i + 389) % kWords;
  __syncwarp();
  if (threadIdx.x > 0) return;
  unsigned at = 0;
  for (int i = 0; i < hops; ++i) at = next[at];
  *last = at;
}
