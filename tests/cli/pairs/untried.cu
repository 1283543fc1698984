// Kernels whose accesses do not allow the cure that helps elsewhere, or not as it was tried: the fault is told, and no
// number.

struct Counted {
  float x, y;
  int count;
  float z;
};
// An atomic on the same array: nothing is known of it in an array of its own.
// untried: structures --grid 8 --block 128 --arg f32[4096]=zero --arg f32[1024]=zero
__global__ void countsInStructures(Counted* all, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float x = all[i].x;
  out[i] = x + all[i].y;
  atomicAdd(&all[i / 2].count, 1);
}

// Four elements are loaded at once, and one of them by itself.
// untried: structures --grid 8 --block 128 --arg f32[16384]=iota --arg f32[1024]=zero
__global__ void wholeAndPart(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  const volatile float* v = in + 16 * i;
  float4 all = *(const float4*)(in + 16 * i);
  float one = v[1];
  float other = v[8];
  out[i] = all.x + all.w + one * other;
}

// A store of both would store what only some threads do.
// untried: vectors --grid 8 --block 128 --arg f32[1024]=iota --arg f32[2048]=zero
__global__ void oneOrBoth(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  volatile float* o = out + 2 * i;
  float v = in[i];
  o[0] = v;
  if (threadIdx.x < 100) o[1] = v;
}

// A barrier stands between the two.
// untried: vectors --grid 8 --block 128 --arg f32[2048]=iota --arg f32[1024]=zero
__global__ void onEitherSide(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  const volatile float* v = in + 2 * i;
  float x = v[0];
  __syncthreads();
  float y = v[1];
  out[i] = x * y;
}

// The elements in between are used as well.
// untried: strided --grid 8 --block 128 --arg f32[4096]=iota --arg f32[1024]=zero
__global__ void spacedAndDense(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float spaced = in[4 * i];
  float dense = in[i];
  out[i] = spaced + dense;
}

// The kernel has its block's shape written into it.
// untried: block_shape --grid 8,8 --block 16,16 --arg u8[16384]=iota --arg u8[16384]=zero --arg i32=128
__global__ void shapeInTheText(const unsigned char* in, unsigned char* out, int n) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = in[y * n + x] + 1;
}

// Nothing that data choose can be sorted.
// untried: scattered --grid 8 --block 128 --arg f32[1024]=iota --arg f32[1024]=zero
__global__ void hashed(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[(i * 2654435761u >> 7) & 1023];
}
