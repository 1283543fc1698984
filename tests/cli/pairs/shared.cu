// Kernels with one fault in their accesses to shared memory, each followed by the same kernel cured by hand.

// ---- columns of tiles

// pair: shared_conflicts --grid 4 --block 32 --arg f32[4096]=iota --arg f32[4096]=zero
__global__ void turnsRows(const float* in, float* out) {
  __shared__ float s[32][32];
  int t = threadIdx.x, b = blockIdx.x * 1024;
  for (int i = 0; i < 32; ++i) s[i][t] = in[b + i * 32 + t];
  __syncthreads();
  for (int i = 0; i < 32; ++i) out[b + i * 32 + t] = s[t][i];
}
__global__ void turnsRows_cured(const float* in, float* out) {
  __shared__ float s[32][33];
  int t = threadIdx.x, b = blockIdx.x * 1024;
  for (int i = 0; i < 32; ++i) s[i][t] = in[b + i * 32 + t];
  __syncthreads();
  for (int i = 0; i < 32; ++i) out[b + i * 32 + t] = s[t][i];
}

// pair: shared_conflicts --grid 2 --block 64 --arg f32[8192]=iota --arg f32[8192]=zero
__global__ void turnsSixtyFour(const float* in, float* out) {
  __shared__ float s[64][64];
  int t = threadIdx.x, b = blockIdx.x * 4096;
  for (int i = 0; i < 64; ++i) s[i][t] = in[b + i * 64 + t];
  __syncthreads();
  for (int i = 0; i < 64; ++i) out[b + i * 64 + t] = s[t][i];
}
__global__ void turnsSixtyFour_cured(const float* in, float* out) {
  __shared__ float s[64][65];
  int t = threadIdx.x, b = blockIdx.x * 4096;
  for (int i = 0; i < 64; ++i) s[i][t] = in[b + i * 64 + t];
  __syncthreads();
  for (int i = 0; i < 64; ++i) out[b + i * 64 + t] = s[t][i];
}

// pair: shared_conflicts --grid 4 --block 32 --arg f64[4096]=iota --arg f64[4096]=zero
__global__ void turnsDoubles(const double* in, double* out) {
  __shared__ double s[32][32];
  int t = threadIdx.x, b = blockIdx.x * 1024;
  for (int i = 0; i < 32; ++i) s[i][t] = in[b + i * 32 + t];
  __syncthreads();
  for (int i = 0; i < 32; ++i) out[b + i * 32 + t] = s[t][i];
}
__global__ void turnsDoubles_cured(const double* in, double* out) {
  __shared__ double s[32][33];
  int t = threadIdx.x, b = blockIdx.x * 1024;
  for (int i = 0; i < 32; ++i) s[i][t] = in[b + i * 32 + t];
  __syncthreads();
  for (int i = 0; i < 32; ++i) out[b + i * 32 + t] = s[t][i];
}

// pair: shared_conflicts --grid 4 --block 32,4 --arg f32[16384]=iota --arg f32[128]=zero
__global__ void sumsOfColumns(const float* in, float* out) {
  __shared__ float s[128][32];
  int t = threadIdx.x, y = threadIdx.y, b = blockIdx.x * 4096;
  for (int i = y; i < 128; i += 4) s[i][t] = in[b + i * 32 + t];
  __syncthreads();
  if (y != 0) return;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 32; ++k) sum += s[t * 4][k];
  out[blockIdx.x * 32 + t] = sum;
}
__global__ void sumsOfColumns_cured(const float* in, float* out) {
  __shared__ float s[4096];
  int t = threadIdx.x, y = threadIdx.y, b = blockIdx.x * 4096;
  for (int i = y; i < 128; i += 4) s[i * 32 + (t ^ (i / 4 & 31))] = in[b + i * 32 + t];
  __syncthreads();
  if (y != 0) return;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 32; ++k) sum += s[t * 4 * 32 + (k ^ t)];
  out[blockIdx.x * 32 + t] = sum;
}

// ---- trees

// pair: shared_conflicts --grid 4 --block 128 --arg f32[512]=iota --arg f32[4]=zero
__global__ void treeOfStrides(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int i = 2 * d * t;
    if (i < 128) s[i] += s[i + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void treeOfStrides_cured(const float* in, float* out) {
  __shared__ float s[132];
  int t = threadIdx.x;
  s[t + t / 32] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int i = 2 * d * t;
    if (i < 128) s[i + i / 32] += s[(i + d) + (i + d) / 32];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// pair: shared_conflicts --grid 2 --block 512 --arg i32[1024]=iota --arg i32[2]=zero
__global__ void largestOfBlock(const int* in, int* out) {
  __shared__ int s[512];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 512 + t];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    int i = 2 * d * t;
    if (i < blockDim.x) s[i] = max(s[i], s[i + d]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void largestOfBlock_cured(const int* in, int* out) {
  __shared__ int s[528];
  int t = threadIdx.x;
  s[t + t / 32] = in[blockIdx.x * 512 + t];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    int i = 2 * d * t;
    if (i < blockDim.x) s[i + i / 32] = max(s[i + i / 32], s[(i + d) + (i + d) / 32]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// A compiler that no longer sees that the two elements differ loads one of them again.
// pair: shared_conflicts --grid 2 --block 128 --arg f32[512]=ones --arg f32[512]=zero
__global__ void sumsBefore(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x, b = blockIdx.x * 256, step = 1;
  s[t] = in[b + t];
  s[t + 128] = in[b + t + 128];
  for (int d = 128; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int i = step * (2 * t + 1) - 1, j = step * (2 * t + 2) - 1;
      s[j] += s[i];
    }
    step *= 2;
  }
  __syncthreads();
  if (t == 0) s[255] = 0;
  for (int d = 1; d < 256; d *= 2) {
    step >>= 1;
    __syncthreads();
    if (t < d) {
      int i = step * (2 * t + 1) - 1, j = step * (2 * t + 2) - 1;
      float v = s[i];
      s[i] = s[j];
      s[j] += v;
    }
  }
  __syncthreads();
  out[b + t] = s[t];
  out[b + t + 128] = s[t + 128];
}
__global__ void sumsBefore_cured(const float* in, float* out) {
  __shared__ float s[264];
  int t = threadIdx.x, b = blockIdx.x * 256, step = 1;
  s[t + t / 32] = in[b + t];
  s[(t + 128) + (t + 128) / 32] = in[b + t + 128];
  for (int d = 128; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int i = step * (2 * t + 1) - 1, j = step * (2 * t + 2) - 1;
      s[j + j / 32] += s[i + i / 32];
    }
    step *= 2;
  }
  __syncthreads();
  if (t == 0) s[255 + 255 / 32] = 0;
  for (int d = 1; d < 256; d *= 2) {
    step >>= 1;
    __syncthreads();
    if (t < d) {
      int i = step * (2 * t + 1) - 1, j = step * (2 * t + 2) - 1;
      float v = s[i + i / 32];
      s[i + i / 32] = s[j + j / 32];
      s[j + j / 32] += v;
    }
  }
  __syncthreads();
  out[b + t] = s[t + t / 32];
  out[b + t + 128] = s[(t + 128) + (t + 128) / 32];
}
