// A graph with a child, nodes that are ordered afterwards, and a kernel whose arguments change.
#include "check.h"

__global__ void times(int* x, int factor) { x[threadIdx.x] *= factor; }
__global__ void plus(int* x, int term) { x[threadIdx.x] += term; }

int main() {
  int *d, h[4] = {1, 2, 3, 4}, three = 3, ten = 10, twenty = 20;
  CHECK(cudaMalloc(&d, sizeof h));
  CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
  cudaGraph_t graph, child, copy;
  cudaGraphNode_t add, multiply, inner;
  void* of_times[] = {&d, &three};
  void* of_plus[] = {&d, &ten};
  cudaKernelNodeParams p_times = {(void*)times, dim3(1), dim3(4), 0, of_times, nullptr};
  cudaKernelNodeParams p_plus = {(void*)plus, dim3(1), dim3(4), 0, of_plus, nullptr};
  CHECK(cudaGraphCreate(&child, 0));
  CHECK(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &p_times));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddKernelNode(&add, graph, nullptr, 0, &p_plus));
  CHECK(cudaGraphAddChildGraphNode(&multiply, graph, nullptr, 0, child));
  // The child goes first, though it was added last.
  CHECK(cudaGraphAddDependencies(graph, &multiply, &add, 1));
  size_t count = 1;
  cudaGraphNode_t root;
  cudaGraphNodeType type;
  CHECK(cudaGraphGetRootNodes(graph, &root, &count));
  CHECK(cudaGraphNodeGetType(root, &type));
  bool fine = count == 1 && root == multiply && type == cudaGraphNodeTypeGraph;
  CHECK(cudaGraphClone(&copy, graph));
  cudaGraphExec_t exec, again;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphInstantiate(&again, copy, 0));
  CHECK(cudaGraphLaunch(exec, 0));  // 3 x + 10
  void* of_change[] = {&d, &twenty};
  p_plus.kernelParams = of_change;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, add, &p_plus));
  CHECK(cudaGraphLaunch(exec, 0));   // 3 (3 x + 10) + 20
  CHECK(cudaGraphLaunch(again, 0));  // 3 (9 x + 50) + 10
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; ++i) fine = fine && h[i] == 27 * (i + 1) + 160;
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphExecDestroy(again));
  for (cudaGraph_t one : {graph, child, copy}) CHECK(cudaGraphDestroy(one));
  CHECK(cudaFree(d));
  return verdict(fine);
}
