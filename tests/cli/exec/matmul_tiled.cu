#include <vector>

#include "check.h"

#define TILE 16

struct Matrix {
  int rows, cols;
  float* elements;
};

__device__ float element(const Matrix m, int row, int col) { return m.elements[row * m.cols + col]; }

// A struct by value, and a static tile.
__global__ void multiply(Matrix a, Matrix b, Matrix c) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < a.cols; k += TILE) {
    as[threadIdx.y][threadIdx.x] = element(a, row, k + threadIdx.x);
    bs[threadIdx.y][threadIdx.x] = element(b, k + threadIdx.y, col);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c.elements[row * c.cols + col] = sum;
}

Matrix on_device(int rows, int cols, const float* from) {
  Matrix m{rows, cols, nullptr};
  CHECK(cudaMalloc(&m.elements, rows * cols * sizeof(float)));
  if (from) CHECK(cudaMemcpy(m.elements, from, rows * cols * sizeof(float), cudaMemcpyHostToDevice));
  return m;
}

int main() {
  const int n = 64;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = i % 5, b[i] = i % 3;
  Matrix da = on_device(n, n, a.data()), db = on_device(n, n, b.data()), dc = on_device(n, n, nullptr);
  dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
  multiply<<<grid, block>>>(da, db, dc);
  CHECK(cudaMemcpy(c.data(), dc.elements, n * n * sizeof(float), cudaMemcpyDeviceToHost));
  bool fine = true;
  for (int r = 0; r < n; ++r)
    for (int s = 0; s < n; ++s) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[r * n + k] * b[k * n + s];
      fine = fine && sum == c[r * n + s];
    }
  cudaFree(da.elements);
  cudaFree(db.elements);
  cudaFree(dc.elements);
  return verdict(fine);
}
