#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void two_phases(int* x, int* sum) {
  cg::grid_group grid = cg::this_grid();
  x[grid.thread_rank()] = (int)grid.thread_rank();
  grid.sync();
  cg::thread_block block = cg::this_thread_block();
  if (blockIdx.x == 0) {
    int mine = x[grid.size() - 1 - block.thread_rank()];
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    for (int o = tile.size() / 2; o > 0; o /= 2) mine += tile.shfl_down(mine, o);
    if (tile.thread_rank() == 0) atomicAdd(sum, mine);
  }
}

int main() {
  const int blocks = 4, threads = 64;
  int *x, *sum, h;
  CHECK(cudaMalloc(&x, blocks * threads * sizeof(int)));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemset(sum, 0, sizeof(int)));
  void* arguments[] = {&x, &sum};
  CHECK(cudaLaunchCooperativeKernel((void*)two_phases, blocks, threads, arguments));
  CHECK(cudaMemcpy(&h, sum, sizeof h, cudaMemcpyDeviceToHost));
  cudaFree(x);
  cudaFree(sum);
  // 192 + ... + 255
  printf("%d\n", h);
  return verdict(h == 14304);
}
