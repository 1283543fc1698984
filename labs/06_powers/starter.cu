// Lab 6, your part: power_major. Each thread computes x^2 .. x^33 of its number; the same power of
// all threads of the block stands side by side, and no store to shared memory conflicts. Run it:
// lab run 6 --variant power_major --kernel starter.cu

constexpr int kPowers = 32;

template <int kThreads>
__device__ void write_out(const float* shared, float* out) {
  __syncthreads();
  out += blockIdx.x * kThreads * kPowers;
  for (int i = threadIdx.x; i < kThreads * kPowers; i += kThreads) out[i] = shared[i];
}

template <int kThreads>
__global__ void power_major(const float* in, float* out) {
  __shared__ float powers[kThreads * kPowers];
  const float x = in[blockIdx.x * kThreads + threadIdx.x];
  float power = x;
  for (int k = 0; k < kPowers; ++k) {
    power *= x;
    powers[threadIdx.x * kPowers + k] = power;  // Thread-major. Yours is another order.
  }
  write_out<kThreads>(powers, out);
}
