// Lab 8: traversal. The sum of each row of a matrix, three ways. Blocks have 256 threads.

// One thread per row: neighbouring threads read elements that are a whole row apart.
extern "C" __global__ void thread_per_row(const float* in, float* sums, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int x = 0; x < cols; ++x) sum += in[row * cols + x];
  sums[row] = sum;
}

// One warp per row: neighbouring lanes read neighbouring elements, then add up by shuffles.
//@ starter
extern "C" __global__ void warp_per_row(const float* in, float* sums, int rows, int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  // Lanes may leave this loop at different times. Unrolled, some would take the unrolled body and
  // others the remainder, in requests of their own.
#pragma unroll 1
  for (int x = lane; x < cols; x += 32) {
    //@ yours
    sum += in[row * cols + x];
    //@ instead // Yours to write.
    //@ end
  }
  //@ yours
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  //@ instead // Then, for steps 16, 8, 4, 2, 1, the sum of the lane that is `step` further on.
  //@ end
  if (lane == 0) sums[row] = sum;
}
//@ end

// One thread per row of a matrix that is stored by columns: element (row, x) is in[x * rows + row].
extern "C" __global__ void column_major(const float* in, float* sums, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int x = 0; x < cols; ++x) sum += in[x * rows + row];
  sums[row] = sum;
}
