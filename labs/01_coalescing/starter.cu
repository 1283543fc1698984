// Lab 1, your part: copy_permuted. Each full warp reads its 32 elements in an order of your choice
// and writes them in order, with four sectors per load. Which orders are free, and why?
// Run it: lab run 1 --variant permuted --kernel starter.cu

template <typename T>
__global__ void copy_permuted(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = i / 32 * 32;
  const bool full = first + 32 <= n;
  // Expected: lane l of a full warp writes the element (5 l + 3) % 32 of its 32.
  // Yours to write.
}
