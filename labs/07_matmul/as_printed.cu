// Lab 7, find the bugs: a tiled product as lecture notes have it. C = A B of n x m and m x p.
//
//     lab run 7 --variant tiled_32 --kernel as_printed.cu
//
// Three lines are wrong or missing. The model finds one of them at its line. One shows only where
// m and p differ, and one costs stores: compare global_store_sectors with its target.

template <int kTile>
__global__ void tiled(const float* a, const float* b, float* c, int n, int m, int p) {
  __shared__ float As[kTile][kTile];
  __shared__ float Bs[kTile][kTile];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty;
  const int col = blockIdx.x * kTile + tx;

  float sum = 0;
  for (int k = 0; k < (m + kTile - 1) / kTile; ++k) {
    As[ty][tx] = row < n && k * kTile + tx < m ? a[row * m + k * kTile + tx] : 0;
    Bs[ty][tx] = k * kTile + ty < m && col < p ? b[(k * kTile + ty) * m + col] : 0;
    __syncthreads();
    for (int j = 0; j < kTile; ++j) sum += As[ty][j] * Bs[j][tx];
    if (row < n && col < p) c[row * p + col] = sum;
  }
}
