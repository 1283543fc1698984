// Launches that a GPU refuses, beside their neighbours that it takes.
#include <cstdio>
__global__ void k(float* o) { o[threadIdx.x] = 1; }
__global__ void big(float* o) {
  extern __shared__ float s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void both(float* o) {
  __shared__ float own[4096];
  extern __shared__ float s[];
  own[threadIdx.x] = s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x ^ 1] + own[threadIdx.x ^ 2];
}
__global__ void __launch_bounds__(128) few(float* o) { o[threadIdx.x] = 1; }
// Some 48 doubles live at once: more than 64 registers per thread, and at most 128.
__global__ void __launch_bounds__(512) heavy(double* o, const double* a) {
  double r[48];
#pragma unroll
  for (int i = 0; i < 48; ++i) r[i] = a[i * blockDim.x + threadIdx.x];
#pragma unroll
  for (int k = 0; k < 6; ++k)
#pragma unroll
    for (int i = 0; i < 48; ++i) r[i] = r[i] * r[(i * 7 + k) % 48] + k;
  double s = 0;
#pragma unroll
  for (int i = 0; i < 48; ++i) s += r[i];
  o[threadIdx.x] = s;
}
__global__ void unbound(double* o, const double* a) {
  double r[48];
#pragma unroll
  for (int i = 0; i < 48; ++i) r[i] = a[i * blockDim.x + threadIdx.x];
#pragma unroll
  for (int k = 0; k < 48; ++k)
#pragma unroll
    for (int i = 0; i < 48; ++i) r[i] = r[i] * r[(i * 7 + k) % 48] + k;
  double s = 0;
#pragma unroll
  for (int i = 0; i < 48; ++i) s += r[i];
  o[threadIdx.x] = s;
}
static void say(const char* what) {
  printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
}
static void ask(const void* kernel, int bytes) {
  printf("ask %d: %s\n", bytes,
         cudaGetErrorString(
             cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)));
  cudaGetLastError();
}
int main() {
  float* o;
  double *d, *a;
  cudaMalloc(&o, 4096 * 4);
  cudaMalloc(&d, 1024 * 8);
  cudaMalloc(&a, 48 * 1024 * 8);
  cudaMemset(a, 0, 48 * 1024 * 8);
  k<<<1, 2048>>>(o); say("2048 threads");
  k<<<1, 1024>>>(o); say("1024 threads");
  k<<<0, 32>>>(o); say("no block");
  k<<<dim3(1, 70000), 32>>>(o); say("grid y 70000");
  k<<<1, dim3(1, 1, 128)>>>(o); say("block z 128");
  few<<<1, 256>>>(o); say("beyond launch bounds");
  few<<<1, 128>>>(o); say("within launch bounds");
  big<<<1, 64, 49152>>>(o); say("48 KB");
  big<<<1, 64, 49156>>>(o); say("48 KB + 4");
  both<<<1, 64, 32768>>>(o); say("16 KB of its own and 32 KB");
  both<<<1, 64, 32772>>>(o); say("16 KB of its own and 32 KB + 4");
  ask((const void*)big, 100000);
  big<<<1, 64, 100000>>>(o); say("100000");
  big<<<1, 64, 120000>>>(o); say("120000");
  ask((const void*)big, 300000);
  big<<<1, 64, 240000>>>(o); say("240000");
  ask((const void*)both, 232448 - 16384);
  ask((const void*)both, 232448 - 16384 + 1);
  unbound<<<1, 512>>>(d, a); say("registers, 512 threads");
  unbound<<<1, 1024>>>(d, a); say("registers, 1024 threads");
  heavy<<<1, 512>>>(d, a); say("registers within bounds");
  printf("sync: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(o);
  cudaFree(d);
  cudaFree(a);
}
