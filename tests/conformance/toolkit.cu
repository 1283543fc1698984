// Kernels that include the CUDA toolkit's headers; toolkit_test.cpp derives each number.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(float* out, const float* in) {
  __half a = __float2half(in[threadIdx.x]);
  __half2 pair = __halves2half2(a, __hmul(a, a));
  pair = __hadd2(pair, pair);
  out[threadIdx.x] = __low2float(pair) + __high2float(pair);
}

extern "C" __global__ void block_groups(int* out) {
  namespace cg = cooperative_groups;
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  int sum = block.thread_rank();
  for (int step = 8; step > 0; step /= 2) sum += tile.shfl_xor(sum, step);
  block.sync();
  out[block.thread_rank()] = sum;
}

extern "C" __global__ void warp_groups(int* out) {
  namespace cg = cooperative_groups;
  unsigned t = threadIdx.x;
  int* mine = out + (blockIdx.x * blockDim.x + t) * 6;
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  mine[0] = tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.meta_group_size();
  mine[1] = tile.shfl(t, 7) + 1000 * tile.any(t == 3);
  mine[2] = tile.ballot(t % 3 == 0);
  mine[3] = mine[4] = 0;
  if (t % 5 == 2) {
    cg::coalesced_group together = cg::coalesced_threads();
    mine[3] = together.thread_rank() + 100 * together.size();
    mine[4] = together.shfl(t, 0);
    together.sync();
  }
  block.sync();
  mine[5] = block.group_index().x * 1000 + block.size() + cg::this_grid().thread_rank();
}
