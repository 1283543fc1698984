// As NVIDIA's samples are written: their helper headers, half numbers, NVTX, kernels of one name.
#include <cuda_fp16.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <nvToolsExtCuda.h>
#include <nvtx3/nvToolsExt.h>

#include <memory>
#include <vector>

__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
__global__ void twice(int* x) { x[threadIdx.x] *= 2; }
__global__ void widen(const __half* in, float* out) { out[threadIdx.x] = __half2float(in[threadIdx.x]); }

__host__ __device__ __noinline__ float doubled(float x) { return 2 * x; }

int main(int argc, char** argv) {
  const int device = findCudaDevice(argc, (const char**)argv);
  const int n = checkCmdLineFlag(argc, (const char**)argv, "n")
                    ? getCmdLineArgumentInt(argc, (const char**)argv, "n")
                    : 32;
  StopWatchInterface* timer = nullptr;
  sdkCreateTimer(&timer);
  sdkStartTimer(&timer);
  nvtxRangePushA("all");
  // 1/3 as a half is 0x3555 = 1365 / 4096; 65504 is the largest; 2^-24 the smallest.
  std::vector<__half> halves(n, __float2half(1.0F / 3));
  halves[1] = __float2half(65504.0F);
  halves[2] = __float2half(5.9604644775390625e-8F);
  __half* d_halves;
  float* d_floats;
  int* d_ints;
  checkCudaErrors(cudaMalloc(&d_halves, n * sizeof(__half)));
  checkCudaErrors(cudaMalloc(&d_floats, n * sizeof(float)));
  checkCudaErrors(cudaMalloc(&d_ints, n * sizeof(int)));
  checkCudaErrors(cudaMemcpy(d_halves, halves.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
  checkCudaErrors(cudaMemset(d_ints, 1, n * sizeof(int)));
  widen<<<1, n>>>(d_halves, d_floats);
  twice<<<1, n>>>(d_floats);
  twice<<<1, n>>>(d_ints);
  getLastCudaError("launches");
  std::vector<float> floats(n);
  std::vector<int> ints(n);
  checkCudaErrors(cudaMemcpy(floats.data(), d_floats, n * sizeof(float), cudaMemcpyDeviceToHost));
  checkCudaErrors(cudaMemcpy(ints.data(), d_ints, n * sizeof(int), cudaMemcpyDeviceToHost));
  nvtxRangePop();
  sdkStopTimer(&timer);
  const auto third = std::make_shared<float>(1365.0F / 4096);
  std::vector<float> expected(n, doubled(*third));
  expected[1] = 131008;
  expected[2] = 1.1920928955078125e-7F;
  const bool fine = compareData(expected.data(), floats.data(), n, 0.0F, 0.0F) &&
                    ints[n - 1] == 0x02020202 && sdkGetTimerValue(&timer) >= 0 && device == 0;
  sdkDeleteTimer(&timer);
  checkCudaErrors(cudaFree(d_halves));
  checkCudaErrors(cudaFree(d_floats));
  checkCudaErrors(cudaFree(d_ints));
  printf("n %d: %s\n", n, fine ? "PASSED" : "FAILED");
  return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
