// Lab 9: six patterns of access, as figures drew them for the first GPUs, whose half-warps of 16
// lanes were served by themselves. Lanes 16 to 31 do what lanes 0 to 15 do, 64 elements further on.

// The element that lane l of a half-warp reads in a figure; -1: it is off.
__device__ int element(int figure, int l) {
  switch (figure) {
    case 1:  // in order, one lane off
      return l == 7 ? -1 : l;
    case 2:  // neighbours swapped
      return l ^ 1;
    case 3:  // one element too far
      return l + 1;
    case 4:  // in any order within the segment
      return l * 7 % 16;
    case 5:  // across the boundary of 128 bytes (for 4-byte elements)
      return l + 25;
    default:  // 15 elements together, one further on
      return l < 15 ? l : 20;
  }
}

template <typename T>
__global__ void figure(const T* in, T* out, int figure) {
  const int lane = threadIdx.x % 32;
  const int e = element(figure, lane % 16);
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 128 + lane / 16 * 64;
  if (e >= 0) out[blockIdx.x * blockDim.x + threadIdx.x] = in[first + e];
}
