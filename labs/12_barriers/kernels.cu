// Lab 12: barriers. Correct kernels and broken ones. The broken ones run in the model only, which
// says what is wrong with them, whether or not the result happens to be right.

constexpr int kThreads = 128;

// Each block turns its 128 numbers around.
extern "C" __global__ void correct(const float* in, float* out) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
  out[blockIdx.x * kThreads + t] = s[kThreads - 1 - t];
}

// No barrier: a warp reads what another warp may not have written yet.
extern "C" __global__ void missing_barrier(const float* in, float* out) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * kThreads + t];
  out[blockIdx.x * kThreads + t] = s[kThreads - 1 - t];  // race
}

// A barrier that only a part of a warp reaches.
extern "C" __global__ void divergent_barrier(const float* in, float* out) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * kThreads + t];
  if (t < 80) {
    __syncthreads();  // divergent
  }
  out[blockIdx.x * kThreads + t] = s[t];
}

// The exercise as it is printed: half of the first warp waits. The other half never comes.
extern "C" __global__ void half_warp_barrier(const float* in, float* out) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * kThreads + t];
  if (threadIdx.x < 16) {
    __syncthreads();  // divergent
  }
  out[blockIdx.x * kThreads + t] = s[t];
}

// Neighbouring lanes exchange their numbers. They belong to one warp, and still have to wait.
extern "C" __global__ void with_syncwarp(const float* in, float* out) {
  __shared__ float words[kThreads];
  volatile float* s = words;
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * kThreads + t];
  __syncwarp();
  out[blockIdx.x * kThreads + t] = s[t ^ 1];
}

extern "C" __global__ void missing_syncwarp(const float* in, float* out) {
  __shared__ float words[kThreads];
  volatile float* s = words;
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * kThreads + t];
  out[blockIdx.x * kThreads + t] = s[t ^ 1];  // race within the warp
}

// C = A B of n x n numbers in tiles of 16 x 16; n is a multiple of 16.
//@ starter
constexpr int kTile = 16;

extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * kTile + tx;
  const int row = blockIdx.y * kTile + ty;
  float sum = 0;
  for (int t = 0; t < n; t += kTile) {
    tile_a[ty][tx] = a[row * n + t + tx];
    tile_b[ty][tx] = b[(t + ty) * n + col];
    //@ yours
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
    //@ instead for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    //@ end
  }
  c[row * n + col] = sum;
}
//@ end

// The second barrier is missing: a fast warp fills the tiles that a slow one still reads.
extern "C" __global__ void product_one_barrier(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * kTile + tx;
  const int row = blockIdx.y * kTile + ty;
  float sum = 0;
  for (int t = 0; t < n; t += kTile) {
    tile_a[ty][tx] = a[row * n + t + tx];
    tile_b[ty][tx] = b[(t + ty) * n + col];  // race
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
  }
  c[row * n + col] = sum;
}
