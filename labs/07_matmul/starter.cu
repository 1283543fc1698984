// Lab 7, your part: register_tiled. Blocks of 32 x 8 threads make tiles of 32 x 32 of C, four
// elements per thread; tiles of A and B come through shared memory. Sizes need not be multiples
// of 32. Run it: lab run 7 --variant register_tiled --kernel starter.cu

extern "C" __global__ void register_tiled(const float* a, const float* b, float* c, int n, int m,
                                          int p) {
  __shared__ float tile_a[32][32];
  __shared__ float tile_b[32][32];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * 32 + tx;
  const int first = blockIdx.y * 32 + ty;  // this thread's rows: first, first + 8, + 16, + 24

  float sum[4] = {};
  for (int t = 0; t < m; t += 32) {
    // Fill both tiles along rows, with zeros beyond the matrices. Wait. Then, for each k, read
    // tile_b[k][tx] once and use it for four rows. Wait again before the next tiles come.
  }
  for (int r = 0; r < 4; ++r) {
    if (first + 8 * r < n && col < p) c[(first + 8 * r) * p + col] = sum[r];
  }
}
