// Asynchronous copies of 4, 8 and 16 bytes; the last lane's second half is zeros.
#include <cuda_pipeline.h>
#include "check.h"

__global__ void copy(const int* in, int* out) {
  __shared__ __align__(16) int tile[32 * 7];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(tile + 4 * t, in + 4 * t, 16);
  __pipeline_commit();
  __pipeline_memcpy_async(tile + 128 + 2 * t, in + 128 + 2 * t, 8, t == 31 ? 4 : 0);
  __pipeline_memcpy_async(tile + 192 + t, in + 192 + t, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int i = t; i < 32 * 7; i += 32) out[i] = tile[i];
}

int main() {
  const int n = 32 * 7;
  int in[n], out[n], *d_in, *d_out, wrong = 0;
  for (int i = 0; i < n; ++i) in[i] = i + 1;
  CHECK(cudaMalloc(&d_in, sizeof in));
  CHECK(cudaMalloc(&d_out, sizeof out));
  CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
  copy<<<1, 32>>>(d_in, d_out);
  CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) wrong += out[i] != (i == 191 ? 0 : i + 1);
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  return verdict(wrong == 0);
}
