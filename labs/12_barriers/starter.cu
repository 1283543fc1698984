// Lab 12, your part: product. A tiled product that gives the right result by luck, if at all. Put
// the barriers where they belong. Run it: lab run 12 --variant product --kernel starter.cu

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
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
  }
  c[row * n + col] = sum;
}
