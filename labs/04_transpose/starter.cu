// Lab 4, your part: padded. Both sides of global memory along rows, and no bank conflict in the
// tile. T has 1, 4 or 8 bytes: a row needs one more word of 4 bytes, which for bytes is not one more
// element. Run it: lab run 4 --variant padded --kernel starter.cu --param bytes=1,4,8

constexpr int kTile = 32;

template <typename T, int kRows>
__global__ void padded(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[kTile][kTile];

  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  }
  __syncthreads();

  // Write the tile to `out`, which has `cols` rows of `rows` elements, along its rows.
}
