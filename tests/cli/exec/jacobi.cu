// Heat in a plate until it changes little: a loop on the host, a flag on the device, two streams of
// data that change places.
#include <utility>

#include "check.h"

__global__ void step(const float* now, float* next, int n, int* moving) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x <= 0 || y <= 0 || x >= n - 1 || y >= n - 1) return;
  int i = y * n + x;
  float value = 0.25f * (now[i - 1] + now[i + 1] + now[i - n] + now[i + n]);
  next[i] = value;
  if (fabsf(value - now[i]) > 0.5f) *moving = 1;
}

int main() {
  const int n = 34;
  static float plate[n * n];
  for (int x = 0; x < n; ++x) plate[x] = 100;
  float *now, *next;
  int *moving, any = 1, steps = 0;
  CHECK(cudaMalloc(&now, sizeof plate));
  CHECK(cudaMalloc(&next, sizeof plate));
  CHECK(cudaMalloc(&moving, sizeof(int)));
  CHECK(cudaMemcpy(now, plate, sizeof plate, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(next, plate, sizeof plate, cudaMemcpyHostToDevice));
  while (any != 0 && steps < 100) {
    CHECK(cudaMemset(moving, 0, sizeof(int)));
    step<<<dim3(2, 2), dim3(32, 32)>>>(now, next, n, moving);
    CHECK(cudaMemcpy(&any, moving, sizeof any, cudaMemcpyDeviceToHost));
    std::swap(now, next);
    ++steps;
  }
  CHECK(cudaMemcpy(plate, now, sizeof plate, cudaMemcpyDeviceToHost));
  printf("%d steps, %.3f\n", steps, plate[n + n / 2]);
  CHECK(cudaFree(now));
  CHECK(cudaFree(next));
  CHECK(cudaFree(moving));
}
