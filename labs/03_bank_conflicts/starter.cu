// Lab 3, your part: column_swizzled. A block keeps a 32 x 32 tile in shared memory, with no
// padding, and each warp reads four of its columns, `passes` times each, with no bank conflict at
// all. Run it: lab run 3 --variant column_swizzled --kernel starter.cu

// The compiler merges, moves and drops shared accesses where it may. Through a volatile pointer it
// may not: each access below is one instruction of the machine code.
template <typename T>
__device__ volatile T* pinned(T* shared) {
  return shared;
}

extern "C" __global__ void column_swizzled(const float* in, float* out, int passes) {
  __shared__ float words[32 * 32];
  volatile float* tile = pinned(words);
  const int lane = threadIdx.x % 32;

  // Where do you keep element (y, x)? As it stands its column is 32 words of one bank.
  for (int y = threadIdx.x / 32; y < 32; y += 8) tile[y * 32 + lane] = in[y * 32 + lane];
  __syncthreads();

  for (int x = threadIdx.x / 32; x < 32; x += 8) {
    float sum = 0;
    for (int i = 0; i < passes; ++i) sum += tile[lane * 32 + x];
    out[(blockIdx.x * 32 + x) * 32 + lane] = sum;
  }
}
