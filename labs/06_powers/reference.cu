// What lab 6's kernels should leave: a thread for each power, from x^2 to x^33. A power is the one
// before times x.

__device__ float power(float x, int k) {
  float product = x;
  for (int step = 0; step <= k; ++step) product *= x;
  return product;
}

// Thread-major: the 32 powers of a number side by side.
extern "C" __global__ void powers_by_thread(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  out[i] = power(in[i / 32], i % 32);
}

// Power-major: the same power of a block's `threads` numbers side by side.
extern "C" __global__ void powers_by_power(const float* in, float* out, int count, int threads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int block = i / (32 * threads);
  const int k = i / threads % 32;
  out[i] = power(in[block * threads + i % threads], k);
}
