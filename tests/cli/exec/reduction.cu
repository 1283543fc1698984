#include "check.h"

__global__ void reduce(const float* in, float* out, int n) {
  extern __shared__ float part[];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x * 2 + t;
  part[t] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void warp_reduce(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += in[i];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (threadIdx.x == 0) *out = sum;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 10000;
  float* h = (float*)malloc(n * sizeof(float));
  for (int i = 0; i < n; ++i) h[i] = i % 7;
  float want = 0;
  for (int i = 0; i < n; ++i) want += h[i];
  float *d_in, *d_part, *d_sum, sum;
  const int blocks = (n + 511) / 512;
  CHECK(cudaMalloc(&d_in, n * sizeof(float)));
  CHECK(cudaMalloc(&d_part, blocks * sizeof(float)));
  CHECK(cudaMalloc(&d_sum, sizeof(float)));
  CHECK(cudaMemcpy(d_in, h, n * sizeof(float), cudaMemcpyHostToDevice));
  reduce<<<blocks, 256, 256 * sizeof(float)>>>(d_in, d_part, n);
  warp_reduce<<<1, 32>>>(d_part, d_sum, blocks);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  printf("sum = %.0f (expected %.0f)\n", sum, want);
  cudaFree(d_in);
  cudaFree(d_part);
  cudaFree(d_sum);
  free(h);
  return verdict(sum == want);
}
