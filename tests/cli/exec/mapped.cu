// Host memory that a kernel works on where it lies: mapped, and registered after the fact.
#include <cstdlib>

#include "check.h"

__global__ void triple(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 3;
}

int main() {
  const int n = 1000;
  float *mapped, *device, *own = static_cast<float*>(malloc(n * sizeof(float)));
  CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
  CHECK(cudaHostAlloc(&mapped, n * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostRegister(own, n * sizeof(float), cudaHostRegisterMapped));
  for (int i = 0; i < n; ++i) mapped[i] = own[i] = i;
  CHECK(cudaHostGetDevicePointer(&device, mapped, 0));
  triple<<<4, 256>>>(device, n);
  CHECK(cudaHostGetDevicePointer(&device, own, 0));
  triple<<<4, 256>>>(device, n);
  CHECK(cudaDeviceSynchronize());
  bool fine = true;
  for (int i = 0; i < n; ++i) fine = fine && mapped[i] == 3 * i && own[i] == 3 * i;
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, mapped));
  fine = fine && attributes.type == cudaMemoryTypeHost;
  CHECK(cudaHostUnregister(own));
  CHECK(cudaFreeHost(mapped));
  free(own);
  return verdict(fine);
}
