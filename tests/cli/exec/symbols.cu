// Variables of the device and constants, by name and by address.
#include "check.h"

__device__ int counter;
__device__ float table[4];
__constant__ float factors[2];

__global__ void count(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 3 == 0) atomicAdd(&counter, 1);
  if (i < 4) table[i] = factors[0] * i + factors[1];
}

int main() {
  const float line[] = {2, 1};
  int zero = 0, counted;
  float values[4];
  size_t bytes;
  void* address;
  CHECK(cudaMemcpyToSymbol(factors, line, sizeof line));
  CHECK(cudaMemcpyToSymbol(counter, &zero, sizeof zero));
  CHECK(cudaGetSymbolSize(&bytes, table));
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaMemset(address, 0, bytes));
  count<<<4, 64>>>(200);
  CHECK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  CHECK(cudaMemcpy(values, address, bytes, cudaMemcpyDeviceToHost));
  // 0, 3, ..., 198.
  printf("counted %d, table %g %g %g %g\n", counted, values[0], values[1], values[2], values[3]);
  return verdict(counted == 67 && bytes == 16);
}
