#include "check.h"
#include "two_files.h"

int main() {
  float *d, h[64];
  CHECK(cudaMalloc(&d, sizeof h));
  fill(d, 64, 3.0f);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d));
  return verdict(all_are(h, 64, 3.0f));
}
