// Lab 6: powers. Each thread computes x^2 .. x^33 of one number. The 32 powers of a thread stand
// side by side (thread-major), or the same power of all threads does (power-major).

//@ starter
constexpr int kPowers = 32;

// The compiler merges, moves and drops shared accesses where it may. Through a volatile pointer it
// may not: each access below is one instruction of the machine code.
template <typename T>
__device__ volatile T* pinned(T* shared) {
  return shared;
}

// What the block collected in shared memory goes to `out` in order, row by row.
template <int kThreads>
__device__ void write_out(const float* shared, float* out) {
  __syncthreads();
  out += blockIdx.x * kThreads * kPowers;
  for (int i = threadIdx.x; i < kThreads * kPowers; i += kThreads) out[i] = shared[i];
}
//@ end

template <int kThreads>
__global__ void thread_major(const float* in, float* out) {
  __shared__ float powers[kThreads * kPowers];
  volatile float* p = pinned(powers);
  const float x = in[blockIdx.x * kThreads + threadIdx.x];
  float power = x;
  for (int k = 0; k < kPowers; ++k) {
    power *= x;
    p[threadIdx.x * kPowers + k] = power;
  }
  write_out<kThreads>(powers, out);
}

// The same with nothing pinned: four neighbouring stores become one of 16 bytes.
template <int kThreads>
__global__ void thread_major_plain(const float* in, float* out) {
  __shared__ float powers[kThreads * kPowers];
  const float x = in[blockIdx.x * kThreads + threadIdx.x];
  float power = x;
#pragma unroll
  for (int k = 0; k < kPowers; ++k) {
    power *= x;
    powers[threadIdx.x * kPowers + k] = power;
  }
  write_out<kThreads>(powers, out);
}

//@ starter
template <int kThreads>
__global__ void power_major(const float* in, float* out) {
  __shared__ float powers[kThreads * kPowers];
  volatile float* p = pinned(powers);
  const float x = in[blockIdx.x * kThreads + threadIdx.x];
  float power = x;
  for (int k = 0; k < kPowers; ++k) {
    power *= x;
    //@ yours
    p[k * kThreads + threadIdx.x] = power;
    //@ instead p[threadIdx.x * kPowers + k] = power;  // Thread-major. Yours is another order.
    //@ end
  }
  write_out<kThreads>(powers, out);
}
//@ end

// Straight to global memory.
template <int kThreads>
__global__ void thread_major_global(const float* in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float x = in[i];
  float power = x;
  for (int k = 0; k < kPowers; ++k) {
    power *= x;
    out[i * kPowers + k] = power;
  }
}

template <int kThreads>
__global__ void power_major_global(const float* in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float x = in[i];
  float power = x;
  out += blockIdx.x * kThreads * kPowers;
  for (int k = 0; k < kPowers; ++k) {
    power *= x;
    out[k * kThreads + threadIdx.x] = power;
  }
}

// The exercise as it is printed: b[i] = in[i] * b[i - 1]. The compiler knows what it has just stored
// and keeps it in a register. It does not know whether `out` is a part of `in`, and reads x again.
template <int kThreads>
__global__ void thread_major_printed(const float* in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  float* b = out + i * kPowers;
  b[0] = in[i] * in[i];
  for (int k = 1; k < kPowers; ++k) b[k] = in[i] * b[k - 1];
}

template <int kThreads>
__global__ void power_major_printed(const float* in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  float* b = out + blockIdx.x * kThreads * kPowers + threadIdx.x;
  b[0] = in[i] * in[i];
  for (int k = 1; k < kPowers; ++k) b[k * kThreads] = in[i] * b[(k - 1) * kThreads];
}

// Each power is read back from where it was stored, whatever the compiler knows.
template <int kThreads>
__global__ void thread_major_reload(const float* in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float x = in[i];
  volatile float* b = out;
  b[i * kPowers] = x * x;
  for (int k = 1; k < kPowers; ++k) b[i * kPowers + k] = x * b[i * kPowers + k - 1];
}

template <int kThreads>
__global__ void power_major_reload(const float* in, float* out) {
  const float x = in[blockIdx.x * kThreads + threadIdx.x];
  volatile float* b = out + blockIdx.x * kThreads * kPowers;
  b[threadIdx.x] = x * x;
  for (int k = 1; k < kPowers; ++k) {
    b[k * kThreads + threadIdx.x] = x * b[(k - 1) * kThreads + threadIdx.x];
  }
}
