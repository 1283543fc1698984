// Lab 9: six patterns of access, as figures drew them for the first GPUs, whose half-warps of 16
// lanes were served on their own. Lanes 16 to 31 do what lanes 0 to 15 do, 64 elements further on.

//@ starter
// The element that lane l of a half-warp reads in a figure; -1: inactive. Figures 5 and 6 were drawn
// for floats: bytes 88 to 151, and 16 neighbours from byte 4. Wider elements have their own.
template <typename T>
__device__ int element(int figure, int l) {
  //@ yours
  constexpr bool kFloats = sizeof(T) == 4;
  //@ end
  switch (figure) {
    case 1:  // in order, one lane inactive
      return l == 3 ? -1 : l;
    //@ yours
    case 2:  // neighbours swapped
      return l ^ 1;
    case 3:  // one element too far
      return l + 1;
    case 4:  // in any order within the segment
      return l * 7 % 16;
    case 5:  // across a boundary of 128 bytes
      return l + (kFloats ? 22 : 25);
    default:  // 15 in the lower half of a segment, one in the upper; wider: 15 together, one alone
      if (kFloats) return l + 1;
      return l < 15 ? l : 20;
    //@ instead default:  // Figures 2 to 6 are yours; the handout has them.
    //@ instead   return l;
    //@ end
  }
}

template <typename T>
__global__ void figure(const T* in, T* out, int figure) {
  const int lane = threadIdx.x % 32;
  const int e = element<T>(figure, lane % 16);
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 128 + lane / 16 * 64;
  if (e >= 0) out[blockIdx.x * blockDim.x + threadIdx.x] = in[first + e];
}
//@ end

// ---- the same from shared memory ----------------------------------------------------------------

constexpr int kWindow = 8192;  // bytes

// A block's window of global memory, word by word, and the barrier behind it.
__device__ void fill(float* window, const float* in) {
  for (int i = threadIdx.x; i < kWindow / 4; i += 32) window[i] = in[blockIdx.x * kWindow / 4 + i];
  __syncwarp();
}

template <typename T>
__global__ void figure_shared(const float* in, T* out, int figure) {
  __shared__ float4 window[kWindow / 16];
  fill(reinterpret_cast<float*>(window), in);

  const int lane = threadIdx.x;
  const int e = element<T>(figure, lane % 16);
  const T* elements = reinterpret_cast<const T*>(window) + lane / 16 * 64;
  if (e >= 0) out[blockIdx.x * 32 + lane] = elements[e];
}

// ---- any pattern --------------------------------------------------------------------------------

// The number of this lane among 32, chosen without reading memory.
template <typename... Numbers>
__device__ int own(Numbers... numbers) {
  int lane = 0;
  int found = -1;
  ((found = lane++ == static_cast<int>(threadIdx.x) ? numbers : found), ...);
  return found;
}

// Lane l reads the element at byte `al` of its block's window; -1: it stores a zero instead.
template <typename T>
__global__ void pattern(const char* in, T* out, int a0, int a1, int a2, int a3, int a4, int a5,
                        int a6, int a7, int a8, int a9, int a10, int a11, int a12, int a13, int a14,
                        int a15, int a16, int a17, int a18, int a19, int a20, int a21, int a22,
                        int a23, int a24, int a25, int a26, int a27, int a28, int a29, int a30,
                        int a31) {
  const int at = own(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17,
                     a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31);
  T v = {};
  if (at >= 0) v = *reinterpret_cast<const T*>(in + blockIdx.x * kWindow + at);
  out[blockIdx.x * 32 + threadIdx.x] = v;
}

// The same addresses in shared memory.
template <typename T>
__global__ void pattern_shared(const float* in, T* out, int a0, int a1, int a2, int a3, int a4,
                               int a5, int a6, int a7, int a8, int a9, int a10, int a11, int a12,
                               int a13, int a14, int a15, int a16, int a17, int a18, int a19,
                               int a20, int a21, int a22, int a23, int a24, int a25, int a26,
                               int a27, int a28, int a29, int a30, int a31) {
  __shared__ float4 window[kWindow / 16];
  fill(reinterpret_cast<float*>(window), in);

  const int at = own(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17,
                     a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31);
  T v = {};
  if (at >= 0) v = *reinterpret_cast<const T*>(reinterpret_cast<const char*>(window) + at);
  out[blockIdx.x * 32 + threadIdx.x] = v;
}
