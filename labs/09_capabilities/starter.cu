// Lab 9, your part: figure. Read what the six figures say, element by element of a half-warp, and
// write it in order. Run it: lab run 9 --variant figure --kernel starter.cu

// The element that lane l of a half-warp reads in a figure; -1: inactive. Figures 5 and 6 are not the
// same for floats (sizeof(T) == 4) and for wider elements.
template <typename T>
__device__ int element(int figure, int l) {
  if (figure == 1) return l == 3 ? -1 : l;
  return l;  // Figures 2 to 6 are yours; the handout has them.
}

template <typename T>
__global__ void figure(const T* in, T* out, int figure) {
  const int lane = threadIdx.x % 32;
  const int e = element<T>(figure, lane % 16);
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 128 + lane / 16 * 64;
  if (e >= 0) out[blockIdx.x * blockDim.x + threadIdx.x] = in[first + e];
}
