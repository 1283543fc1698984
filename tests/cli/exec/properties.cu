#include <cstring>

#include "check.h"

__global__ void kernel(float* x) {
  __shared__ float s[64];
  s[threadIdx.x % 64] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[63 - threadIdx.x % 64];
}

int main() {
  int count = 0, device = -1, sms = 0, version = 0;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&device));
  cudaDeviceProp prop;
  CHECK(cudaGetDeviceProperties(&prop, device));
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaRuntimeGetVersion(&version));
  size_t free_bytes, total_bytes;
  CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, kernel));
  int blocks = 0, block = 0, grid = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0));
  printf("%s, compute capability %d.%d, %d multiprocessors\n", prop.name, prop.major, prop.minor, sms);
  // 2048 threads of a multiprocessor are 8 blocks of 256.
  return verdict(count == 1 && sms == prop.multiProcessorCount && attributes.sharedSizeBytes == 256 &&
                 blocks == 8 && block == 1024 && grid == 2 * sms && total_bytes >= free_bytes &&
                 strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
}
