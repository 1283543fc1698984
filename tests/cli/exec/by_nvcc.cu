// Calls whose headers differ from ours: managed variables, properties, occupancy.
#include "cstdio"
#include "cstdlib"
#include "cuda_runtime.h"
__managed__ int launches = 1;
template <typename T> __global__ void scale(T* data, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
  if (i == 0) ++launches;
}
int main(int argc, char** argv) {
  const int n = atoi(argv[1]), bytes = 128 * sizeof(float);
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  int grid, block;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale<float>);
  float h[128], *d;
  for (int i = 0; i < 128; ++i) h[i] = i;
  cudaMalloc(&d, bytes);
  cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
  scale<<<1, argc > 2 ? 160 : 128>>>(d, 2.0f, n);
  cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d);
  bool fine = p.major == 9 && p.multiProcessorCount == 132 && p.warpSize == 32 && block == 1024;
  fine = fine && p.sharedMemPerBlockOptin == 232448 && p.maxBlocksPerMultiProcessor == 32;
  for (int i = 0; i < 128; ++i) fine = fine && h[i] == 2.0f * i;
  printf(fine && launches == 2 ? "PASSED\n" : "FAILED\n");
  return fine ? 0 : 3;
}
