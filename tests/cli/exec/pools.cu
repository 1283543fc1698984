// Memory from pools, and a stream that says what L2 is to keep.
#include <cstdio>
#include "check.h"

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }

int main() {
  cudaMemPool_t standard, own, current;
  CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  printf("the default is current %d\n", current == standard);
  unsigned long long keep = 1 << 20, kept = 0;
  CHECK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &keep));
  CHECK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &kept));
  int reuse = -1;
  CHECK(cudaMemPoolGetAttribute(standard, cudaMemPoolReuseAllowOpportunistic, &reuse));
  printf("kept %llu, reused %d\n", kept, reuse);
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPoolCreate(&own, &properties));
  CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &kept));
  CHECK(cudaDeviceSetMemPool(0, own));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  printf("the own keeps %llu, is current %d\n", kept, current == own);

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaStreamAttrValue window = {}, read = {};
  window.accessPolicyWindow.num_bytes = 128;
  window.accessPolicyWindow.hitRatio = 0.5f;
  window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window));
  CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &read));
  printf("window of %zu, %.1f\n", read.accessPolicyWindow.num_bytes,
         read.accessPolicyWindow.hitRatio);
  int *a, *b, host[32];
  CHECK(cudaMallocFromPoolAsync(&a, sizeof host, own, stream));
  CHECK(cudaMallocAsync(&b, sizeof host, own, stream));
  fill<<<1, 32, 0, stream>>>(a, 7);
  CHECK(cudaMemcpyAsync(b, a, sizeof host, cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaMemcpyAsync(host, b, sizeof host, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(a, stream));
  CHECK(cudaFreeAsync(b, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaCtxResetPersistingL2Cache());
  CHECK(cudaMemPoolTrimTo(own, 0));
  CHECK(cudaMemPoolDestroy(own));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  CHECK(cudaStreamDestroy(stream));
  printf("%s\n", host[31] == 7 && current == standard ? "PASSED" : "FAILED");
}
