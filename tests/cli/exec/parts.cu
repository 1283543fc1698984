// A program in parts: the kernels' source is included, as is the host's. Functions that kernels alone
// have stand in them, and what headers leave out where nvcc compiles.
#include <cstdio>
#ifndef __CUDACC__
inline int max(int a, int b) { return a > b ? a : b; }
#endif
#include "check.h"
#include "parts_kernels.cu"

#define N 1000

int main(int argc, char**) {
  if (argc > 1) return;
  float host[N], *x;
  for (int i = 0; i < N; ++i) host[i] = float(i);
  CHECK(cudaMalloc(&x, sizeof host));
  CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  logarithms<<<(N + 255) / 256, 256>>>(x, N);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  printf("%.0f %.0f %d\n", host[255], host[511], max(3, 5));
  CHECK(cudaFree(x));
}
