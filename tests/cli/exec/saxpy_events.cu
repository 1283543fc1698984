#include <cmath>
#include <iostream>
#include <vector>

#include "check.h"

template <typename T>
__global__ void axpy(int n, T a, const T* __restrict__ x, T* __restrict__ y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    y[i] = a * x[i] + y[i];
  }
}

template <typename T>
bool run(int n) {
  std::vector<T> x(n, T(1)), y(n, T(2));
  T *d_x, *d_y;
  CHECK(cudaMalloc((void**)&d_x, n * sizeof(T)));
  CHECK(cudaMalloc((void**)&d_y, n * sizeof(T)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_y, y.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  axpy<T><<<64, 256>>>(n, T(2), d_x, d_y);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaMemcpy(y.data(), d_y, n * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  T worst = 0;
  for (T value : y) worst = std::max(worst, std::abs(value - T(4)));
  std::cout << "time is " << (ms > 0 ? "positive" : "wrong") << ", worst " << worst << std::endl;
  return worst == 0 && ms > 0;
}

int main() { return verdict(run<float>(100000) && run<double>(5000)); }
