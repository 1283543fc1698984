// Lab 1, your part: copy_permuted. Lane l of a full warp reads the element (5 l + 3) % 32 of its
// warp's 32 and writes it at place l. An incomplete warp copies in order. Guess first: how many
// sectors does such a load touch? Which other orders cost as much, and why?
// Run it: lab run 1 --variant permuted --kernel starter.cu

template <typename T>
__global__ void copy_permuted(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = i / 32 * 32;
  const bool full = first + 32 <= n;
  // Yours to write: the one load and the one store of thread i, where i < n.
}
