// Lab 7: matrix product. C (n x p) = A (n x m) * B (m x p), all kept by rows.

// A thread an element of C, neighbouring threads along a row of C. Blocks have 32 x 8 threads.
extern "C" __global__ void naive(const float* a, const float* b, float* c, int n, int m, int p) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= p) return;
  float sum = 0;
  for (int k = 0; k < m; ++k) sum += a[row * m + k] * b[k * p + col];
  c[row * p + col] = sum;
}

// The same with the indices swapped: neighbouring threads along a column of C.
extern "C" __global__ void naive_swapped(const float* a, const float* b, float* c, int n, int m,
                                         int p) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= p) return;
  float sum = 0;
  for (int k = 0; k < m; ++k) sum += a[row * m + k] * b[k * p + col];
  c[row * p + col] = sum;
}

// The compiler merges, moves and drops shared accesses where it may. Through a volatile pointer it
// may not: each access below is one instruction of the machine code.
template <typename T>
__device__ const volatile T& pinned(const T& shared) {
  return shared;
}
// Blocks of kTile x kTile threads go along a row of tiles of A and a column of tiles of B.
// Elements beyond the matrices are zeros.
template <int kTile, bool kPinned>
__device__ void tiles(const float* a, const float* b, float* c, int n, int m, int p) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * kTile + tx;
  const int row = blockIdx.y * kTile + ty;

  float sum = 0;
  for (int t = 0; t < m; t += kTile) {
    tile_a[ty][tx] = row < n && t + tx < m ? a[row * m + t + tx] : 0;
    tile_b[ty][tx] = t + ty < m && col < p ? b[(t + ty) * p + col] : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) {
      if (kPinned) {
        sum += pinned(tile_a[ty][k]) * pinned(tile_b[k][tx]);
      } else {
        sum += tile_a[ty][k] * tile_b[k][tx];
      }
    }
    __syncthreads();
  }
  if (row < n && col < p) c[row * p + col] = sum;
}

template <int kTile>
__global__ void tiled(const float* a, const float* b, float* c, int n, int m, int p) {
  tiles<kTile, false>(a, b, c, n, m, p);
}

template <int kTile>
__global__ void tiled_pinned(const float* a, const float* b, float* c, int n, int m, int p) {
  tiles<kTile, true>(a, b, c, n, m, p);
}

// Each thread makes four elements of C: what it reads of B is used four times. Blocks have 32 x 8
// threads and work on tiles of 32 x 32.
extern "C" __global__ void register_tiled(const float* a, const float* b, float* c, int n, int m,
                                          int p) {
  __shared__ float tile_a[32][32];
  __shared__ float tile_b[32][32];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * 32 + tx;
  const int first = blockIdx.y * 32 + ty;

  float sum[4] = {};
  for (int t = 0; t < m; t += 32) {
#pragma unroll
    for (int r = 0; r < 32; r += 8) {
      tile_a[ty + r][tx] = first + r < n && t + tx < m ? a[(first + r) * m + t + tx] : 0;
      tile_b[ty + r][tx] = t + ty + r < m && col < p ? b[(t + ty + r) * p + col] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const float element = tile_b[k][tx];
#pragma unroll
      for (int r = 0; r < 4; ++r) sum[r] += tile_a[ty + 8 * r][k] * element;
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    if (first + 8 * r < n && col < p) c[(first + 8 * r) * p + col] = sum[r];
  }
}
