// Grids, clusters and cooperative launches that a GPU refuses, beside their neighbours that it takes.
#include <cstdio>

__global__ void k(int* p) {
  if (threadIdx.x == 0 && threadIdx.z == 0) p[0] = 1;
}
__global__ void __cluster_dims__(2, 1, 1) pairs(int* p) { p[threadIdx.x] = 2; }
__global__ void __cluster_dims__(8, 1, 1) eight(int* p) { p[threadIdx.x] = 8; }
__global__ void __cluster_dims__(16, 1, 1) sixteen(int* p) { p[threadIdx.x] = 16; }

static void say(const char* what) { printf("%s: %d\n", what, (int)cudaGetLastError()); }

static void cooperative(int blocks, int* p, const char* what) {
  void* arguments[] = {&p};
  cudaLaunchCooperativeKernel((void*)k, dim3(blocks), dim3(256), arguments, 0, 0);
  say(what);
}

int main() {
  int* p;
  cudaMalloc(&p, 4096);
  cooperative(1056, p, "1056 at once");
  cooperative(1057, p, "1057 at once");
  k<<<dim3(1, 65535), 1>>>(p); say("grid y 65535");
  k<<<dim3(1, 65536), 1>>>(p); say("grid y 65536");
  k<<<dim3(1, 1, 65535), 1>>>(p); say("grid z 65535");
  k<<<dim3(1, 1, 65536), 1>>>(p); say("grid z 65536");
  k<<<1, dim3(1, 1, 64)>>>(p); say("block z 64");
  k<<<1, dim3(1, 1, 65)>>>(p); say("block z 65");
  k<<<1, 0>>>(p); say("block 0");
  pairs<<<4, 32>>>(p); say("4 blocks in pairs");
  pairs<<<3, 32>>>(p); say("3 blocks in pairs");
  eight<<<8, 32>>>(p); say("a cluster of 8");
  sixteen<<<16, 32>>>(p); say("a cluster of 16");
  cudaDeviceSynchronize();
  cudaFree(p);
}
