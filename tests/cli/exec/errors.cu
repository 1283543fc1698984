#include <cstring>

#include "check.h"

__global__ void nothing() {}

int main() {
  void* pointer = nullptr;
  const cudaError_t memory = cudaMalloc(&pointer, size_t(1) << 60);
  printf("%s\n", cudaGetErrorString(memory));
  const cudaError_t left = cudaGetLastError();
  const cudaError_t none = cudaGetLastError();
  nothing<<<1, 2048>>>();
  const cudaError_t launch = cudaGetLastError();
  printf("%s\n", cudaGetErrorString(launch));
  const cudaError_t device = cudaSetDevice(7);
  cudaGetLastError();
  return verdict(memory == cudaErrorMemoryAllocation && left == memory && none == cudaSuccess &&
                 launch == cudaErrorInvalidValue && device == cudaErrorInvalidDevice);
}
