// Lab 8, your part: warp_per_row. A warp adds up a row: its lanes read neighbouring elements and
// fold their sums by shuffles; lane 0 writes. Run it: lab run 8 --variant warp_per_row --kernel
// starter.cu

extern "C" __global__ void warp_per_row(const float* in, float* sums, int rows, int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  // Expected: lane l adds up elements l, l + 32, ... Lanes may leave the loop at different times.
  // Unrolled, some would take the unrolled body and others the remainder, in requests of their own:
  // hence the line before it.
#pragma unroll 1
  for (int x = lane; x < cols; x += 32) {
    // Yours to write.
  }
  // Then, for steps 16, 8, 4, 2, 1, the sum of the lane that is `step` further on.
  if (lane == 0) sums[row] = sum;
}
