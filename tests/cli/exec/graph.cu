#include "check.h"

__global__ void increment(int* x) { x[threadIdx.x] += 1; }

int main() {
  int *d, h[32];
  CHECK(cudaMalloc(&d, sizeof h));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(d, 0, sizeof h, stream));
  for (int i = 0; i < 3; ++i) increment<<<1, 32, 0, stream>>>(d);
  CHECK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  bool fine = true;
  for (int value : h) fine = fine && value == 3;
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d));
  return verdict(fine);
}
