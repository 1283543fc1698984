// What lab 12's sound kernels should leave: a thread for each number.

// Blocks of 128 numbers, each turned around.
extern "C" __global__ void turned(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i / 128 * 128 + 127 - i % 128];
}

// Neighbours change places.
extern "C" __global__ void exchanged(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i % 2 == 0 ? i + 1 : i - 1];
}

// C = A B of n x n numbers: k upwards, one fused multiply-add per step.
extern "C" __global__ void multiplied(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum = fmaf(a[i / n * n + k], b[k * n + i % n], sum);
  c[i] = sum;
}
