// How many blocks fit, and a launch that asks for more shared memory than a kernel gets by itself.
#include "check.h"

__global__ void reverse(int* x, int n) {
  extern __shared__ int tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = tile[n - 1 - i];
}

int main() {
  int blocks, least_grid, block;
  size_t room;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, 0));
  CHECK(cudaOccupancyMaxPotentialBlockSize(&least_grid, &block, reverse, 0, 0));
  CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, reverse, 2, 256));
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, reverse));
  printf("blocks %d, best block %d, grid %d, room %zu, threads %d\n", blocks, block, least_grid,
         room, attributes.maxThreadsPerBlock);
  const int n = 20000;  // 80000 bytes
  static int x[n];
  for (int i = 0; i < n; ++i) x[i] = i;
  int* d;
  CHECK(cudaMalloc(&d, sizeof x));
  CHECK(cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice));
  CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof x));
  reverse<<<1, 256, sizeof x>>>(d, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d));
  bool fine = true;
  for (int i = 0; i < n; ++i) fine = fine && x[i] == n - 1 - i;
  return verdict(fine);
}
