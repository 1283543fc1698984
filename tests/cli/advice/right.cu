// Kernels that are right as they are: what advice says of them must be true, and harm nothing.

// launch: --grid 2 --block 32 --arg i32[64]=zero
__device__ volatile int spinReady;
__global__ void spins(int* o) {
  if (blockIdx.x == 1) {
    o[threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) spinReady = 1;
  } else {
    if (threadIdx.x == 0) while (spinReady == 0) {}
    __syncthreads();
    o[32 + threadIdx.x] = ((volatile int*)o)[threadIdx.x] * 2;
  }
}

// launch: --grid 2 --block 32 --arg i32[64]=zero
__device__ int pollReady;
__global__ void polls(int* o) {
  if (blockIdx.x == 1) {
    o[threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&pollReady, 1);
  } else {
    if (threadIdx.x == 0) while (atomicAdd(&pollReady, 0) == 0) {}
    __syncthreads();
    o[32 + threadIdx.x] = ((volatile int*)o)[threadIdx.x] * 2;
  }
}

// launch: --grid 2 --block 32 --arg i32[64]=zero
__device__ int casReady;
__global__ void pollsBySwap(int* o) {
  if (blockIdx.x == 1) {
    o[threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&casReady, 1);
  } else {
    if (threadIdx.x == 0) while (atomicCAS(&casReady, 1, 1) != 1) {}
    __syncthreads();
    o[32 + threadIdx.x] = ((volatile int*)o)[threadIdx.x] * 2;
  }
}

// launch: --grid 8 --block 32 --arg i32[8]=iota --arg i32[8]=zero --arg i32[8]=zero --arg i32[8]=zero
__global__ void chainedScan(const int* x, volatile int* flag, volatile int* carry, int* y) {
  if (threadIdx.x == 0) {
    int before = 0;
    if (blockIdx.x > 0) {
      while (flag[blockIdx.x - 1] == 0) {}
      __threadfence();
      before = carry[blockIdx.x - 1];
    }
    int sum = before + x[blockIdx.x];
    y[blockIdx.x] = sum;
    carry[blockIdx.x] = sum;
    __threadfence();
    flag[blockIdx.x] = 1;
  }
}

// launch: --grid 4 --block 64 --arg i32[1024]=iota --arg i32[1]=zero --arg i32[1024]=zero --arg i32=1024
__global__ void workQueue(const int* in, int* next, int* out, int n) {
  while (true) {
    int i = atomicAdd(next, 1);
    if (i >= n) break;
    out[i] = in[i] * 2;
  }
}

// launch: --grid 4 --block 64 --arg f32[256]=ones --arg f32[1]=zero
__global__ void oneSumPerBlock(const float* x, float* total) {
  __shared__ float s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, x[blockIdx.x * 64 + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, s);
}

// launch: --grid 2 --block 128 --arg u32[256]=iota --arg u16[256]=zero
__global__ void overlapping(const unsigned* a, unsigned short* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned short* h = (const unsigned short*)a;
  o[i] = (unsigned short)(h[2 * i + 1] * 3u + ((const unsigned char*)a)[4 * i + 2]);
}

// launch: --grid 8,8 --block 16,16 --arg f32[14400]=iota --arg f32[14400]=zero --arg i32=120
__global__ void stencil16(const float* in, float* out, int n) {
  __shared__ float s[18][18];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  auto at = [&](int yy, int xx) { return xx >= 0 && yy >= 0 && xx < n && yy < n ? in[yy * n + xx] : 0.f; };
  s[ty][tx] = at(y, x);
  if (threadIdx.x == 0) s[ty][0] = at(y, x - 1);
  if (threadIdx.x == 15) s[ty][17] = at(y, x + 1);
  if (threadIdx.y == 0) s[0][tx] = at(y - 1, x);
  if (threadIdx.y == 15) s[17][tx] = at(y + 1, x);
  __syncthreads();
  if (x < n && y < n) out[y * n + x] = s[ty][tx] + s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx];
}

// launch: --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zero --arg i32=4000
__global__ void blurWithHalo(const float* in, float* out, int n) {
  __shared__ float s[258];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t + 1] = i < n ? in[i] : 0;
  if (t == 0) s[0] = i > 0 ? in[i - 1] : 0;
  if (t == 255) s[257] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = (s[t] + s[t + 1] + s[t + 2]) / 3;
}

// launch: --grid 8 --block 256 --arg f32[2048]=iota --arg f32[8]=zero
__global__ void reduces(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// launch: --grid 4 --block 128 --arg f32[4096]=iota --arg f32[512]=zero
__global__ void ownStack(const float* in, float* out) {
  __shared__ float stack[8][128];
  int t = threadIdx.x, top = 0;
  for (int k = 0; k < 8; ++k) {
    float v = in[k * 512 + blockIdx.x * 128 + t];
    if (v > 100 * k && top < 8) stack[top++][t] = v;
  }
  float sum = 0;
  while (top > 0) sum += stack[--top][t];
  out[blockIdx.x * 128 + t] = sum;
}

// launch: --grid 2 --block 64 --arg f32[128]=iota --arg i32[128]=zero --arg f64[1]=zero
__global__ void casOnce(const float* in, int* o, double* s) {
  o[blockIdx.x * 64 + threadIdx.x] = atomicCAS((int*)s + (threadIdx.x == 99), 0, 1);
}

// launch: --grid 8 --block 256 --arg i32[2048]=random:6 --arg i32[2048]=zero --arg i32[1]=zero --arg i32=2048
__global__ void compactWarp(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < n && (in[i] & 1);
  unsigned votes = __ballot_sync(0xffffffff, keep);
  int lane = threadIdx.x & 31, base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(votes));
  base = __shfl_sync(0xffffffff, base, 0);
  if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
}

// launch: --grid 32 --block 128 --arg f32[4096]=iota --arg f32[4]=zero
__global__ void fourSums(const float* in, float* sums) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float v = in[i];
  for (int d = 16; d >= 4; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 < 4) atomicAdd(&sums[i & 3], v);
}
