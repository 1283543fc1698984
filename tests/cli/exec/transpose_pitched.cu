#include <vector>

#include "check.h"

__global__ void transpose(const float* in, size_t in_pitch, float* out, size_t out_pitch, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * in_pitch + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < rows && y + j < cols) out[(y + j) * out_pitch + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int rows = 70, cols = 45;
  std::vector<float> in(rows * cols), out(rows * cols);
  for (int i = 0; i < rows * cols; ++i) in[i] = i;
  float *d_in, *d_out;
  size_t in_pitch, out_pitch;
  CHECK(cudaMallocPitch(&d_in, &in_pitch, cols * sizeof(float), rows));
  CHECK(cudaMallocPitch(&d_out, &out_pitch, rows * sizeof(float), cols));
  CHECK(cudaMemcpy2D(d_in, in_pitch, in.data(), cols * sizeof(float), cols * sizeof(float), rows, cudaMemcpyHostToDevice));
  transpose<<<dim3(2, 3), dim3(32, 8)>>>(d_in, in_pitch / sizeof(float), d_out, out_pitch / sizeof(float), rows, cols);
  CHECK(cudaPeekAtLastError());
  CHECK(cudaMemcpy2D(out.data(), rows * sizeof(float), d_out, out_pitch, rows * sizeof(float), cols, cudaMemcpyDeviceToHost));
  bool fine = true;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) fine = fine && out[c * rows + r] == in[r * cols + c];
  cudaFree(d_in);
  cudaFree(d_out);
  return verdict(fine);
}
