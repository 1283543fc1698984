// What the model's benchmark runs.
constexpr int kTile = 32;

// Launched with 32 x 8 threads: each moves four elements of a 32 x 32 tile.
template <int kPitch>
__device__ void transpose_tile(float* out, const float* in, int n) {
  __shared__ float tile[kTile][kPitch];
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_padded(float* out, const float* in, int n) {
  transpose_tile<kTile + 1>(out, in, n);
}
extern "C" __global__ void transpose_shared(float* out, const float* in, int n) {
  transpose_tile<kTile>(out, in, n);
}
extern "C" __global__ void transpose_naive(float* out, const float* in, int n) {
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}

// Launched with 32 x 32 threads.
extern "C" __global__ void multiply_tiled(float* c, const float* a, const float* b, int n) {
  __shared__ float as[kTile][kTile];
  __shared__ float bs[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y;
  int col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int m = 0; m < n / kTile; ++m) {
    as[threadIdx.y][threadIdx.x] = a[row * n + m * kTile + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(m * kTile + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// Launched with 16 x 16 threads.
extern "C" __global__ void multiply_tiled_16(float* c, const float* a, const float* b, int n) {
  __shared__ float as[16][16];
  __shared__ float bs[16][16];
  int row = blockIdx.y * 16 + threadIdx.y;
  int col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int m = 0; m < n / 16; ++m) {
    as[threadIdx.y][threadIdx.x] = a[row * n + m * 16 + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(m * 16 + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

extern "C" __global__ void copy(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * n) out[i] = in[i];
}

extern "C" __global__ void gather(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned hash = i * 2654435761u;
  hash ^= hash >> 15;
  out[i] = in[hash % (unsigned)(n * n)];
}

// Collatz steps in 32 bits, and a switch: lanes leave their loop at different times.
extern "C" __global__ void divergent(unsigned* out, const unsigned*, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = i + 1;
  unsigned steps = 0;
  while (value != 1 && steps < 400) {
    value = (value & 1) ? 3 * value + 1 : value / 2;
    ++steps;
    switch (value & 7) {
      case 3:
        steps ^= 5;
        break;
      case 5:
        value += 2 * (steps & 1);
        break;
      default:
        break;
    }
  }
  out[i] = steps + (value & (unsigned)(n - n));
}
