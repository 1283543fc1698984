// lost updates and right neighbours
__global__ void dotInOneWord(const float* a, const float* b, float* r) {
  __shared__ float sum[1];
  int t = threadIdx.x;
  if (t == 0) sum[0] = 0;
  __syncthreads();
  sum[0] = sum[0] + a[t] * b[t];
  __syncthreads();
  if (t == 0) *r = sum[0];
}
__global__ void countsPlainly(const unsigned char* text, int* words) {
  if (text[blockIdx.x * 64 + threadIdx.x] == 32) *words += 1;
}
__global__ void histogramOfPlainAdds(const int* x, int* h) {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  for (int i = t; i < 256; i += 64) bins[x[i] & 15]++;
  __syncthreads();
  if (t < 16) h[t] = bins[t];
}
__global__ void largestInOneWord(const int* x, int* best) {
  __shared__ int most;
  int t = threadIdx.x;
  if (t == 0) most = 0;
  __syncthreads();
  int v = x[t];
  most = most > v ? most : v;
  __syncthreads();
  if (t == 0) *best = most;
}
// races that a barrier does cure
__global__ void treeWithoutBarrier(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) *out = s[0];
}
__global__ void shiftWithoutBarrier(const float* in, float* out) {
  __shared__ float s[129];
  int t = threadIdx.x;
  if (t == 0) s[128] = 0;
  s[t] = in[t];
  out[t] = s[t + 1];
}
__global__ void walksOn(float* out, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    s[(t + k * 32) % 128] += 1;
  }
  __syncthreads();
  out[t] = s[t];
}
__global__ void scanWithoutBarrier(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int v = t >= d ? s[t - d] : 0;
    s[t] += v;
    __syncthreads();
  }
  out[t] = s[t];
}
// the last block without a fence
__device__ unsigned arrived1, arrived2, arrived3, arrived4;
__global__ void lastBlockAdds(const float* in, float* part, float* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = in[blockIdx.x];
    last = atomicAdd(&arrived1, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += part[i];
    *out = sum;
  }
}
__global__ void lastThreadAdds(const float* in, float* part, float* out) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = in[blockIdx.x];
  if (atomicInc(&arrived2, gridDim.x - 1) != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += part[i];
  *out = sum;
}
__global__ void flagWithoutFence(const float* in, float* data, volatile int* flag, float* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 1) {
    data[0] = in[0];
    flag[0] = 1;
  } else {
    while (flag[0] == 0) {}
    out[0] = data[0];
  }
}
__global__ void lastBlockOfMany(const float* in, float* part, float* out) {
  __shared__ unsigned ticket;
  int t = threadIdx.x;
  part[blockIdx.x * 32 + t] = in[blockIdx.x * 32 + t] * 2;
  __syncthreads();
  if (t == 0) ticket = atomicAdd(&arrived3, 1u);
  __syncthreads();
  if (ticket + 1 == gridDim.x) {
    float sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += part[b * 32 + t];
    out[t] = sum;
  }
}
// a race between blocks that a fence does not cure: nobody waits
__global__ void neighboursOfBlocks(float* x, int* n) {
  x[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
  atomicAdd(n, 1);
  if (blockIdx.x > 0) x[blockIdx.x * 32 + threadIdx.x] += x[(blockIdx.x - 1) * 32 + threadIdx.x];
}
