// Rounds go to and fro between two buffers, with the whole grid waiting in between. Without -DWAITS
// a block reads what another has not written yet.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void rounds(int* a, int* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < 4; ++round) {
    const int* from = round % 2 ? b : a;
    int* to = round % 2 ? a : b;
    to[i] = from[i] + from[(i + 1) % n];
#ifdef WAITS
    cooperative_groups::this_grid().sync();
#endif
  }
}

int main() {
  int n = 1024, *a, *b, first[1024];
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  for (int i = 0; i < n; ++i) first[i] = i % 7;
  cudaMemcpy(a, first, n * sizeof(int), cudaMemcpyHostToDevice);
  void* arguments[] = {&a, &b, &n};
  cudaLaunchCooperativeKernel((void*)rounds, dim3(4), dim3(256), arguments, 0, nullptr);
  cudaMemcpy(first, a, n * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", first[0]);
  cudaFree(a);
  cudaFree(b);
}
