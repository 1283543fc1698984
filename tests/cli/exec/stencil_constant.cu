#include "check.h"

#define RADIUS 3
__constant__ float weights[2 * RADIUS + 1];

__global__ void stencil(const float* in, float* out, int n) {
  __shared__ float tile[128 + 2 * RADIUS];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int t = threadIdx.x + RADIUS;
  tile[t] = i < n ? in[i] : 0;
  if (threadIdx.x < RADIUS) {
    tile[t - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
    tile[t + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k) sum += weights[k + RADIUS] * tile[t + k];
  out[i] = sum;
}

int main() {
  const int n = 1000;
  static float in[n], out[n], w[2 * RADIUS + 1];
  for (int i = 0; i < n; ++i) in[i] = i % 11;
  for (int k = 0; k <= 2 * RADIUS; ++k) w[k] = k + 1;
  CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
  float *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, sizeof in));
  CHECK(cudaMalloc(&d_out, sizeof out));
  CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
  stencil<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
  CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  bool fine = true;
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; ++k)
      if (i + k >= 0 && i + k < n) sum += w[k + RADIUS] * in[i + k];
    fine = fine && sum == out[i];
  }
  cudaFree(d_in);
  cudaFree(d_out);
  return verdict(fine);
}
