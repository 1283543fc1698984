#include "check.h"

__global__ void increment(int* x) { x[threadIdx.x] += 1; }

__global__ void set(int* x, int value) { x[threadIdx.x] = value; }
__global__ void twice(int* x) { x[threadIdx.x] *= 2; }

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

  // A second stream joins by an event, and is joined by one: 5 is doubled there before 1 is added
  // here. Nothing of it is done before the launches, when the events are gone.
  cudaStream_t other;
  cudaEvent_t fork, join;
  cudaGraph_t forked;
  cudaGraphExec_t both;
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreate(&join));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  set<<<1, 32, 0, stream>>>(d, 5);
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(other, fork, 0));
  twice<<<1, 32, 0, other>>>(d);
  CHECK(cudaEventRecord(join, other));
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  increment<<<1, 32, 0, stream>>>(d);
  cudaStreamCaptureStatus of_other;
  CHECK(cudaStreamIsCapturing(other, &of_other));
  CHECK(cudaStreamEndCapture(stream, &forked));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(forked, NULL, &nodes));
  CHECK(cudaGraphInstantiate(&both, forked, NULL, NULL, 0));
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
  twice<<<1, 32, 0, other>>>(d);  // at once again: 3 becomes 6
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  for (int value : h) fine = fine && value == 6;
  CHECK(cudaGraphLaunch(both, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  for (int value : h) fine = fine && value == 11;
  fine = fine && nodes == 3 && of_other == cudaStreamCaptureStatusActive;
  CHECK(cudaGraphExecDestroy(both));
  CHECK(cudaGraphDestroy(forked));
  CHECK(cudaStreamDestroy(other));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d));
  return verdict(fine);
}
