// Lab 7, an easier part: tiled. The two lines that load the tiles are left blank. Sizes need not be
// multiples of the tile. Is the loading coalesced? `global_load_sectors_per_request` says it.
// Run it: lab run 7 --variant tiled_32 --kernel load_tiles.cu

template <int kTile>
__global__ void tiled(const float* a, const float* b, float* c, int n, int m, int p) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * kTile + tx;
  const int row = blockIdx.y * kTile + ty;

  float sum = 0;
  for (int t = 0; t < m; t += kTile) {
    tile_a[ty][tx] = 0;  // A[row][t + tx], or 0 beyond the matrix
    tile_b[ty][tx] = 0;  // B[t + ty][col], or 0 beyond the matrix
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  if (row < n && col < p) c[row * p + col] = sum;
}
