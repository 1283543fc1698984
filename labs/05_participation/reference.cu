// What lab 5's kernels should leave, if no addition is lost: a thread for each element. Of every
// four threads of the lab's kernels number `other` is the one that does something else.

extern "C" __global__ void first_lanes(float* a, int n, int active) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || i % 32 >= active) return;
  a[i] += 1;
}

extern "C" __global__ void all_threads(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  a[i] += 1;
}

extern "C" __global__ void add_index(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  a[i] += i;
}

extern "C" __global__ void rest_idles(float* a, int n, int other) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 4 != other) a[i] += 1;
}

// How many of `count` threads in a row, the first of which is number 0 of four, do something else.
// Up to 2^24 of them a float holds any such number: their order does not matter.
__device__ int others_of(int count, int other) { return (count + 3 - other) / 4; }

extern "C" __global__ void rest_on_first(float* a, int n, int other) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 4 != other) a[i] += 1;
  if (i == 0) a[i] += others_of(n, other);
}

// Blocks have 256 threads, the last one as many as are left.
extern "C" __global__ void rest_on_block(float* a, int n, int other) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 4 != other) a[i] += 1;
  if (i % 256 == 0) a[i] += others_of(min(256, n - i), other);
}
