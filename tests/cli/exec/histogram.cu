#include <cstring>
#include <vector>

#include "check.h"

__device__ unsigned int total;  // of all threads

__global__ void histogram(const unsigned char* data, int n, unsigned int* bins) {
  __shared__ unsigned int local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[data[i]], 1u);
    atomicAdd(&total, 1u);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main() {
  const int n = 20000;
  std::vector<unsigned char> data(n);
  for (int i = 0; i < n; ++i) data[i] = (i * 7 + i / 13) & 255;
  unsigned int want[256] = {}, bins[256], count = 0;
  for (unsigned char value : data) ++want[value];
  unsigned char* d_data;
  unsigned int* d_bins;
  CHECK(cudaMalloc(&d_data, n));
  CHECK(cudaMalloc(&d_bins, sizeof bins));
  CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_bins, 0, sizeof bins));
  histogram<<<8, 256>>>(d_data, n, d_bins);
  CHECK(cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(&count, total, sizeof count));
  void* address = nullptr;
  CHECK(cudaGetSymbolAddress(&address, total));
  CHECK(cudaMemset(address, 0, sizeof count));
  unsigned int zero = 1;
  CHECK(cudaMemcpy(&zero, address, sizeof zero, cudaMemcpyDeviceToHost));
  cudaFree(d_data);
  cudaFree(d_bins);
  printf("%u values\n", count);
  return verdict(memcmp(bins, want, sizeof bins) == 0 && count == n && zero == 0);
}
