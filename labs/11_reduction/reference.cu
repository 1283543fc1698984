// What lab 11's kernels should leave. Sums of floats are added in the kernels' order, elements
// beyond n are zeros.

// A block's 256 numbers.
__device__ void take(const float* in, int n, int block, float (&s)[256]) {
  for (int t = 0; t < 256; ++t) s[t] = 256 * block + t < n ? in[256 * block + t] : 0;
}

// Of `count` parts the upper half is added to the lower one, until one is left.
__device__ float folded(float* part, int count) {
  for (int step = count / 2; step > 0; step /= 2) {
    for (int i = 0; i < step; ++i) part[i] += part[i + step];
  }
  return part[0];
}

// A thread for each block's sum: neighbours first, then those 2, 4, ... apart.
extern "C" __global__ void sums_upwards(const float* in, float* sums, int n, int count) {
  const int block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= count) return;
  float s[256];
  take(in, n, block, s);
  for (int step = 1; step < 256; step *= 2) {
    for (int i = 0; i < 256; i += 2 * step) s[i] += s[i + step];
  }
  sums[block] = s[0];
}

extern "C" __global__ void sums_of_halves(const float* in, float* sums, int n, int count) {
  const int block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= count) return;
  float s[256];
  take(in, n, block, s);
  sums[block] = folded(s, 256);
}

// Each 32 numbers by themselves, then the eight sums.
extern "C" __global__ void sums_of_warps(const float* in, float* sums, int n, int count) {
  const int block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= count) return;
  float s[256];
  take(in, n, block, s);
  float part[8];
  for (int warp = 0; warp < 8; ++warp) part[warp] = folded(s + 32 * warp, 32);
  sums[block] = folded(part, 8);
}

// One thread: doubles lose nothing that the comparison could see.
extern "C" __global__ void sum_of_all(const float* in, float* total, int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x > 0) return;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  total[0] = static_cast<float>(sum);
}

extern "C" __global__ void number_of_all(unsigned* total, int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x > 0) return;
  total[0] = n;
}

// A thread for each grey value. Counts are exact, in whatever order.
extern "C" __global__ void counted(const unsigned char* in, unsigned* total, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total[in[i] * stride % 256], 1u);
}
