// cuRAND's device API: states that are kept in memory, and Monte Carlo.
#include <curand_kernel.h>

#include <vector>

#include "check.h"

__global__ void start(curandState* states, unsigned long long seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, &states[i]);
}

__global__ void draw(curandState* states, unsigned* words, float* uniform, float* normal) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState state = states[i];
  words[i] = curand(&state);
  uniform[i] = curand_uniform(&state);
  normal[i] = curand_normal(&state);
  states[i] = state;
}

__global__ void philox(unsigned* words, float4* uniform) {
  int i = threadIdx.x;
  curandStatePhilox4_32_10_t state;
  curand_init(1234, i, 0, &state);
  words[i] = curand(&state);
  curand_init(1234, 0, 4 * i, &state);
  uniform[i] = curand_uniform4(&state);
}

int main() {
  const int n = 64;
  curandState* states;
  unsigned* words;
  float *uniform, *normal;
  float4* four;
  CHECK(cudaMallocManaged(&states, n * sizeof(curandState)));
  CHECK(cudaMallocManaged(&words, n * sizeof(unsigned)));
  CHECK(cudaMallocManaged(&uniform, n * sizeof(float)));
  CHECK(cudaMallocManaged(&normal, n * sizeof(float)));
  CHECK(cudaMallocManaged(&four, 2 * sizeof(float4)));
  start<<<2, n / 2>>>(states, 1234);
  draw<<<2, n / 2>>>(states, words, uniform, normal);
  CHECK(cudaDeviceSynchronize());
  printf("words %u %u %u\n", words[0], words[1], words[2]);
  printf("uniform %.6f, normal %.4f\n", uniform[0], normal[0]);
  philox<<<1, 2>>>(words, four);
  CHECK(cudaDeviceSynchronize());
  printf("philox %u %u, then %.6f\n", words[0], words[1], four[1].x);
  CHECK(cudaFree(states));
  CHECK(cudaFree(words));
  CHECK(cudaFree(uniform));
  CHECK(cudaFree(normal));
  CHECK(cudaFree(four));
}
