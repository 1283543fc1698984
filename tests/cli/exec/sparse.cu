// A sparse matrix by rows (CSR) times a vector, a warp for each row, with shuffles.
#include <vector>

#include "check.h"

__global__ void multiply(const int* begins, const int* columns, const double* values,
                         const double* x, double* y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  double sum = 0;
  for (int i = begins[row] + lane; i < begins[row + 1]; i += 32) sum += values[i] * x[columns[i]];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_down_sync(~0u, sum, far);
  if (lane == 0) y[row] = sum;
}

template <typename T>
T* on_device(const std::vector<T>& from) {
  T* to;
  CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
  CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}

int main() {
  const int rows = 100;
  std::vector<int> begins = {0}, columns;
  std::vector<double> values, x(rows);
  for (int i = 0; i < rows; ++i) {
    x[i] = i;
    for (int j = 0; j <= i % 40; ++j) {
      columns.push_back((i + 7 * j) % rows);
      values.push_back(j + 1);
    }
    begins.push_back(int(columns.size()));
  }
  int *d_begins = on_device(begins), *d_columns = on_device(columns);
  double *d_values = on_device(values), *d_x = on_device(x), *d_y;
  std::vector<double> y(rows);
  CHECK(cudaMalloc(&d_y, rows * sizeof(double)));
  multiply<<<(rows * 32 + 127) / 128, 128>>>(d_begins, d_columns, d_values, d_x, d_y, rows);
  CHECK(cudaMemcpy(y.data(), d_y, rows * sizeof(double), cudaMemcpyDeviceToHost));
  bool fine = true;
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int k = begins[i]; k < begins[i + 1]; ++k) sum += values[k] * x[columns[k]];
    fine = fine && sum == y[i];
  }
  for (void* memory : {(void*)d_begins, (void*)d_columns, (void*)d_values, (void*)d_x, (void*)d_y})
    CHECK(cudaFree(memory));
  return verdict(fine);
}
