#include <cstdio>
#include <cuda_runtime.h>
__global__ void vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
int main() {
  const int n = 1 << 20;
  float *a = new float[n], *b = new float[n], *c = new float[n];
  for (int i = 0; i < n; ++i) { a[i] = i; b[i] = 2 * i; }
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, n * sizeof(float));
  cudaMalloc(&d_b, n * sizeof(float));
  cudaMalloc(&d_c, n * sizeof(float));
  cudaMemcpy(d_a, a, n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, n * 4, cudaMemcpyHostToDevice);
  vadd<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
  cudaMemcpy(c, d_c, n * 4, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; ++i) bad += c[i] != 3.0f * i;
  printf(bad ? "FAILED\n" : "PASSED\n");
  cudaFree(d_a); cudaFree(d_b); cudaFree(d_c);
  return bad != 0;
}
