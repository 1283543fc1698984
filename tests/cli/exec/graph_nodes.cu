// A graph that is made node by node.
#include "check.h"

__global__ void add(int* x, int value) { x[threadIdx.x] += value; }

int main() {
  int *d, h[32] = {}, calls = 0, seven = 7;
  CHECK(cudaMalloc(&d, sizeof h));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t zero, kernel, back, told;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill = {d, 0, 3, 4, 32, 1};  // words of 3
  CHECK(cudaGraphAddMemsetNode(&zero, graph, nullptr, 0, &fill));
  void* arguments[] = {&d, &seven};
  cudaKernelNodeParams launch = {(void*)add, dim3(1), dim3(32), 0, arguments, nullptr};
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &zero, 1, &launch));
  seven = 8;  // arguments are taken when the node is made
  CHECK(cudaGraphAddMemcpyNode1D(&back, graph, &kernel, 1, h, d, sizeof h, cudaMemcpyDeviceToHost));
  cudaHostNodeParams call = {[](void* count) { ++*static_cast<int*>(count); }, &calls};
  CHECK(cudaGraphAddHostNode(&told, graph, &back, 1, &call));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  bool fine = calls == 3 && nodes == 4;
  for (int value : h) fine = fine && value == 10;
  // A graph in a graph, twice: each fills, adds 7 and makes one call.
  cudaGraph_t outer;
  cudaGraphExec_t twice;
  cudaGraphNode_t first, second;
  CHECK(cudaGraphCreate(&outer, 0));
  CHECK(cudaGraphAddChildGraphNode(&first, outer, nullptr, 0, graph));
  CHECK(cudaGraphAddChildGraphNode(&second, outer, &first, 1, graph));
  CHECK(cudaGraphGetNodes(outer, nullptr, &nodes));
  CHECK(cudaGraphInstantiate(&twice, outer, NULL, NULL, 0));
  h[0] = 0;
  CHECK(cudaGraphLaunch(twice, 0));
  CHECK(cudaDeviceSynchronize());
  fine = fine && calls == 5 && nodes == 2 && h[0] == 10;
  CHECK(cudaGraphExecDestroy(twice));
  CHECK(cudaGraphDestroy(outer));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(d));
  return verdict(fine);
}
